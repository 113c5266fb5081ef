from django.apps import AppConfig


class ReleaseConfig(AppConfig):
    name = "release"

    def ready(self) -> None:
        from release import tasks  # noqa: F401  (registers the job)
