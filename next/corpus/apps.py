from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"

    def ready(self) -> None:
        from corpus import importing  # noqa: F401  (registers its job)
