from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"

    def ready(self) -> None:
        from retrieval import building, given_vectors  # noqa: F401  (register their jobs)
