"""A study's report: its pairs read from the database, and its tables for pages and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import F, OuterRef, Subquery

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from agreement.coefficients import (
    ALL_IDENTICAL,
    COEFFICIENTS,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
)
from agreement.tables import ConfusionMatrix, Value, grade_matrix
from annotation.models import Judgment, Pair
from studies.models import Study, StudyRating
from studies.reading import facet_names, progress_of
from studies.results import Minutes, StudyComparison, StudyResult, TwiceRatedPair, study_result
from web.tables.csv_cells import csv_text

# CSFCube (Mysore et al., 2021), appendix B: the abstracts and the full texts of 45 pairs, rated by
# one expert. Its minutes are "about 5" a pair.
PAPER = {"spearman": 0.78, "alpha": 0.77, "kappa": 0.63, "percent": 73.0}
PAPER_PAIRS, PAPER_MINUTES = 45, 5
REASONS = {
    NO_PAIRS: "no pair has both grades",
    ONE_PAIR: "only one pair has both grades",
    CONSTANT_RATER: "one of the two gave every pair the same grade",
    ALL_IDENTICAL: "all grades are the same",
}
LABELS, OWN = "final labels", "the rater’s own grades"


class ReportLine(NamedTuple):
    """A line of the table: the full-text grades compared with another set of grades."""

    compared: str
    facet: str
    pairs: int
    left_out: int
    values: list[Value]
    minutes: Minutes | None


@dataclass(frozen=True)
class StudyReport:
    """The report of a study. `result` is None before it may be seen."""

    study: Study
    total: int
    rated: int
    result: StudyResult | None
    pairs: list[TwiceRatedPair]
    names: Mapping[str, str]

    @property
    def lines(self) -> list[ReportLine]:
        """First the final labels, of all pairs and of each facet; then the rater's own grades."""
        return [*self._lines(LABELS), *(self._lines(OWN) if self.has_own else [])]

    def _lines(self, compared: str) -> Iterator[ReportLine]:
        for group in self.result.groups if self.result else ():
            comparison = group.labels if compared == LABELS else group.own
            yield ReportLine(
                compared=compared,
                facet="all pairs" if group.facet is None else self.names[group.facet],
                pairs=comparison.pairs,
                left_out=comparison.left_out,
                values=_values(comparison),
                minutes=group.minutes if compared == LABELS else None,
            )

    @property
    def has_own(self) -> bool:
        """True if the rater judged some of the pairs from their abstracts."""
        return any(pair.own is not None for pair in self.pairs)

    @property
    def undefined(self) -> list[str]:
        """Each coefficient without a value, with the reason."""
        return [
            f"{value.coefficient.symbol} with {line.compared}, {line.facet}: {value.reason}"
            for line in self.lines
            for value in line.values
            if value.value is None
        ]

    @property
    def matrix(self) -> ConfusionMatrix:
        assert self.result is not None
        return grade_matrix(
            "final label", "full-text grade", self.result.confusion, len(self.pairs)
        )


def _values(comparison: StudyComparison) -> list[Value]:
    return [
        Value(coefficient, result.value, REASONS.get(result.undefined or "", ""))
        for coefficient in COEFFICIENTS
        for result in (comparison.results[coefficient.key],)
    ]


def paper_values() -> list[Value]:
    return [Value(coefficient, PAPER.get(coefficient.key), "") for coefficient in COEFFICIENTS]


def report_of(study: Study) -> StudyReport:
    """The report. It has a result once every pair is rated, or the study has ended.

    Before that, coefficients of a few pairs would tell an admin how the rater answers while he or
    she can still be talked to.
    """
    progress = progress_of([study])[study.pk]
    names = facet_names(study.collection)
    is_complete = progress.remaining == 0 or study.ended_at is not None
    pairs = list(rated_pairs(study, names)) if is_complete else []
    return StudyReport(
        study=study,
        total=progress.total,
        rated=progress.rated,
        result=study_result(pairs, list(study.collection.grades)) if is_complete else None,
        pairs=pairs,
        names=names,
    )


def rated_pairs(study: Study, names: Mapping[str, str]) -> Iterator[TwiceRatedPair]:
    """The pairs of the study with their labels of now, by facet, query and docno."""
    collection: Collection = study.collection
    ratings: dict[int, list[StudyRating]] = {}
    for rating in StudyRating.objects.filter(study_pair__study=study).order_by("sequence"):
        ratings.setdefault(rating.study_pair_id, []).append(rating)
    labels = {
        (pair.query, pair.docno): pair.final
        for pair in labelled_pairs(collection, Pair.objects.filter(study_pairs__study=study))
    }
    # The rater's grade of the abstract before the study, not a later revision.
    own = Judgment.objects.filter(
        slot__pair=OuterRef("pair"), annotator=study.rater, created_at__lt=study.created_at
    ).order_by("-sequence")
    rows = study.pairs.annotate(
        own=Subquery(own.values("grade")[:1]),
        query=F("pair__query__name"),
        facet=F("pair__query__facet__key"),
        docno=F("pair__candidate__document__docno"),
    ).values_list("pk", "label", "own", "query", "facet", "docno")
    places = {key: place for place, key in enumerate(names)}
    for pk, label, own_grade, query, facet, docno in sorted(
        rows, key=lambda row: (places[row[4]], row[3], row[5])
    ):
        given = ratings.get(pk, [])
        times = [rating.seconds for rating in given]
        yield TwiceRatedPair(
            query=query,
            facet=facet,
            docno=docno,
            chosen_label=label,
            label=labels[query, docno],
            own=own_grade,
            rated=bool(given),
            grade=given[-1].grade if given else None,
            reason=given[-1].reason if given else "",
            seconds=_sum(times),
        )


def _sum(times: list[float | None]) -> float | None:
    measured = [time for time in times if time is not None]
    return sum(measured) if measured and len(measured) == len(times) else None


CSV_COLUMNS = (
    *("query", "facet", "docno", "label_when_chosen", "final_label"),
    *("own_abstract_grade", "full_text_grade", "reason", "seconds"),
)


def as_csv(report: StudyReport) -> str:
    """The report as CSV, with a line for each pair."""
    rows = (
        (
            *(pair.query, pair.facet, pair.docno, pair.chosen_label, pair.label),
            *(pair.own, pair.grade, pair.reason, pair.seconds),
        )
        for pair in report.pairs
    )
    return csv_text(CSV_COLUMNS, *rows)


def as_text(report: StudyReport) -> Iterator[str]:
    """The report as lines to read in a terminal."""
    study = report.study
    rated = f"{report.rated} of {report.total} pairs rated"
    yield f"Full-text study {study.name} of {study.collection}: {rated}"
    for reason, number in study.left_out.items():
        yield f"  {number} pairs left out: {reason}"
    if report.result is None:
        yield "The agreement is shown once every pair is rated, or the study has ended."
        return
    yield ""
    columns = [coefficient.key for coefficient in COEFFICIENTS]
    yield _line("full texts compared with", "", "pairs", "missing", *columns, "minutes")
    for line in report.lines:
        values = ["undefined" if v.value is None else f"{v.value:.4f}" for v in line.values]
        minutes = line.minutes.median if line.minutes else None
        shown = "" if minutes is None else f"{minutes:.1f}"
        yield _line(line.compared, line.facet, line.pairs, line.left_out, *values, shown)
    paper = ["" if v.value is None else f"{v.value:.2f}" for v in paper_values()]
    yield _line("CSFCube, appendix B", "all pairs", PAPER_PAIRS, "", *paper, f"~{PAPER_MINUTES}")
    for undefined in report.undefined:
        yield f"    undefined: {undefined}"


def _line(compared: str, facet: str, *cells: object) -> str:
    return f"{compared:<26} {facet:<12}" + "".join(f"{cell:>10}" for cell in cells)
