"""A person's measured skill: the rho of training, or of live judgments against final labels."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from django.db import transaction

from accounts.locking import lock_collection
from accounts.models import Collection, User
from adjudication.labels import pairs_with_judges
from adjudication.models import Decision
from agreement.coefficients import CrossTable, spearman_of
from annotation.models import Basis, Level, Pair, Qualification, SlotCount
from annotation.qualifications.services import QualificationStands, record_measured
from annotation.qualifications.standing import standing_qualification
from annotation.services import JudgingConflict
from practice.training.results import results_of
from practice.training.services import FEWEST_FOR_SENIORS
from web.words import count_noun


class NotSkilled(JudgingConflict):
    """The measured skill is below the threshold, or cannot be measured yet."""


class Skill(NamedTuple):
    """A rho over that many pairs, and what it was measured on. `rho` is None if undefined."""

    basis: Basis
    pairs: int
    rho: float | None

    @property
    def is_measured(self) -> bool:
        return self.rho is not None and self.pairs >= FEWEST_FOR_SENIORS


def measured_skill(collection: Collection, person: User) -> Skill:
    """The latest training result, if it is of enough pairs; else the live judgments."""
    latest = results_of(collection).filter(member__annotator=person).first()
    if latest is not None and not latest.is_left_incomplete:
        training = Skill(Basis.TRAINING, latest.graded, latest.rho)
        if training.is_measured:
            return training
    return live_skill(collection, person)


def live_skill(collection: Collection, person: User) -> Skill:
    """The person's judgments against the final labels, agreed and decided ones.

    Pairs that the person decided are left out. Where both judges agree, the label is the person's
    own grade, so this rho is higher than one of training would be.
    """
    queries = SlotCount.objects.filter(
        annotator=person, query__collection=collection, judged__gt=0
    ).values("query")
    decided = Decision.objects.filter(adjudicator=person, pair__query__collection=collection)
    own_pairs = Pair.objects.filter(query__in=queries, slots__annotator=person)
    pairs = own_pairs.exclude(pk__in=decided.values("pair"))
    cells: Counter[tuple[int | None, int | None]] = Counter()
    for pair, first_judge, *_ in pairs_with_judges(collection, pairs):
        own = pair.first if first_judge == person.pk else pair.second
        cells[own, pair.final] += 1
    table = CrossTable(cells.items())
    return Skill(Basis.JUDGMENTS, table.pairs, spearman_of(table).value)


def qualify_as_senior(
    *, collection: Collection, person: User, given_by: User | None
) -> Qualification:
    """Measure the person's skill, and qualify him or her as a senior if it suffices.

    Raises:
        NotSkilled: it is below the threshold, of too few pairs or undefined, or none is asked for.
        QualificationStands: the person is a senior already.
        CollectionArchived
    """
    with transaction.atomic():
        collection = lock_collection(collection)
        if collection.senior_rho is None:
            raise NotSkilled(
                f"{collection} has no tiers. Enter the least Spearman ρ to adjudicate in its "
                "settings first."
            )
        if standing_qualification(collection, person, Level.SENIOR) is not None:
            raise QualificationStands(
                f"{person.shown_name} is qualified already as a senior, so nothing changed."
            )
        skill = measured_skill(collection, person)
        if not skill.is_measured or skill.rho is None:
            raise NotSkilled(
                f"{person.shown_name} has {count_noun(skill.pairs, 'pair')} with a final label "
                f"that can be compared{'' if skill.rho is not None else ', and ρ is undefined'}. "
                f"At least {FEWEST_FOR_SENIORS} are needed, in training or in live judgments."
            )
        if skill.rho < collection.senior_rho:
            source = "training" if skill.basis == Basis.TRAINING else "live judgments"
            raise NotSkilled(
                f"{person.shown_name} reaches ρ = {skill.rho:.2f} on {skill.pairs} pairs of "
                f"{source}, and {collection.senior_rho:g} is needed."
            )
        return record_measured(
            collection=collection,
            person=person,
            level=Level.SENIOR,
            basis=skill.basis,
            rho=skill.rho,
            pairs=skill.pairs,
            given_by=given_by,
        )
