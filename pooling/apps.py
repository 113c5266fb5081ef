from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"

    def ready(self) -> None:
        from pooling import tasks  # noqa: F401 - registers the jobs
        from pooling.services import personal_rows  # noqa: F401 - registers what is stored
