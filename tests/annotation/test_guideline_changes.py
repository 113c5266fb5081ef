"""Another version of a guideline for open queries: read first, recorded, and a round of its own."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import Role, User
from adjudication.errors import JudgedByYou
from adjudication.labels import labelled_pairs
from adjudication.models import Case
from adjudication.services import Ruling
from annotation.guidelines import changes
from annotation.guidelines.changes import (
    BadGuidelineChange,
    CannotApply,
    apply_as_requested,
    apply_guideline,
)
from annotation.guidelines.readings import must_read, record_reading, unread_guidelines
from annotation.models import GuidelineChange, Judgment, Pair, Slot
from annotation.services import (
    UnreadGuideline,
    WrongPresentation,
    presentation_of,
    reassign_seat,
    write_guideline,
)
from annotation.stale_presentations import pairs_shown_otherwise
from jobs.context import DirectRun
from tests.support.counting import kept_counts, recounted
from tests.support.factories import a_collection, an_open_query, member
from tests.support.sittings import (
    decide_case,
    digest_of,
    judge,
    judge_both,
    refer,
    settle,
    slots_of,
)
from tests.support.visits import client_of
from tests.support.worlds import once_a_file


@once_a_file
def opening():
    opening = an_open_query(a_collection(), size=3)
    judge_both(opening, (1, 1), (0, 2))
    judge(slots_of(opening, "ann1")[2], 3)
    return opening


@pytest.fixture
def second(opening):
    first = opening.guideline
    return write_guideline(facet=first.facet, instructions="Anew.", grades=first.grades)


def apply(opening, guideline, *, judge_again=False, **changes):
    values = {"queries": [opening.query.name], "reason": "Clearer.", "made_by": None} | changes
    job = apply_guideline(
        collection=opening.query.collection,
        guideline=guideline,
        judge_again=judge_again,
        **values,
    )
    opening.refresh_from_db()
    return job


def unjudged(opening, username="ann2"):
    return next(slot for slot in slots_of(opening, username) if slot.judgment is None)


def read_by_all(guideline, opening):
    for seat in opening.seats.all():
        record_reading(guideline, seat.annotator)


def final_labels(opening):
    pairs = labelled_pairs(opening.query.collection, Pair.objects.all())
    return [pair.final for pair in pairs]


def shown(page) -> str:
    return " ".join(page.text.split())


def test_judgments_stay_under_the_version_that_they_were_made_under(opening, second):
    before = list(Judgment.objects.order_by("pk").values())

    apply(opening, second)
    read_by_all(second, opening)
    last = judge(unjudged(opening), 2)

    assert (opening.guideline, opening.round, last.guideline_version) == (second, 1, 2)
    assert list(Judgment.objects.order_by("pk").values())[:-1] == before
    assert {row["guideline_version"] for row in before} == {1}
    assert not list(pairs_shown_otherwise(opening.query.collection))
    assert not Pair.objects.filter(text_changed=True).exists()
    assert kept_counts() == recounted()


def test_the_pairs_show_the_new_version_and_a_page_from_before_cannot_judge(opening, second):
    slot = unjudged(opening)
    before = digest_of(slot)

    apply(opening, second)
    read_by_all(second, opening)

    for pair in Pair.objects.select_related("query__facet", "candidate__document"):
        assert pair.presentation_digest == presentation_of(pair, 2).digest
    with pytest.raises(WrongPresentation):
        judge(slot, 2, presentation_digest=before)


def test_a_judge_reads_the_new_version_before_going_on(opening, second):
    apply(opening, second)
    slot = unjudged(opening)

    with pytest.raises(UnreadGuideline, match="Version 2 of the guideline is new to you"):
        judge(slot, 2)
    for _ in range(2):
        record_reading(second, slot.annotator)

    assert judge(unjudged(opening), 2).guideline_version == 2


def test_unread_are_the_later_versions_of_ones_own_unfinished_queries(opening, second):
    collection = opening.query.collection
    ann1, ann2 = (User.objects.get(username=name) for name in ("ann1", "ann2"))

    def unread(person, where=collection):
        return list(unread_guidelines(where, person))

    an_open_query(collection, facet="result")  # under its first version
    assert unread(ann2) == []
    apply(opening, second)
    assert (unread(ann1), unread(ann2)) == ([], [second])  # ann1 has judged all pairs
    assert must_read(second, ann1)
    assert must_read(second, ann2)
    assert unread(ann2, a_collection("elsewhere")) == []

    third = member(collection, Role.ANNOTATOR, "ann3")
    assert unread(third) == []
    record_reading(second, third)
    assert must_read(second, ann2)
    record_reading(second, ann2)
    assert not must_read(second, ann2)
    assert unread(ann2) == []


def test_a_first_version_needs_no_reading(opening):
    assert judge(unjudged(opening), 2).guideline_version == 1


def test_a_new_round_empties_every_slot_and_keeps_every_judgment(opening, second):
    agreed, disputed, _ = slots_of(opening, "ann1")
    settle(disputed, User.objects.get(username="adju"), 2)
    refer(agreed.pair, "adjudicator")
    before = list(Judgment.objects.order_by("pk").values())

    apply(opening, second, judge_again=True)

    assert opening.round == 2
    assert not Slot.objects.judged().exists()
    assert list(Judgment.objects.order_by("pk").values()) == before
    assert not Case.objects.cases().exists()
    assert not Pair.objects.referred().exists()
    assert final_labels(opening) == [None] * 3
    assert kept_counts() == recounted()


def test_both_judge_again_blind_in_the_new_round_and_the_new_judgments_count(opening, second):
    apply(opening, second, judge_again=True)
    read_by_all(second, opening)
    where = reverse("judge-query", args=[opening.query.collection.slug, opening.query.name])

    page = client_of("ann1").get(where)
    slots = [*slots_of(opening, "ann1"), *slots_of(opening, "ann2")]
    judgments = [judge(slot, 3) for slot in slots]

    assert '<b id="judged">0</b>' in page.text
    assert {(row.round, row.guideline_version) for row in judgments} == {(2, 2)}
    assert final_labels(opening) == [3] * 3
    assert kept_counts() == recounted()


def test_a_new_round_is_of_the_people_who_have_the_seats_by_then(opening):
    third = member(opening.query.collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=opening, number=2, annotator=third)
    before = {slot.pair_id: slot.position for slot in slots_of(opening, "ann1")}

    apply(opening, opening.guideline, judge_again=True)

    assert [len(slots_of(opening, name)) for name in ("ann1", "ann2", "ann3")] == [3, 0, 3]
    assert {slot.pair_id: slot.position for slot in slots_of(opening, "ann1")} == before
    places = sorted(slot.position for slot in slots_of(opening, "ann3"))
    assert places == [1, 2, 3]


def test_a_new_round_needs_two_annotators(opening):
    person = User.objects.get(username="ann1")
    opening.query.collection.memberships.filter(user=person).delete()

    with pytest.raises(CannotApply, match=r"is no annotator of .* who can log in"):
        apply(opening, opening.guideline, judge_again=True)


def test_a_new_round_needs_annotators_who_can_log_in(opening):
    User.objects.filter(username="ann1").update(is_active=False)

    with pytest.raises(CannotApply, match=r"ann1 has slot 1 of .* Name another annotator"):
        apply(opening, opening.guideline, judge_again=True)


def test_a_new_round_can_have_the_same_version(opening):
    for _ in range(2):
        apply(opening, opening.guideline, judge_again=True)

    assert opening.round == 3
    assert judge(unjudged(opening), 1).round == 3


def test_a_judge_of_an_earlier_round_never_decides_the_pair(opening):
    collection, person = opening.query.collection, User.objects.get(username="ann1")
    apply(opening, opening.guideline, judge_again=True)
    third = member(collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=opening, number=1, annotator=third)
    collection.memberships.filter(user=person).delete()
    member(collection, Role.ADJUDICATOR, "ann1")
    judge(unjudged(opening, "ann3"), 0)
    first = slots_of(opening, "ann3")[0]
    judge(next(slot for slot in slots_of(opening, "ann2") if slot.pair_id == first.pair_id), 3)

    case = Case.objects.due().get()
    assert not list(Case.objects.due().for_adjudicator(person))
    with pytest.raises(JudgedByYou):
        decide_case(case, person, Ruling(grade=1))
    assert list(Case.objects.due().for_adjudicator(User.objects.get(username="adju"))) == [case]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"reason": " "}, BadGuidelineChange, "The reason is missing"),
        ({"reason": "x" * 1001}, BadGuidelineChange, "Shorten the reason to 1,000 characters"),
        ({"queries": []}, BadGuidelineChange, "No query is chosen"),
        ({"queries": ["nothing"]}, CannotApply, "nothing is not open for judging"),
    ],
)
def test_a_change_that_cannot_be_is_refused(opening, second, changes, error, message):
    with pytest.raises(error, match=message):
        apply(opening, second, **changes)

    assert not GuidelineChange.objects.exists()


def test_the_version_applies_to_all_queries_or_to_none(opening, second):
    other = an_open_query(opening.query.collection, facet="result").query

    with pytest.raises(CannotApply, match=f"{other.name} has version 1"):
        apply(opening, second, queries=[opening.query.name, other.name])

    opening.refresh_from_db()
    assert opening.guideline.version == 1
    assert not GuidelineChange.objects.exists()


def test_the_same_version_applies_once(opening, second):
    apply(opening, second)

    with pytest.raises(CannotApply, match="has version 2 of its guideline already"):
        apply(opening, second)


def test_a_job_changes_many_queries_and_goes_on_after_a_kill(opening, second, monkeypatch):
    monkeypatch.setattr(changes, "AT_ONCE", 0)

    job = apply(opening, second)
    asked = {name: job.parameters[name] for name in ("queries", "reason", "judge_again")}
    done = [
        apply_as_requested(
            collection=job.collection, guideline=second, made_by=None, work=DirectRun(), **asked
        )
        for _ in range(2)
    ]

    opening.refresh_from_db()
    assert done == [{"queries": 1}, {"queries": 0}]
    assert opening.guideline == second
    change = GuidelineChange.objects.get()
    assert (change.earlier.version, change.guideline, change.reason) == (1, second, "Clearer.")


def test_the_job_leaves_out_the_queries_that_have_the_version_by_then(opening, second):
    other = an_open_query(opening.query.collection)
    text = {"instructions": "Last.", "grades": second.grades}
    third = write_guideline(facet=second.facet, **text)
    apply(opening, third)

    done = apply_as_requested(
        collection=opening.query.collection,
        queries=[opening.query.name, other.query.name],
        guideline=third,
        reason="Last.",
        judge_again=False,
        made_by=None,
        work=DirectRun(),
    )

    other.refresh_from_db()
    assert done == {"queries": 1}
    assert other.guideline == third
    assert GuidelineChange.objects.count() == 2


def test_the_pages_lead_an_annotator_through_the_new_version(opening, second):
    apply(opening, second)
    ann2, slug = client_of("ann2"), opening.query.collection.slug
    text, own = (
        reverse("guideline-text", args=[slug, "method"]),
        reverse("judge", args=[slug]),
    )

    told = ann2.get(own)
    sent = ann2.get(reverse("judge-query", args=[slug, opening.query.name]))
    page = ann2.get(sent.url)
    confirmed = ann2.post(sent.url)

    assert "Version 2 of the Method guideline is new" in shown(told)
    assert sent.url.startswith(f"{text}?version=2&then=")
    assert "I have read version 2" in page.text
    assert confirmed.url == reverse("judge-query", args=[slug, opening.query.name])
    assert ann2.get(confirmed.url).status_code == 200
    assert "guideline is new" not in shown(ann2.get(own))
    assert "I have read" not in client_of("adju").get(text).text


def test_an_admin_applies_the_newest_version_on_its_page(opening, second):
    admin, slug = client_of("admin"), opening.query.collection.slug
    page, place = (
        reverse(name, args=[slug, "method"]) for name in ("guideline", "apply-guideline")
    )

    assert "1 open query has an earlier version" in shown(admin.get(page))
    refused = admin.post(place, {"queries": "nothing", "reason": ""})
    done = admin.post(place, {"reason": "Clearer.", "judge_again": "yes"}, follow=True)

    assert refused.status_code == 422
    assert "nothing is no open query of this facet" in refused.text
    assert "Enter what the new version changes." in refused.text
    assert "The newest version applies to 1 query." in done.text
    opening.refresh_from_db()
    assert (opening.guideline, opening.round) == (second, 2)
    history = shown(admin.get(reverse("query", args=[slug, opening.query.name])))
    assert "opened for another round" in history
    assert "guideline 2: Clearer." in history


def test_the_api_applies_and_reads_a_version(opening, second):
    base = f"/api/v1/collections/{opening.query.collection.slug}/"
    admin, ann2 = client_of("admin"), client_of("ann2")
    body = {"queries": [opening.query.name], "reason": "Clearer.", "judge_again": False}

    def post(client, where, **values):
        return client.post(base + where, values, content_type="application/json")

    tried = post(admin, "guidelines/method/apply/", **body, dry_run=True)
    assert (tried.status_code, GuidelineChange.objects.exists()) == (200, False)
    applied, again = [post(admin, "guidelines/method/apply/", **body) for _ in range(2)]
    slot = unjudged(opening)
    judging = f"judging/{opening.query.name}/pairs/{slot.pair.token}/judgment/"
    answer = {
        "grade": 1,
        "presentation_digest": Pair.objects.get(pk=slot.pair_id).presentation_digest,
        "supersedes": None,
        "key": "00000000-0000-0000-0000-000000000001",
    }
    unread = post(ann2, judging, **answer)
    text = post(ann2, "guidelines/method/read/")
    read = post(ann2, judging, **answer)

    assert applied.json() == {"version": 2, "queries": [opening.query.name]}
    assert (again.status_code, again.json()["code"]) == (409, "cannot_apply")
    assert (unread.status_code, unread.json()["code"]) == (409, "unread_guideline")
    assert (text.status_code, text.json()["instructions"]) == (200, "Anew.")
    assert read.status_code == 201
