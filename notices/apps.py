from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "notices"

    def ready(self) -> None:
        from notices import tasks  # noqa: F401  (registers the due check)
