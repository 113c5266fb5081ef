from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "notices"

    def ready(self) -> None:
        from notices import personal_rows, tasks  # noqa: F401  (they register)
