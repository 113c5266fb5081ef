from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation import baselines, model_judges, scores, trust  # noqa: F401  (they register their jobs)
