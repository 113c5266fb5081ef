from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation import tasks  # noqa: F401  (registers the jobs)
        from evaluation.label_effects import tasks as label_tasks  # noqa: F401
