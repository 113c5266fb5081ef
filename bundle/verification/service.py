"""All checks of a release, one after the other. Pure."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bundle.layouts import CHECKED_LAYOUTS
from bundle.names import GUIDELINES, MANIFEST, QUERY_PAPERS, SPLITS
from bundle.options import LabelSource
from bundle.reading.manifest import WrongFormat
from bundle.reading.opened import NOT_OURS, BundleError, OpenedBundle, open_bundle
from bundle.verification import citations, counts, digests, judging, references, rounds, sums
from bundle.verification.data import ReleaseData
from bundle.verification.failures import CannotCheck, Failure
from web.words import count_noun

SHOWN = 20  # failures of a check
# Errors of comparing values that no release has, such as a list for the key of an object. The
# readers check what they expect, but a forged file can have any value.
ODD_VALUE = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError),
    *(OSError, EOFError, zipfile.BadZipFile),
)

OTHER_LABELS = {
    LabelSource.JUDGED: "the labels are judgments",
    LabelSource.CITATIONS: "the labels are citations, not judgments",
}
Find = Callable[[ReleaseData], Iterator[Failure]]


class Check(NamedTuple):
    """A check: its name, what it compares in words, and how it finds failures.

    With `source`, it is made only of a release whose labels are from there.
    """

    name: str
    compared: Callable[[ReleaseData], str]
    find: Find
    source: LabelSource | None = None


@dataclass(frozen=True)
class Outcome:
    """The result of a check. `skipped` is the reason why it was not made, or ""."""

    name: str
    compared: str
    failures: tuple[Failure, ...] = ()
    count: int = 0
    skipped: str = ""

    @property
    def ok(self) -> bool:
        return not self.count

    def lines(self) -> Iterator[str]:
        """For a terminal: one line, and one for each of the first failures."""
        if self.skipped:
            yield f"--      {self.name}: {self.skipped}"
            return
        if self.ok:
            yield f"ok      {self.name}: {self.compared}"
            return
        yield f"FAILED  {self.name}: {count_noun(self.count, 'failure')}; {self.compared}"
        for failure in self.failures:
            yield f"        {failure}"
        if self.count > len(self.failures):
            yield f"        … and {self.count - len(self.failures):,} more"


def _number_of_labels(data: ReleaseData) -> str:
    return count_noun(judging.count_labels(data), "label")


CHECKS = (
    Check(
        "files",
        lambda data: count_noun(len(data.bundle.names), "file"),
        lambda data: sums.wrong_files(data.bundle),
    ),
    Check(
        "sums",
        lambda data: count_noun(sum(map(data.bundle.size, data.bundle.names)), "byte"),
        lambda data: sums.wrong_sums(data.bundle),
    ),
    Check("formats", lambda _: "the files that are compared", references.unreadable_files),
    Check(
        "queries",
        lambda data: count_noun(len(data.queries), "query", "queries"),
        references.unknown_queries,
    ),
    Check(
        "documents",
        lambda data: count_noun(len(data.docnos), "document"),
        references.unknown_documents,
    ),
    Check("pools", lambda data: count_noun(len(data.pools), "pool"), references.wrong_pools),
    Check(
        "rounds",
        lambda data: count_noun(1 + len(data.manifest.rounds), "pool round"),
        rounds.wrong_rounds,
    ),
    Check(
        "runs",
        lambda data: count_noun(sum(bool(run.file) for run in data.manifest.runs), "run"),
        references.wrong_runs,
    ),
    Check(
        "guidelines",
        lambda _: f"{GUIDELINES} and {QUERY_PAPERS}",
        references.wrong_guidelines,
    ),
    Check(
        "ratings",
        lambda data: count_noun(judging.count_ratings(data), "judgment"),
        judging.wrong_ratings,
        LabelSource.JUDGED,
    ),
    Check(
        "digests",
        lambda data: count_noun(judging.count_ratings(data), "judgment"),
        digests.wrong_digests,
        LabelSource.JUDGED,
    ),
    Check(
        "adjudications",
        lambda data: count_noun(judging.count_decisions(data), "decision"),
        judging.wrong_decisions,
        LabelSource.JUDGED,
    ),
    Check("labels", _number_of_labels, judging.wrong_labels, LabelSource.JUDGED),
    Check("citations", _number_of_labels, citations.wrong_labels, LabelSource.CITATIONS),
    Check("folds", lambda _: SPLITS, references.wrong_folds),
    *(
        Check(layout.FOLDER.rstrip("/"), _number_of_labels, layout.check)
        for layout in CHECKED_LAYOUTS
    ),
    Check("counts", lambda _: MANIFEST, counts.wrong_counts),
)


def verify(path: Path) -> Iterator[Outcome]:
    """Make every check of the release at the path, a zip or an unpacked folder.

    Raises:
        BundleError: it is not a release, or has another format.
    """
    with open_bundle(path) as bundle:
        yield from verify_opened(bundle)


def verify_opened(bundle: OpenedBundle, checks: Sequence[Check] = CHECKS) -> Iterator[Outcome]:
    """Make the checks of an open release. Raises WrongFormat as `verify`."""
    noting = _Noting(bundle)
    data = ReleaseData(noting)
    try:
        _ = data.manifest
    except WrongFormat:
        raise
    except BundleError:
        pass  # a finding of the first check that reads it
    reported: set[str] = set()
    for check in checks:
        outcome = _outcome(check, data, noting, reported)
        reported.update(map(str, outcome.failures))
        yield outcome


class _Noting:
    """A release that knows which of its files was opened last."""

    def __init__(self, bundle: OpenedBundle) -> None:
        self._bundle = bundle
        self.last = ""

    @property
    def names(self) -> frozenset[str]:
        return self._bundle.names

    def size(self, name: str) -> int:
        return self._bundle.size(name)

    def open(self, name: str) -> BinaryIO:
        self.last = name
        return self._bundle.open(name)


def _outcome(check: Check, data: ReleaseData, bundle: _Noting, reported: set[str]) -> Outcome:
    try:
        if check.source and check.source is not (source := data.manifest.options.labels):
            return Outcome(check.name, "", skipped=OTHER_LABELS[source])
        found = check.find(data)
        first = tuple(islice(found, SHOWN))
        count = len(first) + sum(1 for _ in found)
        return Outcome(check.name, check.compared(data), first, count)
    except CannotCheck as error:
        return Outcome(check.name, "", skipped=str(error))
    except BundleError as error:
        failure = Failure(error.file, error.line, error.reason)
        if str(failure) in reported:
            return Outcome(check.name, "", skipped=f"{failure.file} cannot be used, see above")
        return Outcome(check.name, "stopped there", (failure,), 1)
    except ODD_VALUE as error:
        reason = f"has a value that no release has ({type(error).__name__}: {error}). {NOT_OURS}"
        return Outcome(check.name, "stopped there", (Failure(bundle.last, None, reason),), 1)
