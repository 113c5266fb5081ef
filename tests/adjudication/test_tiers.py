"""Where a collection has tiers, seniors adjudicate and juniors judge."""

from __future__ import annotations

import uuid

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Collection, Role, User
from adjudication.models import Case, Decision
from adjudication.queue import due_cases, due_in_order, queries_with_cases
from adjudication.services import NotSenior, Ruling
from annotation import team
from annotation.models import Level, Opening, Qualification, Seat
from annotation.qualifications.services import give_qualification, withdraw_qualification
from annotation.services import (
    CannotOpen,
    CannotReassign,
    SeniorsAdjudicate,
    open_query,
    reassign_seat,
)
from jobs.context import DirectRun
from tests.support.factories import a_collection, a_query, an_open_query, member
from tests.support.sittings import decide_case, judge_both
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file


@once_a_file
def opening():
    """ann3 is a senior who adjudicates, ann4 a senior who does not; adju is no senior."""
    collection = a_collection()
    collection.senior_rho = 0.7
    collection.save(update_fields=["senior_rho"])
    opening = an_open_query(collection, size=4)
    judge_both(opening, (1, 1), (0, 2), (3, 0))
    for username in ("ann3", "ann4"):
        member(collection, Role.ANNOTATOR, username)
        senior(collection, username)
    member(collection, Role.ADJUDICATOR, "ann3")
    return opening


@pytest.fixture
def collection(opening):
    return opening.query.collection


def person(username: str) -> User:
    return User.objects.get(username=username)


def senior(collection: Collection, username: str) -> Qualification:
    return give_qualification(
        collection=collection,
        person=person(username),
        level=Level.SENIOR,
        reason="Wrote the guideline.",
        given_by=None,
    )


def a_case(opening: Opening) -> Case:
    return Case.objects.due().filter(query=opening.query).order_by("pk").first()


def rule(opening: Opening, username: str):
    return decide_case(a_case(opening), person(username), Ruling(grade=2))


def test_only_a_senior_decides(opening):
    with pytest.raises(NotSenior, match="You have not qualified as one"):
        rule(opening, "adju")
    rule(opening, "ann3")

    assert Decision.objects.get().adjudicator == person("ann3")


def test_without_tiers_every_adjudicator_decides(opening):
    Collection.objects.update(senior_rho=None)

    assert rule(opening, "adju").grade == 2


def test_a_withdrawn_senior_decides_no_more(opening, collection):
    withdraw_qualification(
        collection=collection,
        person=person("ann3"),
        level=Level.SENIOR,
        reason="Asked for it.",
        given_by=None,
    )
    with pytest.raises(NotSenior):
        rule(opening, "ann3")


def test_a_junior_is_offered_no_case(opening, collection):
    adju, ann3 = person("adju"), person("ann3")
    ids = [collection.pk]

    assert (due_cases(ids, adju), due_cases(ids, ann3)) == ({}, {collection.pk: 2})
    assert queries_with_cases(collection, adju) == []
    assert len(due_in_order(collection, ann3)) == 2
    senior(collection, "adju")
    assert due_cases(ids, adju) == {collection.pk: 2}


def test_tiers_of_one_collection_leave_the_cases_of_another_alone(opening, collection):
    other = an_open_query(a_collection("other"), size=1)
    judge_both(other, (0, 3))

    ids = [collection.pk, other.query.collection_id]
    assert due_cases(ids, person("adju")) == {other.query.collection_id: 1}


def test_pages_of_cases_say_who_decides_here(opening):
    client, case = client_of("adju"), a_case(opening)
    title = case.candidate.document.title
    pages = [
        ("case", opening.query.name, case.token),
        ("adjudicate-query", opening.query.name),
        ("adjudicate-decided", opening.query.name),
        ("case-undo", opening.query.name),
    ]
    for name, *arguments in pages:
        page = client.get(address(name, *arguments), follow=True)
        assert page.redirect_chain == [(address("adjudicate"), 302)], name
        assert "Seniors decide the cases here" in text_of(page)
        assert title not in page.text
    for name in ("case", "case-later"):
        url = address(name, opening.query.name, case.token)
        assert client.post(url, {"answer": "2"}).url == address("adjudicate")
    refused = client.post(
        address("case", opening.query.name, case.token),
        {"answer": "2"},
        headers={"Accept": "application/json"},
    )
    assert (refused.status_code, refused.json()["error"]) == (409, "NotSenior")
    assert not Decision.objects.exists()


def test_the_api_refuses_cases_with_a_code(opening):
    client, case = client_of("adju"), a_case(opening)
    pair = (opening.query.name, case.token)
    body = {"grade": 2, "seen": "0", "supersedes": None, "key": str(uuid.uuid4())}
    answers = [
        client.get(address("api-cases")),
        client.get(address("api-case", *pair)),
        client.post(address("api-decide", *pair), body, content_type="application/json"),
    ]
    assert [answer.status_code for answer in answers] == [409] * 3
    assert {answer.json()["code"] for answer in answers} == {"not_senior"}
    assert client.get(address("api-decisions")).status_code == 200


def test_the_queue_takes_as_many_queries_with_tiers_as_without(opening):
    client, url = client_of("ann3"), address("adjudicate")
    with_tiers = queries_of(client, url)
    Collection.objects.update(senior_rho=None)

    assert with_tiers == queries_of(client, url) + 1


# Juniors judge


def test_a_senior_who_adjudicates_judges_only_for_a_reason(collection):
    query, people = a_query(collection), (person("ann1"), person("ann3"))

    with pytest.raises(SeniorsAdjudicate, match="ann3 is a senior, who adjudicates"):
        open_query(query=query, annotators=people, opened_by=None)
    opened = open_query(
        query=query, annotators=people, opened_by=None, senior_reason="Nobody else reads French."
    )

    reasons = dict(opened.seats.values_list("annotator__username", "senior_reason"))
    assert reasons == {"ann1": "", "ann3": "Nobody else reads French."}


def test_a_senior_without_the_role_of_an_adjudicator_judges(collection):
    people = (person("ann1"), person("ann4"))

    opened = open_query(query=a_query(collection), annotators=people, opened_by=None)

    assert set(opened.seats.values_list("senior_reason", flat=True)) == {""}


def test_without_tiers_a_senior_judges(collection):
    Collection.objects.update(senior_rho=None)
    people = (person("ann1"), person("ann3"))

    assert (
        open_query(query=a_query(collection), annotators=people, opened_by=None).seats.count() == 2
    )


def test_a_reason_that_is_too_long_is_refused(collection):
    people = (person("ann1"), person("ann3"))
    with pytest.raises(CannotOpen, match="Shorten the reason"):
        open_query(
            query=a_query(collection), annotators=people, opened_by=None, senior_reason="x" * 1001
        )


def test_a_plan_with_a_senior_needs_a_reason_which_its_job_keeps(collection):
    queries = [a_query(collection) for _ in range(2)]
    people = [person(name) for name in ("ann1", "ann3")]

    with pytest.raises(SeniorsAdjudicate):
        team.plan_opening(collection=collection, queries=queries, annotators=people)
    plan = team.plan_opening(
        collection=collection, queries=queries, annotators=people, senior_reason="Short of people."
    )
    job = team.request_opening(collection=collection, plan=plan, requested_by=None)
    team.open_as_planned(
        collection=collection,
        assignments=plan.assignments,
        opened_by=None,
        work=DirectRun(),
        senior_reason=job.parameters["senior_reason"],
    )

    seats = Seat.objects.filter(opening__query__in=queries, annotator=person("ann3"))
    assert set(seats.values_list("senior_reason", flat=True)) == {"Short of people."}


def test_a_seat_goes_to_a_senior_only_for_a_reason(opening):
    with pytest.raises(CannotReassign, match="who adjudicates"):
        reassign_seat(opening=opening, number=1, annotator=person("ann3"))
    reassign_seat(opening=opening, number=1, annotator=person("ann3"), senior_reason="Ill.")
    assert opening.seats.get(number=1).senior_reason == "Ill."
    reassign_seat(opening=opening, number=1, annotator=person("ann1"))
    assert opening.seats.get(number=1).senior_reason == ""


def test_rebalancing_leaves_a_senior_the_seats_that_he_or_she_has_and_gives_no_other(collection):
    open_query(
        query=a_query(collection, size=1),
        annotators=(person("ann1"), person("ann3")),
        opened_by=None,
        senior_reason="Short of people.",
    )
    for _ in range(3):
        an_open_query(collection, size=3)
    people = [person(name) for name in ("ann1", "ann2", "ann3", "ann4")]

    plan = team.plan_rebalancing(collection=collection, annotators=people)
    team.rebalance_seats(collection=collection, annotators=people)

    assert "ann3" not in {move.annotator for move in plan.found.moves}
    assert "ann4" in {move.annotator for move in plan.found.moves}
    assert Seat.objects.filter(annotator=person("ann3")).count() == 1


def test_the_command_leaves_seniors_out_unless_they_are_named(collection, capsys):
    a_query(collection)
    call_command("open_queries", collection.slug, "--all", "--dry-run")
    assert "ann3" not in capsys.readouterr().out
    names = ["--annotators", "ann1", "ann3"]
    with pytest.raises(CommandError, match="who adjudicates"):
        call_command("open_queries", collection.slug, "--all", *names)

    call_command("open_queries", collection.slug, "--all", *names, "--senior-reason", "French.")

    assert Seat.objects.get(annotator=person("ann3")).senior_reason == "French."


def test_the_page_marks_seniors_and_asks_for_a_reason(collection):
    query, client = a_query(collection), client_of("admin")
    url = address("board") + "?state=not-open"
    fields = {"queries": query.name, "annotators": [person("ann1").pk, person("ann3").pk]}

    page = client.get(url)
    assert "ann3, senior" in text_of(page)
    assert "Why a senior judges" in text_of(page)
    refused = client.post(url, fields)
    assert refused.status_code == 422
    assert "ann3 is a senior, who adjudicates" in text_of(refused)
    asked = client.post(url, fields | {"senior_reason": "Nobody else."})
    plan = asked.context["plan"].digest
    client.post(url, fields | {"senior_reason": "Nobody else.", "plan": plan})
    assert Seat.objects.get(annotator=person("ann3")).senior_reason == "Nobody else."


def test_the_page_of_a_seat_asks_for_a_reason(opening):
    client, url = client_of("admin"), address("seat", opening.pk, 1)
    fields = {"annotator": person("ann3").pk}

    assert "Why a senior judges" in text_of(client.get(url))
    assert client.post(url, fields).status_code == 422
    client.post(url, fields | {"senior_reason": "Ill."})
    assert opening.seats.get(number=1).senior_reason == "Ill."


def test_forms_say_nothing_of_seniors_where_there_are_none(collection):
    Collection.objects.update(senior_rho=None)
    a_query(collection)

    page = client_of("admin").get(address("board") + "?state=not-open")

    assert "enior" not in text_of(page)


def test_the_api_opens_for_a_senior_only_for_a_reason(collection):
    query, client = a_query(collection), client_of("admin")
    body = {"queries": [query.name], "annotators": ["ann1", "ann3"]}

    def send(**more):
        return client.post(address("api-openings"), body | more, content_type="application/json")

    refused = send()
    assert (refused.status_code, refused.json()["code"]) == (409, "seniors_adjudicate")
    assert send(senior_reason="French.").status_code == 201
