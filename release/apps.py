from django.apps import AppConfig


class ReleaseConfig(AppConfig):
    name = "release"

    def ready(self) -> None:
        from release import personal_rows, tasks  # noqa: F401  (they register)
        from release.label_samples import tasks as label_samples  # noqa: F401
        from release.proofs import display  # noqa: F401  (registers a report)
        from release.proofs.blindness import report  # noqa: F401
        from release.versions.released_labels import CITATIONS, released_labels
        from scoring.labels import register_labels, register_reader

        register_reader("release", released_labels)
        register_labels("citations", CITATIONS)
