from django.apps import AppConfig


class ReleaseConfig(AppConfig):
    name = "release"

    def ready(self) -> None:
        from release import publishing  # noqa: F401  (registers its job)
