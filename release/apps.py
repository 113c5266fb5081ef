from django.apps import AppConfig


class ReleaseConfig(AppConfig):
    name = "release"

    def ready(self) -> None:
        from evaluation.labels import register_labels, register_reader
        from release import tasks  # noqa: F401  (registers the job)
        from release.released_labels import CITATIONS, released_labels

        register_reader("release", released_labels)
        register_labels("citations", CITATIONS)
