"""All checks of a release, one after the other. Pure."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bundle.names import GUIDELINES, QUERY_PAPERS, SPLITS
from bundle.reading.opened import NOT_OURS, BundleError, OpenedBundle, open_bundle
from bundle.reading.rows import WrongFormat
from bundle.verification import citations, copies, counts, judging, references, sums
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from web.words import count_noun

SHOWN = 20  # failures of a check
# Errors of comparing values that no release has, such as a list for the key of an object. The
# readers check what they expect, but a forged file can have any value.
ODD_VALUE = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError),
    *(OSError, EOFError, zipfile.BadZipFile),
)

Find = Callable[[ReleaseData], Iterator[Failure]]


def _always(data: ReleaseData) -> str:
    """The reason why a check that every release gets is not made."""
    return ""


class Check(NamedTuple):
    """A check: its name, what it compares in words, and how it finds failures.

    `why_not` gives the reason why it is not made, or "".
    """

    name: str
    compared: Callable[[ReleaseData], str]
    find: Find
    why_not: Callable[[ReleaseData], str] = _always


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


def _unless_judged(data: ReleaseData) -> str:
    return "" if data.manifest.is_judged else "the labels are citations, not judgments"


def _if_judged(data: ReleaseData) -> str:
    return "the labels are judgments" if data.manifest.is_judged else ""


def _without(start: str) -> Callable[[ReleaseData], str]:
    def why_not(data: ReleaseData) -> str:
        has = any(name.startswith(start) for name in data.bundle.names)
        return "" if has else f"the release has no {start}"

    return why_not


def _without_parquet(data: ReleaseData) -> str:
    if missing := _without("hf/")(data):
        return missing
    return "" if copies.has_pyarrow() else "needs pyarrow, which is not installed"


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
        _unless_judged,
    ),
    Check(
        "adjudications",
        lambda data: count_noun(judging.count_decisions(data), "decision"),
        judging.wrong_decisions,
        _unless_judged,
    ),
    Check("labels", _number_of_labels, judging.wrong_labels, _unless_judged),
    Check("citations", _number_of_labels, citations.wrong_labels, _if_judged),
    Check("folds", lambda _: SPLITS, references.wrong_folds),
    Check("trec", _number_of_labels, copies.wrong_trec_files),
    Check("beir", _number_of_labels, copies.wrong_beir_files, _without("beir/")),
    Check("hf", _number_of_labels, copies.wrong_parquet_files, _without_parquet),
    Check("csfcube", _number_of_labels, copies.wrong_csfcube_files, _without("csfcube/")),
    Check("counts", lambda _: "manifest.json", counts.wrong_counts),
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
        if reason := check.why_not(data):
            return Outcome(check.name, "", skipped=reason)
        found = check.find(data)
        first = tuple(islice(found, SHOWN))
        count = len(first) + sum(1 for _ in found)
        return Outcome(check.name, check.compared(data), first, count)
    except BundleError as error:
        failure = Failure(error.file, error.line, error.reason)
        if str(failure) in reported:
            return Outcome(check.name, "", skipped=f"{failure.file} cannot be used, see above")
        return Outcome(check.name, "stopped there", (failure,), 1)
    except ODD_VALUE as error:
        reason = f"has a value that no release has ({type(error).__name__}: {error}). {NOT_OURS}"
        return Outcome(check.name, "stopped there", (Failure(bundle.last, None, reason),), 1)
