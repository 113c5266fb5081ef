from django.apps import AppConfig


class CurationConfig(AppConfig):
    name = "curation"

    def ready(self) -> None:
        from curation import personal_rows  # noqa: F401 (registers what is stored)
        from curation.choice import tasks as choice_tasks  # noqa: F401 (registers the jobs)
        from curation.labels import tasks  # noqa: F401 (registers the jobs)
        from curation.samples import tasks as sample_tasks  # noqa: F401 (registers the jobs)
