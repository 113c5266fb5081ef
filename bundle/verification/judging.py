"""Checks that judgments are complete, and that labels follow from them. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from bundle.names import ADJUDICATIONS, QRELS, QUERY_PAPERS, RATINGS
from bundle.reading.csv_rows import read_adjudications
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure

NO_GRADE = "cannot judge"


def wrong_ratings(data: ReleaseData) -> Iterator[Failure]:
    """Pairs without two judgments, in slots 1 and 2, by two people; grades off the scale.

    Judgments under a later guideline than that of the query, too.
    """
    highest = data.manifest.highest_grade
    for query, pairs in data.ratings.items():
        latest = data.queries[query].guideline if query in data.queries else None
        for docno, pair in pairs.items():
            slots = sorted(judgment.slot for judgment in pair.judgments)
            people = [judgment.annotator for judgment in pair.judgments]
            if slots != [1, 2]:
                yield Failure(
                    RATINGS,
                    pair.line,
                    f"{query} {docno} must have one judgment in slot 1 and one in slot 2, got "
                    f"{', '.join(map(str, slots))}.",
                )
            elif people[0] == people[1]:
                reason = f"both judgments of {query} {docno} are by {people[0]}."
                yield Failure(RATINGS, pair.line, reason)
            for judgment in pair.judgments:
                if judgment.grade is not None and judgment.grade > highest:
                    yield Failure(
                        RATINGS,
                        pair.line,
                        f"the grade {judgment.grade} of {query} {docno} is not on the scale 0 to "
                        f"{highest}.",
                    )
                if latest is not None and judgment.guideline > latest:
                    yield Failure(
                        RATINGS,
                        pair.line,
                        f"a judgment of {query} {docno} was made under guideline "
                        f"{judgment.guideline}, but the query has {latest}.",
                    )


def wrong_decisions(data: ReleaseData) -> Iterator[Failure]:
    """Decisions without a dispute, on other grades, by a judge of the pair, or made twice."""
    yield from _wrong_referrals(data)
    seen: set[tuple[str, str]] = set()
    for line, row in read_adjudications(data.bundle):
        name = f"{row.query} {row.docno}"
        key = (data.once(row.query), data.once(row.docno))
        if key in seen:
            yield Failure(ADJUDICATIONS, line, f"{name} has a second decision.")
        seen.add(key)
        grades = data.grades_of(row.query, row.docno)
        if grades is None:
            yield Failure(ADJUDICATIONS, line, f"{name} has a decision, but not two judgments.")
            continue
        if data.is_agreed(row.query, row.docno, grades):
            yield Failure(
                ADJUDICATIONS,
                line,
                f"both judgments of {name} are {grades[0]}, so there is nothing to decide.",
            )
        if grades != (row.first, row.second):
            yield Failure(
                ADJUDICATIONS,
                line,
                f"the decision on {name} is about {_both(row.first, row.second)}, the judgments "
                f"are {_both(*grades)}.",
            )
        if row.grade is not None and row.grade > data.manifest.highest_grade:
            yield Failure(ADJUDICATIONS, line, f"the grade {row.grade} of {name} is off the scale.")
        if row.overruled != (row.grade is not None and row.grade not in (row.first, row.second)):
            yield Failure(ADJUDICATIONS, line, f'"overruled" of {name} is wrong.')
        judges = {one.annotator for one in data.ratings[row.query][row.docno].judgments}
        if row.adjudicator in judges:
            yield Failure(ADJUDICATIONS, line, f"{row.adjudicator} judged {name} and decided it.")


def _wrong_referrals(data: ReleaseData) -> Iterator[Failure]:
    """Pairs that were sent to the adjudicator without two judgments."""
    for query, docnos in sorted(data.referred.items()):
        for docno in sorted(docnos):
            if data.grades_of(query, docno) is None:
                reason = f"{query} {docno} is for the adjudicator, but has not two judgments."
                yield Failure(QUERY_PAPERS, None, reason)


def wrong_labels(data: ReleaseData) -> Iterator[Failure]:
    """Labels that do not follow from the judgments and decisions, and missing ones."""
    yield from data.repeated_labels
    for query, docnos in data.labels.items():
        for docno, label in docnos.items():
            grades = data.grades_of(query, docno)
            if grades is None:
                reason = f"{query} {docno} has the label {label}, but not two judgments."
                yield Failure(QRELS, None, reason)
                continue
            expected, why = _label_of(data, query, docno, *grades)
            if label != expected:
                yield Failure(
                    QRELS,
                    None,
                    f"{query} {docno} has the label {label}. {why}, so "
                    f"{'it has none' if expected is None else f'it is {expected}'}.",
                )
    for query, docno, grades in data.grades():
        expected, why = _label_of(data, query, docno, *grades)
        if expected is not None and docno not in data.labels.get(query, {}):
            reason = f"{query} {docno} has no label. {why}, so it is {expected}."
            yield Failure(QRELS, None, reason)


def _label_of(
    data: ReleaseData, query: str, docno: str, first: int | None, second: int | None
) -> tuple[int | None, str]:
    """The label that follows from the judgments, and why."""
    if data.is_agreed(query, docno, (first, second)):
        return first, f"Both judgments are {first}"
    decision = data.decisions.get(query, {}).get(docno)
    if decision is None:
        sent = " of a pair for the adjudicator" if first is not None and first == second else ""
        return None, f"The judgments{sent} are {_both(first, second)}, and no decision is released"
    if decision.grade is None:
        return None, "The decision sets the pair aside"
    return decision.grade, f"The decision is {decision.grade}"


def _both(first: int | None, second: int | None) -> str:
    return " and ".join(NO_GRADE if grade is None else str(grade) for grade in (first, second))


def count_ratings(data: ReleaseData) -> int:
    return sum(len(pair.judgments) for pairs in data.ratings.values() for pair in pairs.values())


def count_decisions(data: ReleaseData) -> int:
    return sum(map(len, data.decisions.values()))


def count_labels(data: ReleaseData) -> int:
    return sum(map(len, data.labels.values()))
