"""Import the CSFCube release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from corpus.services import CorpusError
from csfcube import CSFCubeError
from csfcube.services import CSFCubeReport, import_csfcube
from jobs.context import DirectRun


class Command(BaseCommand):
    help = "Import a checkout of the CSFCube release with its pools, judgments and final labels."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="The checkout of the release.")
        parser.add_argument(
            "--collection",
            default="csfcube",
            help="Short name of the collection (default: csfcube).",
        )
        parser.add_argument("--admin", default="", help="Username of the collection's admin.")

    def handle(self, *args: Any, **options: Any) -> None:
        admin = self._admin(options["admin"])
        work = DirectRun()
        try:
            report = import_csfcube(
                folder=options["folder"], slug=options["collection"], admin=admin, work=work
            )
        except (CSFCubeError, CorpusError) as error:
            raise CommandError(str(error)) from error
        finally:
            work.complete({})  # clears the progress line, also after an error
        self.stdout.write(summary(report))

    def _admin(self, username: str) -> User | None:
        if not username:
            return None
        admin = User.objects.filter(username=username).first()
        if admin is None:
            raise CommandError(f"No user {username!r}. Create the account first.")
        return admin


def summary(report: CSFCubeReport) -> str:
    return (
        f"{report.collection}: {'unchanged' if report.unchanged else 'imported'}; "
        f"{report.documents} documents ({report.without_text} without text), "
        f"{report.query_papers} query papers, {report.queries} queries ({report.opened} judged), "
        f"{report.candidates} candidates ({report.excluded} excluded), {report.pairs} pairs, "
        f"{report.judgments} judgments ({report.missing} missing), {report.decisions} decisions; "
        f"folds {report.folds}."
    )
