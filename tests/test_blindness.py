"""No page, file or address tells a user what he or she must not know.

One crawl follows links and sends forms from the home page on; another tries every address there is
with every id that exists, since not showing a link hides nothing. An address that the person's role
refuses is tried with one id, because the role is checked before any id is looked up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern
from django.utils import timezone

from accounts.models import Collection, Role, User
from accounts.moved_pages import moved_page
from adjudication.services import Ruling
from annotation.models import HelpRequest, Pair, RepeatJudgment, Slot
from annotation.services import Answer, open_query
from annotation.team import open_new_pairs
from corpus.models import Document
from evaluation.models import Asking
from jobs.models import State
from notices.message import message_for
from notices.waiting import active_roles, notices_for
from practice.models import PracticePair, PracticeSet
from tests.support.api_world import (
    FAMILY,
    HALF_NOTE,
    NAMES,
    NOTE,
    RANK,
    SCORE,
    SHADOW_JUDGE,
    World,
    add_shadow_judge,
    every_id,
    settle,
)
from tests.support.asking_scenes import an_answer, an_asking
from tests.support.aspects import an_open_query_with_steps
from tests.support.crawling import Crawl, filled, patterns, refusals_rendered_once
from tests.support.factories import a_query, an_open_query, member
from tests.support.help_scenes import answer as answer_help
from tests.support.help_scenes import ask_admin
from tests.support.practice_scenes import a_pilot, practise
from tests.support.repeats import answer_repeat, repeats_of
from tests.support.rounds import top_up
from tests.support.sittings import ask, judge, judge_both, slots_of
from tests.test_permissions import ADDRESSES

# About what pages and answers say, which does not depend on the database.
pytestmark = pytest.mark.one_database

REPEAT_NOTE = "only-in-a-repeat"
METADATA = ("Hidden Author", "Secret Venue", "1987")
ASKED_MODEL, MODEL_ANSWER = "secret-asked-model", "a secret answer of a model"
SOURCES = (
    *("secret-retriever", "also-secret", str(RANK), str(SCORE)),
    *(SHADOW_JUDGE, FAMILY, ASKED_MODEL, MODEL_ANSWER),
)
ANNOTATORS_PAGES = re.compile(
    r"collection|judge(-\w+)?|practice(-\w+)?|full-text-studies|own-study|rate-\w+|own-profile"
    r"|consent|withdraw-consent|ask-admin|own-help-requests|guidelines|guideline-text"
    r"|timesheet|training|start-training|training-result"
)
# What an owner-annotator may open, beside the pages of annotators.
OWNERS_PAGES = re.compile(
    r"set-up|build-usual-pools|end-judging|import-documents|document-imports|import-topics"
    r"|add-query(-list)?|remove-query|labels|predict-labels|train-labeller|check-\w+|guideline"
    r"|apply-guideline|people|consent-texts|add-role|add-person|remove-role|collection-settings"
    r"|invite-people|send-invitation-again|revoke-invitation"
    r"|collection-facets|judging-settings|deadlines|jobs?|job-card|cancel-job|try-job-again|import-checked"
)
LED_ON = {"documents", "queries", "pools", "board"}  # to pages of the owner-annotator
# Of pairs of the pilot round, and of a question to both judges.
OF_ANN1 = {"judge-question", "practice", "practice-query", "practice-mine"}
MUST_HAVE_SEEN = {
    *("collection", "judge", "judge-pair", "judge-mine", "account", "api-docs"),
    *("ask-admin", "own-help-requests"),
    *OF_ANN1,
}


@pytest.fixture(scope="module")
def world_of_file(made_once, kept_world):
    with made_once(lambda: with_more_secrets(kept_world())) as rows_and_files:
        yield rows_and_files


def with_more_secrets(world: World) -> World:
    member(world.collection, Role.ANNOTATOR, "ann3")
    User.objects.filter(username="ann3").update(first_name="Ludmilla Frotz")
    others = tuple(User.objects.filter(username__in=["ann2", "ann3"]).order_by("username"))
    open_query(query=a_query(world.collection), annotators=others, opened_by=None)
    ann1, pilot = User.objects.get(username="ann1"), world_pilot(world)
    practise(pilot.pairs.first(), ann1, 1)
    for pair in pilot.pairs.all():
        practise(pair, others[0], Answer(grade=2, note=NOTE))
    asked, _ = judge_both(
        an_open_query(world.collection, size=3), (0, Answer(grade=3, note=NOTE)), (1, 1)
    )
    ask(asked, User.objects.get(username="adju"), candidate_sentences=[1])
    _add_proposals(world)
    _add_owner_annotator(world)
    model = world.collection.shadow_judges.create(name=ASKED_MODEL, labels_count=0, sha256="")
    asking = an_asking(world.collection, model)
    for pair in Pair.objects.of(world.collection):
        an_answer(asking, pair, grade=3, raw=MODEL_ANSWER)
    _add_pool_rounds(world)
    _add_help_requests(world)
    return world


def token_of_repeat(world: World) -> str:
    return RepeatJudgment.objects.get(note=REPEAT_NOTE).repeat.token


def world_pilot(world: World) -> PracticeSet:
    """A round of ann1 and ann2. Only ann2 has judged all of it, with a note."""
    return a_pilot(world.collection, named=[a_query(world.collection).name])


def _add_pool_rounds(world: World) -> None:
    """One that is open for judging among old pairs, and one that is not."""
    secret = {"name": LATE_RUN, "reason": ROUND_REASON}
    top_up(world.opening, 3, **secret)
    open_new_pairs(collection=world.collection, old_share=1)
    top_up(world.opening, 2, name="late", reason=ROUND_REASON)


def _add_help_requests(world: World) -> None:
    """Of ann1 and ann2 about the same pair, with answers to each alone and to all judges."""
    own = world.slots()[0]
    theirs = world.slots(2)
    answer_help(ask_admin(own, "my own question"), "an answer to ann1")
    asked = next(slot for slot in theirs if slot.pair_id == own.pair_id)
    answer_help(ask_admin(asked, QUESTION), HELP_ANSWER)
    answer_help(ask_admin(asked, QUESTION), GENERAL_ANSWER, for_all=True)
    ask_admin(asked, QUESTION, on_guideline=True)


def _add_proposals(world: World) -> None:
    """Grades proposed to ann1 and ann2: on a pair with both judgments, and on one of ann2 alone.

    ann2 has also answered a hidden repeat.
    """
    _change(world.collection, proposes_grades="all", repeat_share=0.5)
    opening = an_open_query_with_steps(world.collection)
    _change(world.collection, proposes_grades="", repeat_share=0)
    own, theirs = slots_of(opening, "ann1"), slots_of(opening, "ann2")
    judge(own[0], Answer(grade=2, aspects=(1,)))
    for slot in theirs:
        judge(slot, Answer(grade=1, aspects=(1, 2, 3), details_alike=True))
    answer = Answer(grade=3, aspects=(1, 2, 3), details_alike=True, note=REPEAT_NOTE)
    answer_repeat(repeats_of(opening, "ann2")[0], 3, answer=answer)


def _change(collection: Collection, **settings: object) -> None:
    for name, value in settings.items():
        setattr(collection, name, value)
    collection.save(update_fields=[*settings])


def _add_owner_annotator(world: World) -> None:
    """With a query whose first pair both have judged, and whose second only the other."""
    owner = member(world.collection, Role.OWNER_ANNOTATOR, "odilia")
    other = User.objects.get(username="ann2")
    opening = open_query(query=a_query(world.collection), annotators=(owner, other), opened_by=None)
    theirs = Slot.objects.filter(pair__query=opening.query, annotator=other).order_by("pair")
    own = Slot.objects.filter(pair__query=opening.query, annotator=owner).order_by("pair")
    judge(theirs[0], Answer(grade=3, note=NOTE))
    judge(own[0], Answer(grade=1, note="my own note"))
    judge(theirs[1], Answer(grade=2, note=HALF_NOTE))


@pytest.fixture
def _refusals_once():
    with refusals_rendered_once():
        yield


def visitor(username: str) -> Crawl:
    return Crawl(logged_in(username))


def logged_in(username: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def secrets_from(*persons: str, also: tuple[str, ...] = ()) -> re.Pattern[str]:
    """These people's names, where candidates come from, what is known of documents, and more."""
    names = {**NAMES, "ann1": "ann1", "ann3": "Ludmilla Frotz", "odilia": "odilia"}
    usernames = set(persons) - {"admin"}  # which is also the name of a role
    words = [*usernames, *(names[person] for person in persons), *METADATA, *SOURCES, *also]
    return re.compile("|".join(rf"\b{re.escape(word)}\b" for word in words))


LATE_RUN, ROUND_REASON = "secret-late-run", "SECRET REASON"
OF_ROUNDS = (LATE_RUN, ROUND_REASON, "pool_round")  # the schema has the words "pool round"
# Of ann2 and to ann2, and what all judges read.
QUESTION, HELP_ANSWER = "SECRET QUESTION", "SECRET ANSWER"
GENERAL_ANSWER = "an answer to all judges"
PROPOSED_TO_ANN1, PROPOSED_TO_ANN2 = "They suggest 1", "They suggest 3"
# An owner-annotator knows the people.
OWNERS_SECRETS = secrets_from(
    also=(
        *(NOTE, HALF_NOTE, LATE_RUN, ROUND_REASON, PROPOSED_TO_ANN1, PROPOSED_TO_ANN2),
        REPEAT_NOTE,
        *(QUESTION, HELP_ANSWER),
    )
)
ANNOTATORS_SECRETS = secrets_from(
    *("ann2", "ann3", "odilia", "adju", "admin"),
    also=(
        *(NOTE, HALF_NOTE, *OF_ROUNDS, PROPOSED_TO_ANN2, 'proposed_grade":3', REPEAT_NOTE),
        *(QUESTION, HELP_ANSWER),
    ),
)
ADJUDICATORS_SECRETS = secrets_from(
    *("ann1", "ann2", "ann3", "odilia"),
    also=(
        *(HALF_NOTE, *OF_ROUNDS, PROPOSED_TO_ANN1, PROPOSED_TO_ANN2, 'proposed_grade":3'),
        REPEAT_NOTE,
        *(QUESTION, HELP_ANSWER, "my own question"),
    ),
)


MOVED = {
    pattern.name
    for _, pattern in patterns()
    if pattern.callback.__module__ == moved_page.__module__
}


PEOPLE = {address.name: address.people for address in ADDRESSES}


def every_address(world: World, role: str) -> Iterator[tuple[str, URLPattern, str]]:
    """Whatever names a collection, and the whole API: the route, its pattern, each address.

    A pair is asked for in its own query, and one of each query in another one; all other queries
    are as unrelated to it.
    """
    ids, asked_in = every_id(world), queries_of_pairs(world)
    for route, pattern in patterns():
        if "slug" in route or route.startswith("api/v1/"):
            addresses = filled(route, ids)
            if role not in PEOPLE[pattern.name or ""]:
                addresses = islice(addresses, 1)
            for address in addresses:
                names = next((asked_in[each] for each in asked_in if f"/{each}/" in address), None)
                if names is None or any(f"/{name}/" in address for name in names):
                    yield route, pattern, address


def queries_of_pairs(world: World) -> dict[str, set[str]]:
    """The names of the queries in which each token is asked for."""
    queries = list(world.collection.queries.order_by("name").values_list("name", flat=True))
    found: dict[str, set[str]] = defaultdict(set)
    pairs = Pair.objects.of(world.collection).order_by("token").values_list("token", "query__name")
    first_of_query = {query: token for token, query in reversed(pairs)}
    for token, query in pairs:
        found[token].add(query)
        if first_of_query[query] == token:
            found[token].add(queries[queries.index(query) - 1])
    return found


def try_every_address(crawl: Crawl, world: World, role: str) -> None:
    """All that the crawl has not asked for yet."""
    for _, _, address in every_address(world, role):
        if address not in crawl.seen:
            crawl.ask("get", address)


@pytest.mark.by_day(4)
def test_nothing_an_annotator_can_click_tells_anything(world):
    """Nor does it change when others judge, decide and rename. Both are asked in one crawl."""
    crawl = visitor("ann1").follow_links("/")
    forms = forms_of(crawl, "ann1")
    before = everything_for(crawl, world, Role.ANNOTATOR)
    others_go_on(world)
    after = everything_for(visitor("ann1").follow_links("/"), world, Role.ANNOTATOR)

    assert crawl.holding(ANNOTATORS_SECRETS) == forms.holding(ANNOTATORS_SECRETS) == []
    assert crawl.holding(re.compile(token_of_repeat(world))) == []
    assert crawl.holding(re.compile(GENERAL_ANSWER))
    assert crawl.names | forms.names >= MUST_HAVE_SEEN
    assert len(crawl.names | forms.names) >= 10
    assert len(crawl.forms) >= 5
    assert before.keys() == after.keys()
    for request, answer in before.items():
        assert without_ages(after[request]) == without_ages(answer), request


@pytest.mark.usefixtures("_refusals_once")
def test_no_address_tells_an_annotator_anything(world):
    crawl = visitor("ann1")
    found = set()
    for route, pattern, address in every_address(world, Role.ANNOTATOR):
        for method in ("get", "post"):
            status = crawl.ask(method, address).status
            allowed = ANNOTATORS_PAGES.fullmatch(pattern.name or "")
            assert allowed or route.startswith("api/") or status == 404, address
            if status == 200:
                found.add(pattern.name)

    assert crawl.holding(ANNOTATORS_SECRETS) == []
    assert found >= {"collection", "judge", "judge-pair", "api-collection", "api-next", "api-pair"}
    assert "judge-proposal" in found
    good = {answer.request for answer in crawl.answers if answer.status == 200}
    assert len([request for request in good if request.startswith("GET /api/")]) >= 8


@pytest.mark.by_day(4)
def test_nothing_an_owner_annotator_can_click_tells_anything(world):
    """Nor is it refused, nor does it change when others judge. All are asked in one crawl."""
    long_ago = timezone.now() - timedelta(days=900)  # or pages tell how the time goes on
    world.collection.jobs.update(state=State.SUCCEEDED, created_at=long_ago)
    crawl = visitor("odilia")
    User.objects.update(last_login=None)  # which the page about people tells
    crawl.follow_links("/")
    refused = [answer.request for answer in crawl.answers if answer.status == 404]
    forms = forms_of(crawl, "odilia")
    before = everything_for(crawl, world, Role.OWNER_ANNOTATOR)
    others_judge_on(world)
    after = everything_for(Crawl(crawl.client).follow_links("/"), world, Role.OWNER_ANNOTATOR)

    assert crawl.holding(OWNERS_SECRETS) == forms.holding(OWNERS_SECRETS) == []
    assert refused == []
    own = {"set-up", "people", "collection-settings", "jobs"}
    names = crawl.names | forms.names
    assert names >= (MUST_HAVE_SEEN - OF_ANN1) | own
    assert names.isdisjoint(MOVED)
    assert before.keys() == after.keys()
    for request, answer in before.items():
        assert without_ages(after[request]) == without_ages(answer), request


@pytest.mark.by_day(4)
@pytest.mark.usefixtures("_refusals_once")
def test_no_address_tells_an_owner_annotator_anything(world):
    crawl = visitor("odilia")
    found = set()
    for route, pattern, address in every_address(world, Role.OWNER_ANNOTATOR):
        name = pattern.name or ""
        allowed = ANNOTATORS_PAGES.fullmatch(name) or OWNERS_PAGES.fullmatch(name)
        for method in ("get", "post"):
            with undone():
                status = crawl.ask(method, address).status
            is_led_on = name in LED_ON and (method, status) == ("get", 302)
            assert allowed or is_led_on or route.startswith("api/") or status == 404, address
            if status == 200:
                found.add(name)

    assert crawl.holding(OWNERS_SECRETS) == []
    assert found >= {"collection", "judge", "set-up", "people", "jobs", "job", "api-openings"}
    good = {answer.request for answer in crawl.answers if answer.status == 200}
    assert len([request for request in good if request.startswith("GET /api/")]) >= 15


def without_ages(answer: tuple[int, str]) -> tuple[int, str]:
    """The answer without how long ago things were, such as "12 seconds ago" or "now".

    Nor has it how often the person logged in for the test, which is among the own data.
    """
    status, body = answer
    body = re.sub(r"(<time [^>]*>)[^<]*</time>", r"\1</time>", body)
    return status, re.sub(r'("(?:actions|sessions)\.jsonl",[^{}]*"number":)\d+', r"\1N", body)


@contextmanager
def undone() -> Iterator[None]:
    """A request whose changes are undone, such as a role that is removed."""
    savepoint = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(savepoint)


def test_no_mail_tells_what_its_reader_must_not_know(world):
    """Nor does a judge's change when others judge."""
    secrets = {
        "ann1": ANNOTATORS_SECRETS,
        "odilia": OWNERS_SECRETS,
        "adju": ADJUDICATORS_SECRETS,
    }
    before = {username: mail_to(username) for username in secrets}
    others_judge_on(world)
    after = {username: mail_to(username) for username in ("ann1", "odilia")}

    assert all(world.collection.name in text for text in before.values())
    assert [name for name, text in before.items() if secrets[name].search(text)] == []
    assert after == {username: before[username] for username in after}


def mail_to(username: str) -> str:
    person = User.objects.get(username=username)
    notices = notices_for(person, active_roles(person))
    mail = message_for(person, "reader@example.org", notices, key=1)
    return f"{mail.subject}\n{mail.body}\n{sorted(mail.extra_headers.items())}"


@pytest.mark.by_day(4)
@pytest.mark.usefixtures("_refusals_once")
def test_nothing_an_adjudicator_can_reach_tells_who_judged_or_who_found_it(world):
    crawl = visitor("adju").follow_links("/")
    try_every_address(crawl, world, Role.ADJUDICATOR)

    assert crawl.holding(ADJUDICATORS_SECRETS) == []
    assert crawl.holding(re.compile(token_of_repeat(world))) == []
    assert "adjudicate" in crawl.names


@pytest.mark.by_day(4)
@pytest.mark.usefixtures("_refusals_once")
def test_an_admin_reads_no_judgment_before_the_pair_has_both(world):
    """The crawls of annotators and adjudicators above search for this note too."""
    crawl = visitor("admin").follow_links("/")
    # The crawl of all links also tells that none leads to an address that moved.
    assert "board" in crawl.names
    assert crawl.names.isdisjoint(MOVED)
    try_every_address(crawl, world, Role.ADMIN)

    assert crawl.holding(re.compile(f"{HALF_NOTE}|{REPEAT_NOTE}|{token_of_repeat(world)}")) == []
    # An admin may know the rest, so this crawl finds what there is to find.
    assert crawl.holding(secrets_from())


def forms_of(crawl: Crawl, username: str) -> Crawl:
    """The answers to all forms that the crawl found. What they change is undone."""
    with undone():
        return Crawl(logged_in(username), forms=crawl.forms).send_forms()


def everything_for(crawl: Crawl, world: World, role: str) -> dict[str, tuple[int, str]]:
    """The answers of a crawl, and of every address of the API."""
    for route, _, address in every_address(world, role):
        if route.startswith("api/v1/"):
            crawl.ask("get", address)
    return {answer.request: (answer.status, unvarying(answer.body)) for answer in crawl.answers}


def unvarying(body: str) -> str:
    """The answer without what is drawn anew for every request."""
    body = re.sub(r"\b[0-9A-Za-z]{64}\b", _csrf, body)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "KEY", body)


def _csrf(found: re.Match[str]) -> str:
    # A digest of what is shown is of lower-case hexadecimal digits, and must not vary.
    return found.group() if re.fullmatch("[0-9a-f]{64}", found.group()) else "CSRF"


def others_judge_on(world: World) -> None:
    """The others revise and judge on."""
    for slot in Slot.objects.of(world.collection).filter(annotator__username__in=["ann2", "ann3"]):
        judgment = slot.judgment
        judge(
            slot,
            Answer(grade=3 if judgment is None else (judgment.grade + 1) % 4, note="another note"),
        )
    for pair in PracticePair.objects.all():
        practise(pair, User.objects.get(username="ann2"), Answer(grade=0, note="another note"))
    # An open one, because each address would have another id with a new one.
    for request in HelpRequest.objects.of(world.collection).open():
        answer_help(request, "another answer")


def others_go_on(world: World) -> None:
    """The others revise, judge on and decide anew, and the metadata of all papers change."""
    others_judge_on(world)
    for slot in world.slots(1)[:2]:
        settle(slot, Ruling(grade=0, note="another note"))
    Document.objects.update(year=2001, venue="Other Venue", authors=["Other Author"])
    add_shadow_judge(world, "another-model")
    asking = Asking.objects.get(shadow_judge__name=ASKED_MODEL)
    for pair in Pair.objects.of(world.collection):
        an_answer(asking, pair, repetition=2, grade=0, raw="another answer")
    world.collection.runs.create(name="another-run", kind="file", sha256="2" * 64)
    world.collection.jobs.create(kind="build_pools", key="another")
    User.objects.exclude(username="ann1").update(first_name="Renamed")
