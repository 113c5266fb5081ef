from django.apps import AppConfig


class PlanningConfig(AppConfig):
    name = "planning"

    def ready(self) -> None:
        from planning import tasks  # noqa: F401 - registers the job
        from planning.double_judging import report  # noqa: F401 - registers a report
