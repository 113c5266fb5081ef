"""A collection that asks annotators to qualify has no live queue for the others."""

from __future__ import annotations

import itertools
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Collection, Role, User
from accounts.services import take_role
from annotation.models import Judgment, Level, Qualification, Slot
from annotation.qualifications.services import (
    BadQualification,
    QualificationStands,
    give_qualification,
    withdraw_qualification,
)
from annotation.qualifications.standing import (
    level_states,
    must_qualify,
    standing_qualification,
    unqualified_annotators,
)
from annotation.services import NotQualified
from tests.support.factories import a_collection, an_open_query, member
from tests.support.running import at_once
from tests.support.sittings import digest_of, judge, pair_url, query_url, slots_of
from tests.support.visits import address, client_of, csv_rows, queries_of, text_of
from tests.support.worlds import once_a_file


def with_threshold(collection: Collection) -> Collection:
    collection.qualifying_rho = 0.5
    collection.save(update_fields=["qualifying_rho"])
    return collection


@once_a_file
def opening():
    opening = an_open_query(with_threshold(a_collection()), size=3)
    qualify(opening.query.collection, "ann2")
    return opening


@pytest.fixture
def collection(opening):
    return opening.query.collection


def person(username: str) -> User:
    return User.objects.get(username=username)


def qualify(collection: Collection, username: str, level=Level.JUDGE) -> Qualification:
    return give_qualification(
        collection=collection,
        person=person(username),
        level=level,
        reason="Known from before.",
        given_by=person("admin"),
    )


def withdraw(collection: Collection, username: str, level=Level.JUDGE) -> Qualification:
    return withdraw_qualification(
        collection=collection,
        person=person(username),
        level=level,
        reason="Hurried.",
        given_by=person("admin"),
    )


def test_an_unqualified_annotator_cannot_judge_and_a_qualified_one_can(opening):
    with pytest.raises(NotQualified, match="Judge a training set on the page Training"):
        judge(slots_of(opening, "ann1")[0], 2)
    judge(slots_of(opening, "ann2")[0], 2)

    assert Judgment.objects.get().annotator == person("ann2")


def test_without_the_setting_nobody_needs_to_qualify(opening, collection):
    Collection.objects.update(qualifying_rho=None)

    judge(slots_of(opening, "ann1")[0], 2)

    collection.refresh_from_db()
    assert not must_qualify(collection, person("ann1"))
    assert not unqualified_annotators(collection).exists()


def test_a_withdrawal_ends_the_queue_and_a_further_row_opens_it_again(opening, collection):
    withdraw(collection, "ann2")
    with pytest.raises(NotQualified):
        judge(slots_of(opening, "ann2")[0], 2)
    qualify(collection, "ann2")

    judge(slots_of(opening, "ann2")[0], 2)
    rows = Qualification.objects.order_by("pk").values_list("basis", flat=True)
    assert list(rows) == ["override", "withdrawal", "override"]


def test_a_judgment_from_before_the_withdrawal_stays_and_can_no_longer_be_revised(
    opening, collection
):
    judge(slots_of(opening, "ann2")[0], 2)
    withdraw(collection, "ann2")

    with pytest.raises(NotQualified):
        judge(slots_of(opening, "ann2")[0], 1)
    assert Judgment.objects.get().grade == 2


def test_a_qualification_holds_for_its_collection_and_level_only(opening, collection):
    elsewhere = an_open_query(with_threshold(a_collection("elsewhere")))
    qualify(collection, "ann1", Level.SENIOR)

    for each, username in ((elsewhere, "ann2"), (opening, "ann1")):
        with pytest.raises(NotQualified):
            judge(slots_of(each, username)[0], 2)


def test_a_submission_that_is_sent_again_after_the_withdrawal_is_refused_and_counts_once(
    opening, collection
):
    slot, key = slots_of(opening, "ann2")[0], uuid.uuid4()
    judge(slot, 2, key=key, supersedes=None)
    withdraw(collection, "ann2")

    with pytest.raises(NotQualified):
        judge(slot, 2, key=key, supersedes=None)
    assert Judgment.objects.count() == 1


def test_there_is_one_way_to_be_qualified_and_each_change_needs_a_reason(collection):
    with pytest.raises(QualificationStands, match="is qualified already as a judge"):
        qualify(collection, "ann2")
    with pytest.raises(QualificationStands, match="is not qualified as a judge"):
        withdraw(collection, "ann1")
    for reason in ("", " \n", "x" * 1001):
        with pytest.raises(BadQualification):
            give_qualification(
                collection=collection,
                person=person("ann1"),
                level=Level.JUDGE,
                reason=reason,
                given_by=None,
            )
    membership = collection.memberships.get(user=person("adju"))
    take_role(membership=membership)
    with pytest.raises(BadQualification, match="has no role"):
        qualify(collection, "adju")


def test_those_who_wait_are_active_annotators_without_a_standing_row(collection):
    member(collection, Role.ANNOTATOR, "ann3")
    gone = member(collection, Role.ANNOTATOR, "ann4")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    qualify(collection, "ann3", Level.SENIOR)

    assert [user.username for user in unqualified_annotators(collection)] == ["ann1", "ann3"]
    withdraw(collection, "ann2")
    assert [user.username for user in unqualified_annotators(collection)] == [
        "ann1",
        "ann2",
        "ann3",
    ]


def test_the_state_of_a_person_lists_the_levels_that_matter(collection):
    (state,) = level_states(collection, person("ann1"))
    assert (state.level, state.threshold, state.rows) == (Level.JUDGE, 0.5, [])
    qualify(collection, "ann1", Level.SENIOR)
    judging, senior = level_states(collection, person("ann1"))
    assert senior.threshold is None
    assert senior.standing == standing_qualification(collection, person("ann1"), Level.SENIOR)
    assert judging.standing is None


# Pages and the API


def test_judge_says_what_to_do_and_lists_no_query(opening):
    client = client_of("ann1")
    page = client.get(address("judge"))

    assert "Qualify before you judge" in text_of(page)
    assert "3 pairs of yours wait" in text_of(page)
    assert query_url(opening) not in page.text
    assert query_url(opening) in client_of("ann2").get(address("judge")).text


def test_every_page_of_the_queue_leads_an_unqualified_person_to_judge(opening):
    client, slot = client_of("ann1"), slots_of(opening, "ann1")[0]
    urls = [
        query_url(opening),
        pair_url(slot),
        query_url(opening, "judge-ahead"),
        query_url(opening, "judge-undo"),
    ]
    candidate = slot.pair.candidate.document.title
    for url in urls:
        answer = client.get(url, follow=True)
        assert answer.redirect_chain == [(address("judge"), 302)], url
        assert "You have not qualified to judge" in text_of(answer)
        assert candidate not in answer.text
    for url in (pair_url(slot), pair_url(slot, "judge-later")):
        fields = {"answer": "2", "presentation": digest_of(slot), "key": str(uuid.uuid4())}
        assert client.post(url, fields).url == address("judge")
    assert not Judgment.objects.exists()
    assert not Slot.objects.filter(postponed_at__isnull=False).exists()


def test_a_script_gets_the_refusal_as_json(opening):
    slot = slots_of(opening, "ann1")[0]
    fields = {"answer": "2", "presentation": digest_of(slot), "key": str(uuid.uuid4())}

    saved = client_of("ann1").post(pair_url(slot), fields, headers={"Accept": "application/json"})
    ahead = client_of("ann1").get(query_url(opening, "judge-ahead"), headers={"HX-Request": "true"})

    for answer in (saved, ahead):
        assert (answer.status_code, answer.json()["error"]) == (409, "NotQualified")


def test_the_api_refuses_with_a_code(opening, collection):
    client, slot = client_of("ann1"), slots_of(opening, "ann1")[0]
    name, token = opening.query.name, slot.pair.token
    body = {
        "grade": 2,
        "presentation_digest": digest_of(slot),
        "supersedes": None,
        "key": str(uuid.uuid4()),
    }
    answers = [
        client.get(address("api-judging")),
        client.get(address("api-next", name)),
        client.get(address("api-pair", name, token)),
        client.post(address("api-judge", name, token), body, content_type="application/json"),
    ]

    assert [answer.status_code for answer in answers] == [409] * 4
    assert {answer.json()["code"] for answer in answers} == {"not_qualified"}
    assert client.get(address("api-judgments")).status_code == 200


def test_own_judgments_stay_readable(opening, collection):
    judge(slots_of(opening, "ann2")[0], 2)
    withdraw(collection, "ann2")

    page = client_of("ann2").get(query_url(opening, "judge-mine"))

    assert page.status_code == 200


def test_an_admin_qualifies_and_withdraws_on_the_page_of_the_person(collection):
    client, ann1 = client_of("admin"), person("ann1")
    give, end = (
        address(name, ann1.pk) for name in ("give-qualification", "withdraw-qualification")
    )

    assert "not qualified" in text_of(client.get(address("person", ann1.pk)))
    page = client.post(give, {"level": "judge", "reason": "Trained elsewhere."}, follow=True)
    assert "ann1 is qualified as a judge now" in text_of(page)
    assert "Trained elsewhere." in text_of(page)
    assert not must_qualify(collection, ann1)
    page = client.post(end, {"level": "judge", "reason": "Too quick."}, follow=True)
    assert "ann1 is no longer a judge now" in text_of(page)
    assert must_qualify(collection, ann1)


def test_a_refused_form_keeps_its_text_and_says_what_is_wrong(collection):
    client, ann1 = client_of("admin"), person("ann1")

    page = client.post(
        address("withdraw-qualification", ann1.pk), {"level": "judge", "reason": "Too quick."}
    )
    empty = client.post(address("give-qualification", ann1.pk), {"level": "judge", "reason": ""})

    assert (page.status_code, empty.status_code) == (422, 422)
    assert "is not qualified as a judge, so nothing changed" in text_of(page)
    assert "Too quick." in text_of(page)
    assert "Enter why you decide so." in text_of(empty)


def test_the_page_of_a_person_shows_no_qualification_where_none_is_needed(collection):
    Collection.objects.update(qualifying_rho=None)

    assert (
        'id="qualifications"'
        not in client_of("admin").get(address("person", person("ann1").pk)).text
    )


def test_the_api_gives_withdraws_lists_and_tries(collection):
    client, url = client_of("admin"), address("api-qualifications")

    def send(**body):
        body = {"person": "ann1", "level": "judge", "reason": "Why."} | body
        return client.post(url, body, content_type="application/json")

    assert send(dry_run=True).status_code == 200
    assert Qualification.objects.count() == 1
    assert send().json()["basis"] == "override"
    stands = send()
    assert (stands.status_code, stands.json()["code"]) == (409, "qualification_stands")
    assert send(withdraw=True).json()["basis"] == "withdrawal"
    assert send(person="nobody").status_code == 400
    assert send(reason="").status_code == 400
    rows = client.get(url).json()["results"]
    assert [(row["person"], row["basis"], row["given_by"]) for row in rows] == [
        ("ann1", "withdrawal", "admin"),
        ("ann1", "override", "admin"),
        ("ann2", "override", "admin"),
    ]


def test_the_list_of_people_says_who_is_qualified(collection):
    page = client_of("admin").get(address("people"))
    rows = csv_rows(client_of("admin").get(address("people"), {"format": "csv"}))

    assert "not qualified" in text_of(page)
    qualified = {row["username"]: row["qualified"] for row in rows if row["role"] == "annotator"}
    assert qualified == {"ann1": "no", "ann2": "yes"}


def test_the_people_take_as_many_queries_however_many_there_are(collection):
    admin, url = client_of("admin"), address("people")
    before = queries_of(admin, url)
    for number in range(3, 9):
        member(collection, Role.ANNOTATOR, f"ann{number}")
        qualify(collection, f"ann{number}")

    assert queries_of(admin, url) == before


def test_saving_a_judgment_takes_no_further_statement(opening, collection):
    first, second, _ = slots_of(opening, "ann2")
    with CaptureQueriesContext(connection) as with_setting:
        judge(first, 1)
    Collection.objects.update(qualifying_rho=None)
    with CaptureQueriesContext(connection) as without:
        judge(second, 1)

    assert len(with_setting) == len(without)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_withdrawing_and_giving_at_once_leaves_rows_that_alternate():
    collection = with_threshold(a_collection())

    def changes(change):
        outcomes = []
        for _ in range(4):
            try:
                outcomes.append(change(collection, "ann1").basis)
            except QualificationStands:
                outcomes.append("refused")
        return outcomes

    outcomes = at_once([lambda each=each: changes(each) for each in (qualify, withdraw) * 3])

    assert all(isinstance(outcome, list) for outcome in outcomes), outcomes
    bases = list(Qualification.objects.order_by("pk").values_list("basis", flat=True))
    assert bases[:1] == ["override"]
    assert all(before != after for before, after in itertools.pairwise(bases))


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_an_override_while_the_person_judges_decides_each_judgment_for_itself():
    opening = an_open_query(with_threshold(a_collection()), size=8)
    slots = slots_of(opening, "ann1")

    def judging():
        outcomes = []
        for slot in slots:
            try:
                outcomes.append(judge(slot, 1))
            except NotQualified:
                outcomes.append(None)
        return outcomes

    collection = opening.query.collection
    judged, row = at_once([judging, lambda: qualify(collection, "ann1")])

    assert isinstance(row, Qualification), row
    saved = [judgment for judgment in judged if judgment is not None]
    assert Judgment.objects.count() == len(saved)
    # Once one is saved, all that come after are.
    assert judged[len(judged) - len(saved) :] == saved


def test_the_address_names_only_people_of_the_collection(collection):
    stranger = User.objects.create(username="stranger")
    url = reverse("give-qualification", args=[collection.slug, stranger.pk])

    assert client_of("admin").post(url, {"level": "judge", "reason": "Why."}).status_code == 404
