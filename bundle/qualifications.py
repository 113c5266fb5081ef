"""The sentences of a release about who was let to judge and to adjudicate. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from bundle.records import QualifiedPeople, ReleasedQualifications
from web.words import count_noun


def qualification_paragraph(qualifications: ReleasedQualifications) -> Iterator[str]:
    """Lines of the README, after those on the proofs; none without a rule."""
    sentences = []
    if qualifications.judges:
        threshold, people = qualifications.judges
        sentences.append(
            "The collection asks annotators to qualify before they judge: in a training set whose "
            f"grades are known, Spearman's rho must be at least {threshold:g}. Of the annotators "
            f"who judged, {_counts(people)}."
        )
    if qualifications.seniors:
        threshold, people = qualifications.seniors
        sentences.append(
            "Juniors judge and seniors adjudicate. A senior has a rho of at least "
            f"{threshold:g}, in a training set or of live judgments against final labels. Of the "
            f"adjudicators who decided, {_counts(people)}."
        )
        if qualifications.senior_seats:
            number = count_noun(qualifications.senior_seats, "seat")
            sentences.append(f"Seniors judge in {number}, each for a reason that is kept.")
    if sentences:
        yield fill(" ".join(sentences), 100)
        yield ""


def _counts(people: QualifiedPeople) -> str:
    """As "3 reached it, 1 was an exception that an admin made, and 0 had no qualification …"."""
    excepted = "was an exception" if people.excepted == 1 else "were exceptions"
    return (
        f"{people.measured} reached it, {people.excepted} {excepted} that an admin made, and "
        f"{people.others} had no qualification at the time of this release"
    )
