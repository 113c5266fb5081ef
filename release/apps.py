from django.apps import AppConfig


class ReleaseConfig(AppConfig):
    name = "release"

    def ready(self) -> None:
        from evaluation.labels import register_labels, register_reader
        from release import tasks  # noqa: F401  (registers the job)
        from release.released_labels import citation_qrels, released_qrels

        register_reader("release", released_qrels)
        register_labels("citations", citation_qrels)
