from django.apps import AppConfig


class CurationConfig(AppConfig):
    name = "curation"

    def ready(self) -> None:
        from curation import choice_tasks, sample_tasks, tasks  # noqa: F401 (registers the jobs)
