from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import tasks  # noqa: F401 (registers the handlers)
        from annotation.team import personal_rows  # noqa: F401 (registers what is stored)
