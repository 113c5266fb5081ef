from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"

    def ready(self) -> None:
        from pooling import building  # noqa: F401  (registers its job)
