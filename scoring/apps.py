from django.apps import AppConfig


class ScoringConfig(AppConfig):
    name = "scoring"

    def ready(self) -> None:
        from scoring import tasks  # noqa: F401  (registers the jobs)
        from scoring.baselines import tasks as baseline_tasks  # noqa: F401
