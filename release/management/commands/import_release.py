"""Make a collection from a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import User
from jobs.context import DirectRun
from release.importing.context import ReleaseImportReport
from release.importing.service import import_release
from web.words import count_noun


class Command(ProjectCommand):
    help = (
        "Make the collection of a release again: its documents, queries, pools, judgments and "
        "decisions. People become accounts that cannot log in."
    )
    stage = "Overview"
    makes_collection = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="The zip of a release, or its unpacked folder.")
        parser.add_argument(
            "--admin", default="", help="Username of the collection's admin, who must exist."
        )
        parser.add_argument(
            "--documents",
            type=Path,
            help="For a release without texts: a file with its documents, in any format of "
            "import_documents.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        work = DirectRun()
        try:
            report = import_release(
                path=options["file"],
                slug=options["collection"],
                admin=_admin(options["admin"]),
                texts=options["documents"],
                work=work,
            )
        finally:
            work.complete({})  # clears the progress line, also after an error
        self.stdout.write(summary(report))


def _admin(username: str) -> User | None:
    if not username:
        return None
    admin = User.objects.filter(username=username, is_active=True).first()
    if admin is None:
        raise CommandError(f"No user {username!r} who can log in. Create the account first.")
    return admin


def summary(report: ReleaseImportReport) -> str:
    lines = [
        f"{report.collection}: imported from version {report.version}; "
        f"{count_noun(report.documents, 'document')}, "
        f"{count_noun(report.queries, 'query', 'queries')} ({report.opened:,} open), "
        f"{count_noun(report.pools, 'pool')} with "
        f"{count_noun(report.candidates, 'candidate')}, {count_noun(report.runs, 'run')}, "
        f"{count_noun(report.pairs, 'pair')}, {count_noun(report.judgments, 'judgment')}, "
        f"{count_noun(report.decisions, 'decision')} of "
        f"{count_noun(report.people, 'person', 'people')}."
    ]
    if report.rounds:
        lines.append(
            f"{count_noun(report.rounds, 'pool round')} after the first, with their lists."
        )
    if report.runs_left_out:
        lines.append(
            f"{count_noun(report.runs_left_out, 'run')} of the manifest left out: no pool was "
            "drawn from them, so the release does not have their lists."
        )
    if report.label_samples_left_out:
        lines.append(
            f"{count_noun(report.label_samples_left_out, 'judged sample')} of the labels left out: "
            "it was judged in another collection. label_errors/ of the release has it."
        )
    if report.changed_texts:
        lines.append(
            f"{count_noun(report.changed_texts, 'judged pair')} with another text than the judged "
            'one. The check "changed-texts" of a release lists them.'
        )
    return "\n".join(lines)
