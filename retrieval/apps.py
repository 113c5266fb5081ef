from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"

    def ready(self) -> None:
        from retrieval import tasks  # noqa: F401  (registers the jobs)
