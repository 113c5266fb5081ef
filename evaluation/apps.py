from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation import unique_finds  # noqa: F401  (registers a report)
        from evaluation.label_effects import pool_rounds  # noqa: F401
        from evaluation.label_effects import services as labels  # noqa: F401
        from evaluation.pool_bias import services as pool_bias  # noqa: F401
        from evaluation.shadow_judges import tasks  # noqa: F401  (registers the job)
