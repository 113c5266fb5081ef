from django.apps import AppConfig


class AgreementConfig(AppConfig):
    name = "agreement"

    def ready(self) -> None:
        from agreement import tasks  # noqa: F401  (registers the job)
        from agreement.alignment import report  # noqa: F401  (registers its kind)
