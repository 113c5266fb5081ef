from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "studies"

    def ready(self) -> None:
        from studies import personal_rows  # noqa: F401  (registers what is stored)
