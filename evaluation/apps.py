from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation import (
            personal_rows,  # noqa: F401  (registers what is stored)
            unique_finds,  # noqa: F401  (registers a report)
        )
        from evaluation.corpus_sizes import report as corpus_sizes  # noqa: F401
        from evaluation.gaps import services as gaps  # noqa: F401
        from evaluation.label_effects import pool_rounds  # noqa: F401
        from evaluation.label_effects import services as labels  # noqa: F401
        from evaluation.pool_bias import services as pool_bias  # noqa: F401
        from evaluation.prediction_powered import report  # noqa: F401
        from evaluation.shadow_judges import tasks  # noqa: F401  (registers the job)
        from evaluation.shadow_judges.asking import checks  # noqa: F401
        from evaluation.shadow_judges.asking import tasks as asking  # noqa: F401
        from evaluation.shadow_judges.plan_model import register_shadow_judges

        register_shadow_judges()
        from evaluation.top_ups import tasks as top_ups  # noqa: F401
