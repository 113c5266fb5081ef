"""Publish a version of a collection and hand out its zip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from bundle.findings import Finding
from bundle.options import LabelSource, ReleaseOptions, Texts
from release.files import open_release, write_file
from release.gate.acceptance import Reasons, checked_reasons
from release.gate.checks import ACCEPTABLE, blocking_findings
from release.services import check_version, find_faults, publish_release
from release.snapshot.documents import count_documents
from release.snapshot.model_labels import check_models


class Command(ProjectCommand):
    # They load every page of the server, which takes longer than the release of a small collection.
    requires_system_checks: tuple[()] = ()
    help = (
        "Publish a version of a collection and write its zip into a folder. For a version that "
        "is published already, write the published zip again, whatever has changed since."
    )
    stage = "Release"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("version_name", metavar="version", help="Like 1.0 or v1.0.0.")
        parser.add_argument("--output", type=Path, metavar="DIR", help="Where to write the zip.")
        parser.add_argument(
            "--accept",
            action="append",
            default=[],
            metavar="CHECK=REASON",
            help=f"Publish against the findings of a check: {', '.join(ACCEPTABLE)}. The release "
            "states the reason. May be given several times.",
        )
        texts = parser.add_mutually_exclusive_group()
        texts.add_argument(
            "--docids-only",
            action="store_const",
            dest="texts",
            const=Texts.NONE,
            default=Texts.POOLED,
            help="Leave out all titles and abstracts.",
        )
        texts.add_argument(
            "--whole-corpus",
            action="store_const",
            dest="texts",
            const=Texts.CORPUS,
            help="Include all documents, not only the query papers and candidates.",
        )
        parser.add_argument(
            "--labels",
            choices=[source.value for source in LabelSource],
            default=LabelSource.JUDGED.value,
            help="What the labels are: the final labels, or what the query papers cite.",
        )

        parser.add_argument(
            "--model-labels",
            action="append",
            default=[],
            metavar="NAME",
            help="Include the labels of this shadow judge in a folder of their own. May be given "
            "several times.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        models = tuple(sorted(set(options["model_labels"])))
        choice = ReleaseOptions(options["texts"], LabelSource(options["labels"]), models)
        check_models(collection, choice)
        accept = checked_reasons(_reasons(options["accept"]), ACCEPTABLE)
        if options["dry_run"]:
            self._check(collection, accept, choice)
        else:
            self._release(collection, options["version_name"], accept, choice, options["output"])

    def _check(self, collection: Collection, accept: Reasons, options: ReleaseOptions) -> None:
        findings = find_faults(collection=collection, options=options)
        for finding in findings:
            self._say(finding, accepted=finding.check in accept)
        documents = count_documents(collection, options.texts)
        self.stdout.write(f"{'':<10}Documents in the release: {documents:,}")
        blocking = blocking_findings(findings, accept)
        if blocking:
            raise CommandError(
                f"Not ready to publish: {', '.join(finding.check for finding in blocking)}."
            )
        self.stdout.write("Ready to publish.")

    def _say(self, finding: Finding, *, accepted: bool) -> None:
        mark = "ok" if finding.ok else "accepted" if accepted and finding.can_accept else "STOPS"
        self.stdout.write(f"{mark:<9} {finding.check}: {finding.message}")
        for item in finding.items:
            self.stdout.write(f"{'':<12}{item}")
        if finding.count > len(finding.items):
            self.stdout.write(f"{'':<12}… and {finding.count - len(finding.items)} more")
        if not finding.ok:
            self.stdout.write(f"{'':<10}{finding.how_to_fix}")

    def _release(
        self,
        collection: Collection,
        version: str,
        accept: Reasons,
        options: ReleaseOptions,
        output: Path | None,
    ) -> None:
        if output is None:
            raise CommandError("--output DIR is missing: the folder to write the zip into.")
        check_version(version)
        release = collection.releases.filter(version=version).first()
        if release is None:
            release = publish_release(
                collection=collection, version=version, accept=accept, options=options
            )
        else:
            self.stderr.write(
                f"Version {version} is published already, on {release.published_at:%Y-%m-%d}: "
                "this is its zip. To publish the collection as it is now, give a new version."
            )
        with open_release(release) as file:
            path = output / f"{collection.slug}-{release.version}.zip"
            write_file(path, file)
        # Its checksum was compared when it was opened.
        self.stdout.write(f"{path}\nsha256 {release.sha256}")


def _reasons(accept: Sequence[str]) -> dict[str, str]:
    """`CHECK=REASON` as given, by check. An option without `=` has an empty reason."""
    return {check: reason for check, _, reason in (text.partition("=") for text in accept)}
