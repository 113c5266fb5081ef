"""The invariants of judging after every step of any history, with real threads.

A step is one to three actions that begin together. What the rules refuse is refused with a reason;
no other error may occur.
"""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from adjudication.models import BlindRating, Case, Decision
from adjudication.standing import Standing
from annotation.models import Judgment, Opening, Pair, PairQuestion, Repeat, RepeatJudgment, Slot
from annotation.services import presentation_of
from annotation.team import waiting_pairs
from dashboard.settings.archiving import archive_collection, begin_deletion
from dashboard.settings.deletion import delete_collection
from dashboard.settings.export import export_collection
from jobs.context import DirectRun
from pooling.models import Candidate, PoolRound
from pooling.rounds.manifest import round_manifest_file
from rebuilding.rounds import prove_round
from release.services import find_faults
from tests.support.counting import kept_counts, recounted
from tests.support.judging_actions import ANNOTATORS, ANY_ACTION, Action, a_world, act
from tests.support.pool_counts import check_pool_counts
from tests.support.running import at_once
from web.errors import UserFacingError

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

NUMBERS = count(1)
FEW = settings(
    max_examples=3,  # other ones in each run and on each database
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
KEPT = ("pk", "slot", "sequence", "annotator", "grade", "reason", "note", "key", "round")


class JudgingMachine(RuleBasedStateMachine):
    collection: Collection | None = None

    @initialize()
    def begin(self) -> None:
        self.collection = a_world(f"machine{next(NUMBERS)}")
        self.judgments: set[tuple] = set()
        self.decisions: set[tuple] = set()
        self.ratings: set[tuple] = set()
        self.candidates: set[tuple] = set()
        self.rounds: set[str] = set()

    @rule(actions=st.lists(ANY_ACTION, min_size=1, max_size=3))
    def act_together(self, actions: list[Action]) -> None:
        outcomes = at_once([lambda one=one: self._refused(one) for one in actions])
        assert not [error for error in outcomes if isinstance(error, Exception)], outcomes

    def _refused(self, action: Action) -> None:
        try:
            act(self.collection, action)
        except (UserFacingError, Case.DoesNotExist):
            return

    @precondition(lambda self: self.collection)
    @invariant()
    def two_slots_of_two_people_and_nobody_judges_twice(self) -> None:
        slots = Slot.objects.of(self.collection)
        holders = list(slots.order_by("pair", "number").values_list("pair", "number", "annotator"))
        pairs = Pair.objects.of(self.collection).count()
        assert len(holders) == 2 * pairs
        assert len({(pair, person) for pair, _, person in holders}) == 2 * pairs
        judged = Judgment.objects.filter(slot__in=slots)
        places = set(judged.values_list("slot__pair", "annotator", "slot"))
        assert len({place[:2] for place in places}) == len(places)

    @precondition(lambda self: self.collection)
    @invariant()
    def judgments_and_decisions_are_only_appended(self) -> None:
        slots = Slot.objects.of(self.collection)
        judgments = set(Judgment.objects.filter(slot__in=slots).values_list(*KEPT))
        made = Decision.objects.filter(pair__query__collection=self.collection)
        decisions = set(made.values_list())
        of_collection = {"pair__query__collection": self.collection}
        ratings = set(BlindRating.objects.filter(**of_collection).values_list())
        assert self.ratings <= ratings
        self.ratings = ratings
        assert self.judgments <= judgments
        assert self.decisions <= decisions
        self.judgments, self.decisions = judgments, decisions
        for slot in slots.prefetch_related("judgments"):
            numbers = [judgment.sequence for judgment in slot.judgments.all()]
            assert sorted(numbers) == list(range(1, len(numbers) + 1))
            if slot.judgment_id:
                latest = max(slot.judgments.all(), key=lambda each: each.sequence)
                assert slot.judgment_id == latest.pk

    @precondition(lambda self: self.collection)
    @invariant()
    def a_missing_grade_has_a_reason(self) -> None:
        for row in self.judgments:
            grade, reason = row[KEPT.index("grade")], row[KEPT.index("reason")]
            assert (grade is None) == bool(reason)

    @precondition(lambda self: self.collection)
    @invariant()
    def a_pair_with_one_judgment_shows_none(self) -> None:
        unjudged = {
            (pair.query.name, pair.candidate.document.docno)
            for pair in Pair.objects.of(self.collection).select_related(
                "query", "candidate__document"
            )
            if pair.slots.filter(judgment=None).exists()
        }
        for pair in labelled_pairs(self.collection):
            is_unjudged = (pair.query, pair.docno) in unjudged
            assert is_unjudged == (pair.standing is Standing.UNJUDGED)
            if is_unjudged:
                assert (pair.first, pair.second, pair.final) == (None, None, None)

    @precondition(lambda self: self.collection)
    @invariant()
    def no_judge_of_a_pair_decides_or_checks_it(self) -> None:
        for model in (Decision, BlindRating):
            for answer in model.objects.filter(pair__query__collection=self.collection):
                judges = Judgment.objects.filter(slot__pair=answer.pair_id)
                assert not judges.filter(annotator=answer.adjudicator_id).exists()

    @precondition(lambda self: self.collection)
    @invariant()
    def a_spot_check_has_two_equal_grades_and_changes_no_label(self) -> None:
        of_collection = {"pair__query__collection": self.collection, "is_spot_check": True}
        for rating in BlindRating.objects.filter(**of_collection).select_related("first", "second"):
            assert rating.first.grade == rating.second.grade is not None
        for pair in labelled_pairs(self.collection):
            if pair.standing is Standing.AGREED:
                assert pair.final == pair.first == pair.second

    @precondition(lambda self: self.collection)
    @invariant()
    def no_case_is_due_while_its_judges_are_asked(self) -> None:
        open_questions = PairQuestion.objects.of(self.collection).open()
        assert not Case.objects.due().filter(pk__in=open_questions.values("pair")).exists()
        undecided = Case.objects.undecided().filter(query__collection=self.collection)
        assert undecided.filter(waits=True).count() <= open_questions.count()

    @precondition(lambda self: self.collection)
    @invariant()
    def every_judgment_is_of_the_text_that_its_pair_shows(self) -> None:
        for judgment in Judgment.objects.filter(
            slot__pair__query__collection=self.collection
        ).select_related("slot__pair__query__facet", "slot__pair__candidate__document"):
            shown = presentation_of(judgment.slot.pair, judgment.guideline_version)
            assert judgment.presentation_digest == shown.digest

    @precondition(lambda self: self.collection)
    @invariant()
    def a_repeat_is_of_its_judge_and_compared_with_the_same_pair(self) -> None:
        for repeat in Repeat.objects.of(self.collection).unjudged().select_related("slot"):
            if repeat.pool_round == 1:
                assert repeat.slot.annotator_id == repeat.annotator_id
            elif repeat.slot.annotator_id != repeat.annotator_id:
                judged = Judgment.objects.filter(slot__pair=repeat.slot.pair_id)
                assert not judged.filter(annotator=repeat.annotator_id).exists()
            assert repeat.round == repeat.query.opening.round
        answers = RepeatJudgment.objects.filter(repeat__query__collection=self.collection)
        for answer in answers.select_related("repeat", "compared"):
            assert answer.annotator_id == answer.repeat.annotator_id
            if answer.compared:
                assert answer.compared.slot_id == answer.repeat.slot_id
                if answer.repeat.pool_round == 1:
                    assert answer.compared.annotator_id == answer.annotator_id
                assert answer.compared.round == answer.round

    @precondition(lambda self: self.collection)
    @invariant()
    def a_round_only_adds_and_the_earlier_ones_stay(self) -> None:
        of_collection = {"pool__query_paper__collection": self.collection}
        columns = ("pk", "pool", "document", "position", "excluded", "inclusion", "round")
        candidates = set(Candidate.objects.filter(**of_collection).values_list(*columns))
        manifests = {each.manifest["sha256"] for each in self.collection.pool_rounds.all()}
        assert self.candidates <= candidates
        assert self.rounds <= manifests
        # What came since is of the rounds since.
        new_rounds = {row[-1] for row in candidates - self.candidates}
        assert not self.candidates or len(new_rounds) <= len(manifests - self.rounds)
        assert not self.collection.pool_rounds.filter(frozen_at=None).exists()
        self.candidates, self.rounds = candidates, manifests
        check_pool_counts(self.collection)

    @precondition(lambda self: self.collection)
    @invariant()
    def every_candidate_has_its_pair_or_waits(self) -> None:
        for opening in Opening.objects.of(self.collection).select_related("query__query_paper"):
            pool = opening.query.query_paper.pool
            paired = set(opening.query.pairs.values_list("candidate", flat=True))
            missing = [row for row in pool.candidates.to_judge() if row.pk not in paired]
            assert all(row.round > 1 for row in missing)
            assert waiting_pairs(self.collection).get(opening.query.name, 0) == len(missing)

    @precondition(lambda self: self.collection)
    @invariant()
    def kept_counts_equal_a_recount(self) -> None:
        assert kept_counts() == recounted()

    def teardown(self) -> None:
        """At the end, prove every round, ask the gate, and delete the collection."""
        if self.collection is None:
            return
        people = User.objects.filter(username__in=ANNOTATORS)
        people.update(is_active=True)
        for pool_round in self.collection.pool_rounds.all():
            manifest = round_manifest_file(pool_round)
            prove_round(collection=self.collection, manifest=manifest, work=DirectRun())
        find_faults(collection=self.collection)
        archive_collection(collection=self.collection)
        archived = Collection.objects.get(pk=self.collection.pk)
        for _ in export_collection(archived):
            pass
        begin_deletion(collection=archived, name=archived.slug)
        delete_collection(collection=archived)
        assert not Candidate.objects.filter(document__collection=archived.pk).exists()
        assert not PoolRound.objects.filter(collection=archived.pk).exists()


def test_the_invariants_of_judging_hold_after_every_step_of_any_history():
    run_state_machine_as_test(JudgingMachine, settings=FEW)
