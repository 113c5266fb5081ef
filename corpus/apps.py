from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "corpus"

    def ready(self) -> None:
        from corpus import importing, labelling  # noqa: F401  (register their jobs)
