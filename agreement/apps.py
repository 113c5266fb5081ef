from django.apps import AppConfig


class AgreementConfig(AppConfig):
    name = "agreement"

    def ready(self) -> None:
        from agreement import tasks  # noqa: F401  (registers its job)
