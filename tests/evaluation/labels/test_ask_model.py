"""Asking a model at a real server: what is kept, retried, counted, and stopped."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest

from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.models import Asking, ModelAnswer
from evaluation.shadow_judges.asking.conversation import FRUITLESS, ModelStopped
from evaluation.shadow_judges.asking.services import (
    Limits,
    ask_model,
    begin_asking,
    change_limits,
    checked_asking,
    estimate,
    spent,
)
from evaluation.shadow_judges.services import (
    ShadowJudgeError,
    ShadowNameTaken,
    delete_shadow_judge,
)
from jobs.context import DirectRun
from reports.services import changed_since, compute_report
from tests.support.asking_scenes import FAST, a_plan, asked
from tests.support.label_scenes import two_systems
from tests.support.model_server import Answered, completion, model_server, refuses, says
from tests.support.release_scenes import a_judged_collection, an_opened_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
PAIRS = 9


@once_a_file
def opened():
    return an_opened_collection()


@pytest.fixture
def serve(settings):
    """Starts a server with a script, whose address is the only one that is allowed."""
    open_servers = []

    def start(script=lambda number, received: says()):
        context = model_server(script)
        server = context.__enter__()
        open_servers.append(context)
        settings.MODEL_ADDRESSES = [server.url]
        return server

    yield start
    for context in open_servers:
        context.__exit__(None, None, None)


def test_every_pair_is_asked_once_and_each_answer_is_kept_as_it_came(opened, serve):
    server = serve(lambda number, received: says(f'A {number}.\n{{"grade": {number % 4}}}'))
    asking = asked(opened, a_plan(server.url, temperature=0.5, seed=7))

    answers = list(ModelAnswer.objects.order_by("pk"))
    assert len(server.requests) == len(answers) == asking.answers_count == PAIRS
    assert asking.problems == {}
    assert Counter(answer.grade for answer in answers) == Counter({1: 3, 0: 2, 2: 2, 3: 2})
    answer = answers[0]
    assert re.fullmatch(r'A \d\.\n\{"grade": \d\}', answer.raw)
    assert answer.raw[-2] == str(answer.grade)
    assert (answer.repetition, answer.swapped, answer.criteria, answer.problem) == (
        1,
        False,
        None,
        "",
    )
    assert (answer.reported_model, answer.fingerprint) == ("tiny-1-2026", "fp_1")
    assert (answer.finish_reason, answer.prompt_tokens, answer.completion_tokens) == (
        "stop",
        100,
        10,
    )
    assert answer.cost == Decimal("0.00012")  # 100 × 1 and 10 × 2 of a million
    assert 0 < answer.seconds < 20
    body = server.requests[0].body
    assert server.requests[0].path == "/v1/chat/completions"
    assert {key: body[key] for key in ("model", "temperature", "seed", "max_tokens")} == {
        "model": "tiny-1",
        "temperature": 0.5,
        "seed": 7,
        "max_tokens": 50,
    }
    assert asking.cost == PAIRS * Decimal("0.00012") == spent(asking)
    assert (asking.prompt_tokens, asking.completion_tokens) == (900, 90)


def test_a_prompt_has_what_judges_see_and_nothing_else(opened, serve):
    opened.documents.update(authors=["Secret Author"], venue="Secret Venue", year=1987)
    server = serve()
    asked(opened, a_plan(server.url))

    sent = "".join(received.user for received in server.requests)
    assert "Secret" not in sent
    assert "1987" not in sent
    first = opened.documents.get(docno="d1")
    assert all(sentence in sent for sentence in first.sentences)


def test_the_label_of_a_pair_is_the_grade_of_its_first_answer(opened, serve):
    server = serve(lambda number, received: says(f'{{"grade": {0 if number <= PAIRS else 3}}}'))
    one_at_a_time = replace(FAST, concurrency=1)  # the grade depends on the order of requests
    plan = a_plan(server.url, repetitions=2, swaps=True, limits=one_at_a_time)
    asking = asked(opened, plan)

    judge = asking.shadow_judge
    assert len(server.requests) == 4 * PAIRS == asking.answers_count
    variants = Counter(ModelAnswer.objects.values_list("repetition", "swapped", "grade"))
    assert variants == Counter(
        {(1, False, 0): 9, (1, True, 3): 9, (2, False, 3): 9, (2, True, 3): 9}
    )
    assert set(judge.labels.values_list("grade", flat=True)) == {0}
    assert judge.labels_count == judge.labels.count() == PAIRS
    seeds = Counter(received.body["seed"] for received in server.requests)
    assert seeds == Counter({1: 18, 2: 18})  # else the second answer would be the first again


def test_a_pair_without_a_valid_answer_has_no_label_and_is_counted(opened, serve):
    bodies = [
        completion('{"grade": 2}'),
        completion("Two."),
        completion('{"grade": 7}'),
        completion('{"grade": 1} or {"grade": 2}'),
        completion('{"grade": 2}', finish_reason="length"),
        completion(None, refusal="No."),
        completion(""),
        completion('{"grade": "2"}'),
        completion('{"grade": 3}', tokens=None),
    ]
    server = serve(lambda number, received: Answered(bodies[number - 1]))
    asking = asked(opened, a_plan(server.url, limits=replace(FAST, concurrency=1)))

    assert asking.problems == {
        "empty": 1,
        "invalid-grade": 1,
        "no-grade": 1,
        "off-scale": 1,
        "refused": 1,
        "several-grades": 1,
        "truncated": 1,
    }
    assert asking.shadow_judge.labels_count == asking.shadow_judge.labels.count() == 2
    uncounted = ModelAnswer.objects.get(prompt_tokens=None)
    assert uncounted.cost > Decimal("0.0001")  # the most that it can have cost


def test_each_criterion_is_kept(opened, serve):
    text = '{"exactness": 3, "coverage": 2, "topicality": 3, "contextual_fit": 1}'
    server = serve(lambda number, received: says(text))
    asked(opened, a_plan(server.url, template="criteria"))

    assert set(ModelAnswer.objects.values_list("grade", flat=True)) == {2}
    assert ModelAnswer.objects.first().criteria == {
        "exactness": 3,
        "coverage": 2,
        "topicality": 3,
        "contextual_fit": 1,
    }


def test_only_judged_pairs_of_some_facets_are_asked(serve):
    collection = a_judged_collection()
    server = serve()
    asking = asked(collection, a_plan(server.url, facets=("background",), pairs="judged"))
    assert asking.answers_count == len(server.requests) == 3


def test_only_pairs_with_both_judgments_are_asked(opened, serve):
    server = serve()
    with pytest.raises(ShadowJudgeError, match="no pair to ask about"):
        estimate(opened, checked_asking(opened, a_plan(server.url, pairs="judged")))


def test_a_busy_server_is_asked_again_when_it_says(opened, serve):
    def script(number, received):
        return refuses(429, "slow down", Retry_After="0.4") if number == 3 else says()

    server = serve(script)
    asking = asked(opened, a_plan(server.url))

    assert (asking.answers_count, asking.problems) == (PAIRS, {})
    assert len(server.requests) == PAIRS + 1
    times = [received.at for received in server.requests]
    assert max(after - before for before, after in pairwise(times)) > 0.35
    assert asking.unanswered_cost == 0  # an answer of 429 costs nothing


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_failing_server_is_asked_again(opened, serve, status):
    server = serve(lambda number, received: refuses(status) if number in (1, 2) else says())
    asking = asked(opened, a_plan(server.url))
    assert (asking.answers_count, asking.problems) == (PAIRS, {})
    assert len(server.requests) == PAIRS + 2


def test_half_an_answer_is_asked_again_and_its_cost_is_counted(opened, serve):
    server = serve(
        lambda number, received: Answered(completion(), cut=40) if number == 2 else says()
    )
    asking = asked(opened, a_plan(server.url))

    assert (asking.answers_count, asking.problems) == (PAIRS, {})
    assert asking.unanswered_requests == 1
    assert asking.unanswered_cost > Decimal("0.0001")


def test_an_answer_that_takes_too_long_is_asked_again(opened, serve):
    server = serve(lambda number, received: says()._replace(delay=3 if number == 1 else 0))
    asking = asked(opened, a_plan(server.url, limits=replace(FAST, timeout_seconds=1)))
    assert (asking.answers_count, asking.unanswered_requests) == (PAIRS, 1)


def test_nonsense_is_asked_three_times_and_then_counted(opened, serve):
    title = f"Title: {opened.documents.get(docno='d3').title}\n"

    def script(number, received):
        return Answered(b"<html>busy</html>") if title in received.user else says()

    server = serve(script)
    asking = asked(opened, a_plan(server.url))

    assert asking.problems == {"unreadable": 3}  # d3 is in three pools
    assert asking.unanswered_requests == 9
    assert ModelAnswer.objects.filter(problem="unreadable").first().raw == "<html>busy</html>"
    assert asking.shadow_judge.labels_count == PAIRS - 3


def test_a_text_that_the_server_rejects_is_counted_once(opened, serve):
    def script(number, received):
        return refuses(400, "context length") if number == 4 else says()

    server = serve(script)
    asking = asked(opened, a_plan(server.url))
    assert asking.problems == {"rejected": 1}
    assert len(server.requests) == PAIRS
    assert "context length" in ModelAnswer.objects.get(problem="rejected").raw


def test_a_text_on_which_the_server_always_fails_is_counted_when_others_work(opened, serve):
    title = f"Title: {opened.documents.get(docno='d2').title}\n"

    def script(number, received):
        return Answered(completion(), cut=0) if title in received.user else says()

    server = serve(script)
    asking = asked(opened, a_plan(server.url, limits=replace(FAST, concurrency=1)))
    assert asking.problems == {"unanswered": 2}  # d2 is in two pools, and not in the last one
    assert asking.unanswered_requests == 12


def test_a_server_that_dies_in_the_middle_ends_it_and_no_pair_is_given_up(opened, serve):
    server = serve(lambda number, received: says() if number <= 4 else refuses(500))
    with pytest.raises(ModelStopped, match="did not answer 6 times"):
        asked(opened, a_plan(server.url, limits=replace(FAST, concurrency=3)))
    asking = Asking.objects.get()
    assert (asking.answers_count, asking.problems) == (4, {})


@pytest.mark.parametrize(
    ("status", "text"), [(401, "bad key"), (403, "no"), (404, "no such model"), (402, "pay")]
)
def test_a_server_that_refuses_everything_ends_it_and_says_why(opened, serve, status, text):
    server = serve(lambda number, received: refuses(status, text) if number > 3 else says())
    begin_asking(collection=opened, plan=a_plan(server.url), begun_by=None)
    with pytest.raises(ModelStopped, match=f"{status}: .*{text}.*answers so far are kept"):
        ask_model(collection=opened, name="asked")
    assert 1 <= ModelAnswer.objects.count() <= 3 + FAST.concurrency
    assert len(server.requests) <= 3 + FAST.concurrency

    server.script = lambda number, received: says()
    ask_model(collection=opened, name="asked")
    assert ModelAnswer.objects.count() == PAIRS


def test_a_spent_quota_ends_it_at_once(opened, serve):
    server = serve(lambda number, received: refuses(429, "insufficient_quota"))
    with pytest.raises(ModelStopped, match="insufficient_quota"):
        asked(opened, a_plan(server.url, limits=replace(FAST, concurrency=1)))
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed(opened, serve, settings):
    with model_server() as elsewhere:
        server = serve(
            lambda number, received: refuses(307, Location=f"{elsewhere.url}/chat/completions")
        )
        with pytest.raises(ModelStopped, match="307"):
            asked(opened, a_plan(server.url))
        assert elsewhere.requests == []


def test_no_server_at_all_ends_it(opened, settings):
    settings.MODEL_ADDRESSES = ["http://127.0.0.1:9/v1"]
    with pytest.raises(ModelStopped, match="did not answer 6 times"):
        asked(opened, a_plan("http://127.0.0.1:9/v1"))
    assert spent(Asking.objects.get()) == 0


def test_a_server_that_asks_to_wait_for_long_ends_it(opened, serve):
    server = serve(lambda number, received: refuses(429, Retry_After="86400"))
    with pytest.raises(ModelStopped, match="asks to wait 86,400 seconds"):
        asked(opened, a_plan(server.url, limits=replace(FAST, concurrency=1)))


def test_no_more_is_spent_when_no_answer_has_a_grade(opened, serve):
    server = serve(lambda number, received: says("I would say two."))
    with pytest.raises(ModelStopped, match=f"None of the first {FRUITLESS} answers has a grade"):
        asked(opened, a_plan(server.url, repetitions=5, limits=replace(FAST, concurrency=1)))
    assert len(server.requests) == FRUITLESS


def test_the_budget_stops_it_and_is_never_exceeded(opened, serve):
    server = serve(lambda number, received: says(tokens=(1000, 50))._replace(delay=0.02))
    plan = a_plan(server.url)
    largest = estimate(opened, checked_asking(opened, plan)).most_cost_of_one
    each = Decimal("0.0011")
    limits = replace(FAST, budget=3 * each + largest)
    asking = asked(opened, replace(plan, limits=limits))

    assert 3 <= asking.answers_count < PAIRS
    assert asking.cost == asking.answers_count * each
    assert limits.budget - largest < spent(asking) <= limits.budget

    change_limits(collection=opened, name="asked", limits=FAST)
    result = ask_model(collection=opened, name="asked")
    assert (result["answers"], "stopped_by_the_budget" in result) == (PAIRS, False)
    assert len(server.requests) == PAIRS  # none was asked twice


def test_a_budget_below_one_request_sends_nothing(opened, serve):
    server = serve()
    asking = asked(opened, a_plan(server.url, limits=replace(FAST, budget=Decimal("0.000001"))))
    assert (asking.answers_count, server.requests) == (0, [])


def test_lost_answers_count_against_the_budget(opened, serve):
    """A server may have made the answer that was lost, and charge for it."""
    server = serve(lambda number, received: Answered(completion(), cut=10))
    plan = a_plan(server.url)
    largest = estimate(opened, checked_asking(opened, plan)).most_cost_of_one
    limits = replace(FAST, budget=3 * largest, concurrency=1)
    asking = asked(opened, replace(plan, limits=limits))
    assert 3 <= len(server.requests) == asking.unanswered_requests <= 4
    assert asking.unanswered_cost <= limits.budget


def test_requests_keep_to_their_rate_and_number(opened, serve):
    server = serve(lambda number, received: says()._replace(delay=0.3))
    asked(opened, a_plan(server.url, limits=replace(FAST, concurrency=3)))
    assert server.most_at_once == 3

    server.requests.clear()
    began = time.monotonic()
    limits = replace(FAST, requests_per_minute=300, concurrency=9)
    asked(opened, a_plan(server.url, "slow", limits=limits))
    # A burst of five, and the other four 0.2 s apart. It can only take longer on a busy machine.
    assert server.requests[-1].at - began > 0.7


def test_a_cancelled_run_ends_at_once_and_continues_where_it_was(opened, serve):
    class Stopped(Exception):
        pass

    class Impatient(DirectRun):
        def progress(self, done, total, note=""):
            if done >= 3:
                raise Stopped

    hold = threading.Event()

    def script(number, received):
        return says()._replace(until=hold if number > 3 else None)

    server = serve(script)
    begin_asking(collection=opened, plan=a_plan(server.url), begun_by=None)
    began = time.monotonic()
    with pytest.raises(Stopped):
        ask_model(collection=opened, name="asked", work=Impatient())
    assert time.monotonic() - began < 10  # the server holds its answers for 30 seconds
    asking = Asking.objects.get()
    assert asking.answers_count == ModelAnswer.objects.count() == 3
    assert asking.in_flight_requests >= 1
    assert spent(asking) > asking.cost

    hold.set()
    ask_model(collection=opened, name="asked")
    asking = Asking.objects.get()
    assert asking.answers_count == ModelAnswer.objects.count() == PAIRS
    assert (asking.in_flight_requests, asking.in_flight_cost) == (0, 0)
    assert asking.unanswered_requests >= 1  # those that were on their way


def test_limits_that_are_changed_meanwhile_are_kept_to(opened, serve):
    class Raising(DirectRun):
        def progress(self, done, total, note=""):
            if done == 1:
                change_limits(collection=opened, name="asked", limits=FAST)

    alone = replace(FAST, requests_per_minute=600, concurrency=1)
    server = serve(lambda number, received: says()._replace(delay=0.4))
    begin_asking(collection=opened, plan=a_plan(server.url, limits=alone), begun_by=None)
    ask_model(collection=opened, name="asked", work=Raising())
    assert len(server.requests) == PAIRS
    assert server.most_at_once > 1


def test_a_deleted_shadow_judge_ends_it(opened, serve):
    class Deleting(DirectRun):
        def progress(self, done, total, note=""):
            if 3 <= done < PAIRS and opened.shadow_judges.exists():
                delete_shadow_judge(collection=opened, name="asked")

    plan = a_plan(serve().url, limits=replace(FAST, concurrency=1))
    begin_asking(collection=opened, plan=plan, begun_by=None)
    with pytest.raises(ShadowJudgeError, match="deleted meanwhile"):
        ask_model(collection=opened, name="asked", work=Deleting())
    assert not ModelAnswer.objects.exists()


def test_an_asked_model_is_compared_like_any_shadow_judge(serve):
    collection = a_judged_collection()
    two_systems(collection)
    server = serve()
    asking = asked(collection, a_plan(server.url))
    report = compute_report(ShadowJudgeReport("AP", "asked"), collection=collection)

    assert report.payload["agreement"]["facets"][-1]["pairs"] == 7
    assert not changed_since(report)
    assert re.fullmatch("[0-9a-f]{64}", asking.shadow_judge.sha256)
    server.requests.clear()
    limits = replace(FAST, budget=Decimal(0))
    begin_asking(collection=collection, plan=a_plan(server.url, "b", limits=limits), begun_by=None)
    early = compute_report(ShadowJudgeReport("AP", "b"), collection=collection)
    change_limits(collection=collection, name="b", limits=FAST)
    ask_model(collection=collection, name="b")
    assert changed_since(early) == "the labels of the model and the answers of the model"


def test_an_address_must_be_allowed(opened, settings):
    for allowed in (
        [],
        ["http://127.0.0.1:1/v1"],
        ["http://127.0.0.1:9/v1?key=QRELSMITH_MODEL_KEY_A"],
    ):
        settings.MODEL_ADDRESSES = allowed
        with pytest.raises(ShadowJudgeError, match="not allowed on this server"):
            checked_asking(opened, a_plan("http://127.0.0.1:9/v1"))


def test_a_missing_package_is_named_before_anything_is_stored(opened, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ShadowJudgeError, match=r"needs the package openai, .* pip install openai"):
        checked_asking(opened, a_plan("http://127.0.0.1:9/v1"))


def test_an_address_that_is_no_longer_allowed_is_not_asked(opened, serve, settings):
    server = serve()
    begin_asking(collection=opened, plan=a_plan(server.url), begun_by=None)
    settings.MODEL_ADDRESSES = []
    with pytest.raises(ShadowJudgeError, match="not allowed on this server"):
        ask_model(collection=opened, name="asked")
    assert server.requests == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "two words"}, "Invalid name"),
        ({"model": " "}, "model is missing"),
        ({"template": "other"}, "is not for this collection"),
        ({"facets": ("colour",)}, 'Unknown facet "colour"'),
        ({"temperature": 2.5}, "temperature must be from 0 to 2.0"),
        ({"temperature": float("nan")}, "temperature"),
        ({"max_tokens": 0}, "longest answer"),
        ({"repetitions": 21}, "repetitions"),
        ({"prompt_price": Decimal(-1)}, "price of prompts"),
        ({"currency": "Euro"}, "currency"),
        ({"pairs": "some"}, "choice of pairs"),
        ({"limits": Limits(budget=Decimal(-1))}, "budget"),
        ({"limits": Limits(concurrency=0)}, "at once"),
        ({"limits": Limits(requests_per_minute=0)}, "per minute"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused(opened, serve, changes, message):
    plan = replace(a_plan(serve().url), **changes)
    with pytest.raises(ShadowJudgeError, match=message):
        checked_asking(opened, plan)


def test_a_template_of_another_scale_is_not_offered(serve):
    collection = an_opened_collection(highest_grade=2)
    server = serve(lambda number, received: says('{"grade": 3}' if number == 1 else '{"grade": 2}'))
    with pytest.raises(ShadowJudgeError, match="grades are 0 to 2"):
        checked_asking(collection, a_plan(server.url, template="umbrela"))
    asking = asked(collection, a_plan(server.url))
    assert asking.problems == {"off-scale": 1}


def test_a_name_is_used_once(opened, serve):
    plan = a_plan(serve().url)
    begin_asking(collection=opened, plan=plan, begun_by=None)
    with pytest.raises(ShadowNameTaken):
        begin_asking(collection=opened, plan=plan, begun_by=None)


def test_the_dry_run_sends_nothing_and_its_estimate_covers_the_price(opened, serve):
    server = serve(lambda number, received: says(tokens=(len(received.user) // 4, 40)))
    plan = a_plan(server.url, swaps=True, repetitions=3)
    planned = estimate(opened, checked_asking(opened, plan))

    assert server.requests == []
    assert (planned.pairs, planned.requests, len(planned.prompts)) == (PAIRS, 6 * PAIRS, 3)
    assert {request.query for request in planned.prompts} == set(
        opened.queries.values_list("name", flat=True)
    )
    asking = asked(opened, plan)
    assert asking.answers_count == planned.requests
    assert planned.prompt_tokens == pytest.approx(asking.prompt_tokens, rel=0.1)
    assert asking.cost < planned.most_cost
    sent = {received.user for received in server.requests}
    assert {request.prompt.user for request in planned.prompts} <= sent
