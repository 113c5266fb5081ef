"""Opening for a team, rebalancing and exclusions: services, pages and the command."""

from __future__ import annotations

import io
from itertools import combinations

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count

from accounts.models import Role, User
from annotation import team
from annotation.models import Exclusion, Judgment, Opening, Seat, Slot
from annotation.services import CannotOpen, CannotReassign, open_query, reassign_seat
from annotation.sharing import Assignment, SeatMove
from corpus.models import Query
from jobs.context import DirectRun
from jobs.models import Job
from tests.support.factories import a_query, an_open_query, annotators, member
from tests.support.sittings import judge, judge_at_once, own_queries, slots_of
from tests.support.visits import address, text_of

pytestmark = pytest.mark.django_db


def people(collection):
    return list(
        User.objects.filter(
            memberships__collection=collection, memberships__role=Role.ANNOTATOR
        ).order_by("username")
    )


def holders(opening):
    return [seat.annotator.username for seat in opening.seats.order_by("number")]


def unjudged():
    left = dict.fromkeys(User.objects.values_list("username", flat=True), 0)
    for username in Slot.objects.unjudged().values_list("annotator__username", flat=True):
        left[username] += 1
    return {name: count for name, count in left.items() if count}


class CountedRun(DirectRun):
    """Work that stops at the given progress report, as a worker that is killed does."""

    def __init__(self, reports: int) -> None:
        super().__init__()
        self.reports = reports

    def progress(self, done, total, note=""):
        self.reports -= 1
        if self.reports < 0:
            raise KeyboardInterrupt


# Opening


def test_a_team_of_four_gets_even_work_and_every_two_share_some(collection):
    for name in ("ann3", "ann4"):
        member(collection, Role.ANNOTATOR, name)
    queries = [a_query(collection, size=4) for _ in range(12)]

    openings = team.open_for_team(
        collection=collection, queries=queries, annotators=people(collection), opened_by=None
    )

    assert len(openings) == 12
    assert unjudged() == dict.fromkeys(("ann1", "ann2", "ann3", "ann4"), 24)
    load = team.load_of(collection, people(collection))
    assert set(load.couples.values()) == {8}
    assert len(load.couples) == 6


def test_after_the_first_judgments_of_a_team_most_pairs_are_judged_twice(collection):
    """Four people judge 12 pairs each, one query after the other, as the page offers them."""
    for name in ("ann3", "ann4"):
        member(collection, Role.ANNOTATOR, name)
    queries = [a_query(collection, size=6) for _ in range(8)]
    team.open_for_team(
        collection=collection, queries=queries, annotators=people(collection), opened_by=None
    )

    for person in people(collection):
        offered = [row.pk for row in own_queries(collection, person)]
        first_two = Slot.objects.filter(annotator=person, pair__query__in=offered[:2])
        judge_at_once((slot, 1) for slot in first_two)

    judged_twice = Slot.objects.judged().values("pair").annotate(count=Count("pk")).filter(count=2)
    assert judged_twice.count() == 24


def test_a_plan_that_is_out_of_date_opens_nothing(collection):
    queries = [a_query(collection), a_query(collection)]
    plan = team.plan_opening(
        collection=collection, queries=queries, annotators=annotators(collection)
    )
    third = member(collection, Role.ANNOTATOR, "ann3")

    with pytest.raises(team.PlanChanged):
        team.open_for_team(
            collection=collection,
            queries=queries,
            annotators=[*annotators(collection), third],
            opened_by=None,
            digest=plan.digest + "x",
        )

    assert not Opening.objects.exists()


def test_one_query_that_cannot_open_keeps_all_closed(collection):
    good, empty = a_query(collection), a_query(collection)
    empty.query_paper.pool.candidates.all().delete()

    with pytest.raises(CannotOpen):
        team.open_for_team(
            collection=collection,
            queries=[good, empty],
            annotators=annotators(collection),
            opened_by=None,
        )

    assert not Opening.objects.exists()


def test_a_killed_job_goes_on_where_it_stopped(collection):
    first, second = annotators(collection)
    assignments = [
        Assignment(a_query(collection, size=1).name, first.username, second.username)
        for _ in range(team.STEP + 2)
    ]

    def run(work):
        return team.open_as_planned(
            collection=collection, assignments=assignments, opened_by=None, work=work
        )

    with pytest.raises(KeyboardInterrupt):
        run(CountedRun(1))
    assert Opening.objects.count() == team.STEP

    assert run(DirectRun()) == {"opened": 2}
    assert Opening.objects.count() == team.STEP + 2


# Exclusions


def test_an_excluded_person_gets_no_query_of_the_paper(collection):
    third = member(collection, Role.ANNOTATOR, "ann3")
    query = a_query(collection)
    team.exclude(collection=collection, docno=query.query_paper.document.docno, annotator=third)

    (opening,) = team.open_for_team(
        collection=collection, queries=[query], annotators=people(collection), opened_by=None
    )

    assert sorted(holders(opening)) == ["ann1", "ann2"]
    with pytest.raises(CannotReassign, match="ann3 is excluded"):
        reassign_seat(opening=opening, number=1, annotator=third)


def test_a_query_for_which_too_few_people_are_left_is_named(collection):
    query = a_query(collection)
    first, second = annotators(collection)
    team.exclude(collection=collection, docno=query.query_paper.document.docno, annotator=first)

    with pytest.raises(CannotOpen, match=f"Fewer than two of these people may judge {query.name}"):
        team.plan_opening(collection=collection, queries=[query], annotators=[first, second])
    with pytest.raises(CannotOpen, match="ann1 is excluded"):
        open_query(query=query, annotators=(first, second), opened_by=None)


def test_a_person_with_a_seat_cannot_be_excluded(collection):
    opening = an_open_query(collection)

    with pytest.raises(team.CannotExclude, match="judges a query of"):
        team.exclude(
            collection=collection,
            docno=opening.query.query_paper.document.docno,
            annotator=annotators(collection)[0],
        )

    assert not Exclusion.objects.exists()


def test_an_admin_excludes_people_on_the_page_and_allows_them_again(collection, admin):
    query = a_query(collection)
    docno = query.query_paper.document.docno
    form = {"annotator": annotators(collection)[0].pk, "docno": docno}

    refused = admin.post(address("add-exclusion"), {**form, "docno": "none"})
    assert refused.status_code == 422
    assert '<div class="dialog-open" id="exclude"' in refused.text
    assert f'action="{address("board")}"' in refused.text  # of the form that opens queries
    assert admin.post(address("add-exclusion"), form).status_code == 302
    assert f">ann1</a>: {docno}" in text_of(admin.get(address("board"), {"state": "not-open"}))

    exclusion = Exclusion.objects.get()
    admin.post(address("remove-exclusion", exclusion.pk))
    assert not Exclusion.objects.exists()


# Rebalancing


@pytest.mark.by_day(2)
def test_eight_share_fifty_queries_then_one_leaves_and_one_joins_and_no_judgment_moves(collection):
    for number in range(3, 9):
        member(collection, Role.ANNOTATOR, f"ann{number}")
    sizes = [2 + number % 3 for number in range(50)]
    team.open_for_team(
        collection=collection,
        queries=[a_query(collection, size=size) for size in sizes],
        annotators=people(collection),
        opened_by=None,
    )
    check_shares(collection, people(collection), most=max(sizes))
    for opening in Opening.objects.all()[::2]:
        for username in holders(opening):
            judge(slots_of(opening, username)[0], 2)
    judged = set(Judgment.objects.values_list("slot", "annotator"))

    stayed = [user for user in people(collection) if user.username != "ann1"]
    rebalance(collection, stayed)
    check_shares(collection, stayed, most=max(sizes))
    newcomer = member(collection, Role.ANNOTATOR, "ann9")
    rebalance(collection, [*stayed, newcomer])
    check_shares(collection, [*stayed, newcomer], most=max(sizes))

    assert set(Judgment.objects.values_list("slot", "annotator")) == judged
    assert Slot.objects.count() == 2 * sum(sizes)


def check_shares(collection, workers, *, most):
    """Only these people have work left, with at most a query's difference; every two share some."""
    left = unjudged()
    assert set(left) == {user.username for user in workers}
    assert max(left.values()) - min(left.values()) <= most
    couples = {frozenset(two) for two in combinations(left, 2)}
    shared = team.load_of(collection, workers).couples
    assert couples - set(shared) == set()


def rebalance(collection, workers):
    """Move the seats as planned; the plan says what everyone has left afterwards."""
    plan = team.plan_rebalancing(collection=collection, annotators=workers)

    moved = team.rebalance_seats(collection=collection, annotators=workers, digest=plan.digest)

    assert moved == plan.pairs > 0
    left = {row.annotator.username: row.left_after for row in plan.rows if row.left_after}
    assert left == unjudged()


def test_a_job_moves_what_is_left_and_skips_what_is_judged(collection):
    third = member(collection, Role.ANNOTATOR, "ann3")
    done, begun = an_open_query(collection, size=1), an_open_query(collection, size=2)
    judge(slots_of(done, "ann1")[0], 1)
    moves = [SeatMove(opening.query.name, 1, third.username, 1) for opening in (done, begun)]

    result = team.rebalance_as_planned(collection=collection, moves=moves, work=DirectRun())

    assert result == {"pairs": 2}
    assert (holders(done), holders(begun)) == (["ann1", "ann2"], ["ann3", "ann2"])


def test_the_page_shows_the_plan_before_it_is_carried_out(collection, admin):
    opening = an_open_query(collection, size=3)
    member(collection, Role.ANNOTATOR, "ann3")
    leaver = annotators(collection)[0]
    stay = [user.pk for user in people(collection) if user != leaver]

    page = admin.get(address("rebalance"), {"annotators": stay})

    assert "Move 3 unjudged pairs" in text_of(page)
    assert holders(opening) == ["ann1", "ann2"]

    form = {"annotators": stay, "plan": page.context["plan"].digest}
    assert admin.post(address("rebalance"), {**form, "plan": "old"}).status_code == 422
    assert holders(opening) == ["ann1", "ann2"]
    assert admin.post(address("rebalance"), form).status_code == 302
    assert sorted(holders(opening)) == ["ann2", "ann3"]


def test_an_even_team_is_told_so(collection, admin):
    an_open_query(collection)

    assert "The work is even" in text_of(admin.get(address("rebalance")))


# Many at once


def test_all_matching_queries_open_as_a_job(collection, admin, monkeypatch):
    monkeypatch.setattr("annotation.team.opening.AT_ONCE", 3)
    for _ in range(4):
        a_query(collection, size=1)
    a_query(collection, facet="result", size=1)
    form = {"everything": "on", "annotators": [user.pk for user in annotators(collection)]}
    place = f"{address('board')}?state=not-open&facet=method"

    question = admin.post(place, form)

    assert "Open 4 queries for judging?" in text_of(question)
    assert 'action="/c/small/judging/?state=not-open&amp;facet=method"' in question.text
    assert not Job.objects.exists()

    done = admin.post(place, {**form, "plan": question.context["plan"].digest})

    assert done.status_code == 302
    job = Job.objects.get()
    assert (job.kind, len(job.parameters["assignments"])) == ("open_queries", 4)
    other = Query.objects.filter(facet__key="result")
    plan = team.plan_opening(
        collection=collection, queries=list(other), annotators=annotators(collection)
    )
    with pytest.raises(team.InProgress):
        team.request_opening(collection=collection, plan=plan, requested_by=None)


# The command


def run_command(*arguments):
    output = io.StringIO()
    call_command("open_queries", "small", *arguments, stdout=output)
    return output.getvalue()


def test_the_command_shows_the_plan_and_opens_all(collection):
    for _ in range(3):
        a_query(collection, size=2)

    assert "ann1: 3 queries, 6 pairs; 6 left to judge then" in run_command("--all", "--dry-run")
    assert not Opening.objects.exists()
    assert "3 queries opened" in run_command("--all")
    assert Seat.objects.count() == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--queries", "none_method"], r"No such query, or it is open already: none_method\."),
        (["--all"], r"small has no query with a pool that is not open\."),
    ],
)
def test_the_command_names_what_is_wrong(collection, arguments, message):
    with pytest.raises(CommandError, match=message):
        run_command(*arguments)


def test_the_command_names_unknown_annotators(collection):
    name = a_query(collection).name

    with pytest.raises(CommandError, match=r"No annotator of small: nemo\."):
        run_command("--queries", name, "--annotators", "nemo", "ann1")
