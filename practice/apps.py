from django.apps import AppConfig


class PracticeConfig(AppConfig):
    name = "practice"

    def ready(self) -> None:
        from practice import personal_rows  # noqa: F401  (registers what is stored)
