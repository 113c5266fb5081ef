"""Models as judges: asked over a real HTTP server that misbehaves, and measured beside people."""

from __future__ import annotations

import io
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import reverse
from sklearn.metrics import cohen_kappa_score

from accounts.models import User
from evaluation import asking, model_judges
from evaluation.asking import Answer, read_grade, without_key
from evaluation.model_judges import import_labels, kappa_interval, prompts_of, start_asking, unasked
from evaluation.models import ModelJudge, ModelLabel, Problem
from jobs import work
from jobs.models import Job, State
from release.building import build_release
from release.publishing import draft
from tests import builders
from tests.addresses import addresses
from tests.release.helpers import files_of
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db
KEY = "sk-SECRET/key+7"


def completion(text, **choice) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}, **choice}]}).encode()


class Model:
    """A server of the protocol. `answers` come first, then `usual`: (status, body, headers, seconds of delay)."""

    def __init__(self) -> None:
        self.answers: list[tuple] = []
        self.usual = (200, completion('{"grade": 2}'))
        self.requests: list[dict] = []
        self.keys: set[str | None] = set()
        self.lock, self.ended = threading.Lock(), threading.Event()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with model.lock:
                    model.requests.append(body)
                    model.keys.add(self.headers["Authorization"])
                    status, content, *more = (model.answers or [model.usual]).pop(0)
                headers, delay = (*more, *({}, 0)[len(more) :])
                model.ended.wait(delay)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][0]["content"] for request in self.requests]


@pytest.fixture
def model(settings, monkeypatch):
    made = Model()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.MODEL_ADDRESSES = [f"local-gpu={made.url}/v1"]
    monkeypatch.setenv("MODEL_KEY_LOCAL_GPU", KEY)
    monkeypatch.setattr(model_judges, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(asking, "TIMEOUT_SECONDS", 5.0)
    yield made
    made.ended.set()
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.fixture
def judged(query, people, collection):
    """Eight labelled pairs, d01 to d08, with grades 0 to 3, and two systems."""
    builders.judge_all(query, {f"d{number:02}": (number % 4, number % 4) for number in range(1, 9)})
    builders.run(collection, "good", {query: ["d03", "d07", "d02", "d06", "d11", "d01"]})
    builders.run(collection, "poor", {query: ["d11", "d10", "d04", "d08", "d01", "d03"]})
    return collection


def added(collection, **fields) -> ModelJudge:
    values = {"name": "llama", "model": "llama-3", "address": "local-gpu", "prompt": "guideline", "parameters": {}}
    return model_judges.add_model(collection=collection, by=builders.person("admin"), **values | fields)


def asked(judge, most=100) -> Job:
    started = start_asking(judge=judge, most=most, by=builders.person("admin"))
    work.run(started.pk)
    started.refresh_from_db()
    judge.refresh_from_db()
    return started


def imported(collection, grades, name="imported") -> ModelJudge:
    lines = ["query,docno,grade", *(f"d00_method,{docno},{grade}" for docno, grade in grades.items())]
    file = io.BytesIO("\n".join(lines).encode())
    return import_labels(collection=collection, name=name, model="m", file=file, by=builders.person("admin"))


def test_every_labelled_pair_is_asked_once_with_what_was_set(judged, model):
    judge = added(judged, parameters={"temperature": 0, "seed": 5})
    job = asked(judge)
    assert (job.state, job.result) == (State.SUCCEEDED, {"answers": 8, "without a grade": 0, "left": 0})
    assert list(judge.labels.values_list("grade", "problem").distinct()) == [(2, "")]
    assert (judge.requests, len(set(model.prompts))) == (8, 8)
    assert model.keys == {f"Bearer {KEY}"}
    assert {(r["model"], r["temperature"], r["seed"]) for r in model.requests} == {("llama-3", 0, 5)}


def test_open_pairs_are_not_asked(query, collection, people, model):
    builders.judge(query.pairs.get(document__docno="d01"), people.ann, 2)
    assert unasked(added(collection)) == []


def test_it_stops_at_the_given_number_and_goes_on_where_it_stopped(judged, model):
    judge = added(judged)
    assert asked(judge, most=3).result["left"] == 5
    assert (len(model.requests), judge.labels.count()) == (3, 3)
    asked(judge)
    assert (len(model.requests), len(set(model.prompts)), judge.labels.count()) == (8, 8, 8)


def test_busy_and_broken_servers_are_asked_again(judged, model):
    model.answers = [(429, b"slow down", {"Retry-After": "0.01"}), (500, b"oops"), (503, b""), (429, b"")]
    judge = added(judged)
    assert asked(judge).state == State.SUCCEEDED
    assert (judge.labels.count(), judge.requests, len(model.requests)) == (8, 12, 12)


def test_failed_requests_count_against_the_number(judged, model):
    model.usual = (500, b"oops")
    judge = added(judged)
    job = asked(judge, most=6)
    assert (job.result["left"], judge.requests, len(model.requests)) == (8, 6, 6)


def test_a_server_that_never_answers_ends_the_job_and_keeps_the_answers(judged, model):
    model.answers = [model.usual] * 4
    model.usual = (500, b"oops")
    judge = added(judged)
    job = asked(judge)
    assert job.state == State.FAILED
    assert "500: oops" in job.error
    assert (judge.labels.count(), Counter(model.prompts).most_common(1)[0][1]) == (4, model_judges.MOST_ATTEMPTS)


def test_an_answer_that_comes_too_late_is_asked_for_again(judged, model, monkeypatch):
    monkeypatch.setattr(asking, "TIMEOUT_SECONDS", 0.2)
    model.answers = [(200, completion("1"), {}, 30)]
    judge = added(judged)
    assert asked(judge).state == State.SUCCEEDED
    assert judge.requests == 9


@pytest.mark.parametrize("status", [401, 403, 404, 302])
def test_what_refuses_every_request_ends_the_job_at_once(judged, model, status):
    model.usual = (status, b"no", {"Location": f"{model.url}/elsewhere"})
    job = asked(added(judged))
    assert job.state == State.FAILED
    assert str(status) in job.error
    assert len(model.requests) == model_judges.AT_ONCE


def test_a_parameter_that_the_server_rejects_costs_one_batch(judged, model):
    model.usual = (400, b'{"error": "max_tokens is not supported"}')
    judge = added(judged)
    assert "max_tokens is not supported" in asked(judge).error
    assert (len(model.requests), judge.labels.count()) == (model_judges.AT_ONCE, 0)


def test_nonsense_is_counted_and_listed_with_what_came(judged, model, as_):
    refusal = json.dumps({"choices": [{"message": {"content": None, "refusal": "I cannot."}}]}).encode()
    model.answers = [
        (200, b"<html>Bad gateway</html>"),
        (200, b'{"choices": []}'),
        (200, refusal),
        (200, completion("I think \x00 it is fine.")),
        (200, completion('{"grade": 9}')),
        (200, completion('{"grade": 1}', finish_reason="length")),
        (400, b"too long"),
    ]
    judge = added(judged)
    assert asked(judge).result == {"answers": 8, "without a grade": 7, "left": 0}
    found = Counter(judge.labels.values_list("problem", flat=True))
    assert found == Counter(
        {"unreadable": 2, "refused": 1, "no-grade": 1, "off-scale": 1, "cut-off": 1, "rejected": 1, "": 1}
    )
    assert judge.labels.get(problem=Problem.NO_GRADE).answer == "I think \ufffd it is fine."
    page = as_("admin").get(reverse("model-judge", args=[judged.slug, judge.pk]), {"problem": "unreadable"})
    assert page.context["malformed"] == 7
    assert b"Bad gateway" in page.content


def test_a_killed_worker_loses_its_last_batch_at_most_and_asks_no_pair_twice_in_the_rows(judged, model, monkeypatch):
    class Killed(BaseException):
        pass

    def kill(self, done, *_):
        raise Killed

    judge = added(judged)
    started = start_asking(judge=judge, most=100, by=None)
    with monkeypatch.context() as patched:
        patched.setattr(work.Work, "progress", kill)
        with pytest.raises(Killed):
            work.run(started.pk)
    assert judge.labels.count() == model_judges.AT_ONCE
    Job.objects.filter(pk=started.pk).update(state=State.QUEUED)
    work.run(started.pk)
    assert (judge.labels.count(), len(model.requests), len(set(model.prompts))) == (8, 8, 8)


def test_a_model_is_asked_by_one_job_at_a_time_and_not_deleted_meanwhile(judged, model):
    judge = added(judged)
    first = start_asking(judge=judge, most=5, by=None)
    assert start_asking(judge=judge, most=7, by=None) == first
    with pytest.raises(Conflict):
        model_judges.delete_model(judge=judge)


@pytest.mark.parametrize(
    "echo",
    [
        (200, completion(f"Your key is {KEY}")),
        (200, completion(KEY).replace(b"sk-", b"\\u0073k-")),
        (200, completion("sk-SECRET%2Fkey%2B7")),
        (200, f"<html>{KEY}</html>".encode()),
        (400, json.dumps({"error": KEY}).encode()),
        (401, f"Incorrect API key {KEY}".encode()),
        (500, f"Bearer {KEY.upper()}".encode()),
        (500, b"oops", {"Retry-After": KEY}),
    ],
)
def test_a_key_is_in_no_row_page_or_log(judged, model, as_, caplog, echo):
    model.answers = [(200, completion("2"))] * 4
    model.usual = echo
    judge = added(judged)
    job = asked(judge)
    rows = [*judge.labels.values_list("answer", flat=True), str(ModelJudge.objects.values().get()), job.error]
    rows += [str(job.result), str(job.parameters), job.note, caplog.text]
    client = as_("admin")
    for path in (reverse("model-judge", args=[judged.slug, judge.pk]), reverse("job", args=[judged.slug, job.pk])):
        rows.append(client.get(path).content.decode())
    released = build_release(judged, version="1.0", with_texts=True, reasons={}, with_models=True)
    rows += [files_of(released.content)[f"models/llama/{name}"] for name in ("answers.jsonl", "model.json")]
    for text in rows:
        assert "sk-secret" not in text.casefold()
        assert "key+7" not in text.casefold()
        assert "key%2B7" not in text


def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(judged, model, monkeypatch):
    monkeypatch.setenv("MODEL_KEY_LOCAL_GPU", "sk SECRET")
    with pytest.raises(BadInput) as refused:
        added(judged)
    assert "SECRET" not in str(refused.value)


def test_without_a_key_none_is_sent(judged, model, monkeypatch):
    monkeypatch.delenv("MODEL_KEY_LOCAL_GPU")
    asked(added(judged), most=1)
    assert model.keys == {None}
    assert without_key("text", "") == "text"


def test_only_addresses_of_the_server_are_asked(judged, model, as_, settings):
    settings.MODEL_ADDRESSES = ["good=https://host/v1/", "BAD=http://a", "ftp=ftp://a", "user=http://me:word@a"]
    assert asking.addresses() == {"good": "https://host/v1"}
    form = {"name": "a", "model": "m", "prompt": "guideline", "parameters": "{}", "address": "http://evil/v1"}
    assert as_("admin").post(reverse("add-model", args=[judged.slug]), form).status_code == 200
    with pytest.raises(BadInput):
        added(judged, address="http://evil/v1")
    assert not ModelJudge.objects.exists()


@pytest.mark.parametrize(
    "parameters",
    [
        '{"a": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"a": ' + "1" * 5_000 + "}",
        '{"a": NaN}',
        r'{"a": "\ud800 \u0000"}',
    ],
    ids=["brackets", "digits", "NaN", "letters"],
)
def test_parameters_that_nothing_can_keep_are_refused_and_stay_typed(judged, model, as_, parameters):
    form = {"name": "a", "model": "m", "prompt": "guideline", "parameters": parameters, "address": "local-gpu"}
    page = as_("admin").post(reverse("add-model", args=[judged.slug]), form)
    assert (page.status_code, list(page.context["form"].errors)) == (200, ["parameters"])
    assert page.context["form"]["parameters"].value() == parameters
    assert not ModelJudge.objects.exists()


def test_a_dry_run_shows_three_prompts_and_the_number_and_sends_nothing(judged, model, as_):
    client = as_("admin")
    form = {"name": "a", "model": "m", "prompt": "umbrela", "parameters": "{}", "address": "local-gpu"}
    page = client.post(reverse("add-model", args=[judged.slug]), form, follow=True)
    assert (len(page.context["prompts"]), page.context["unasked"], model.requests) == (3, 8, [])
    judge = ModelJudge.objects.get()
    client.post(reverse("model-judge", args=[judged.slug, judge.pk]), {"most": 3})
    work.run(Job.objects.get(kind="ask_model").pk)
    assert sorted(model.prompts) == sorted(page.context["prompts"])


def test_a_prompt_has_the_guideline_of_its_time_and_marks_the_facet(judged, model):
    from annotation.guidelines import save_guideline

    about = {"collection": judged, "facet": "method", "change": "", "by": None}
    grades = [{"definition": f"costs ${n}", "examples": ""} for n in range(4)]
    save_guideline(text="Pay $query attention.", grades=grades, **about)
    judge = added(judged)
    save_guideline(text="Something else.", grades=grades, **about)
    (prompt,) = prompts_of(judge, unasked(judge)[:1])
    assert "Pay $query attention." in prompt
    assert "costs $3" in prompt
    assert "[[How d00 works.]]" in prompt
    other = added(judged, name="later")
    assert len(judge.prompt_version) == 64
    assert judge.prompt_version != other.prompt_version


@pytest.mark.parametrize(
    "wrong", [{"prompt": "other"}, {"parameters": {"messages": []}}, {"address": "none"}, {"name": "taken"}]
)
def test_what_cannot_be_asked_is_refused(judged, model, wrong):
    imported(judged, {"d01": 1}, name="taken")
    with pytest.raises(BadInput):
        added(judged, **wrong)


def test_umbrela_needs_its_four_grades(db, model):
    with pytest.raises(BadInput):
        added(builders.collection("two", grades=["no", "yes"], relevant_from=1), prompt="umbrela")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"grade": 2}', (2, "")),
        ('Well.\n```json\n{"grade": 0}\n```', (0, "")),
        ("##final score: 3", (3, "")),
        (" 1\n", (1, "")),
        ("", (None, "empty")),
        ('{"grade": "2"}', (None, "no-grade")),
        ('{"grade": true}', (None, "no-grade")),
        ('{"grade": 1.5}', (None, "no-grade")),
        ("final score: 2.5", (None, "no-grade")),
        ('{"grade": -1}', (None, "off-scale")),
        ("4", (None, "off-scale")),
        ('{"grade": 1} {"grade": 1}', (None, "several")),
        ('{"grade": 1, "grade": 2}', (None, "several")),
        ("Grade 2 or 3", (None, "no-grade")),
        ("{" * 5_000, (None, "no-grade")),
        ("9" * 5_000, (None, "no-grade")),
    ],
)
def test_an_answer_has_one_grade_or_a_problem(text, read):
    assert read_grade(Answer(text), 3) == read


def test_labels_come_from_a_file_with_grades_or_raw_answers(judged, as_):
    content = 'query,docno,answer\nd00_method,d01,"{""grade"": 1}"\nd00_method,d02,"No idea, sorry"\n'
    file = SimpleUploadedFile("labels.csv", b"\xef\xbb\xbf" + content.encode())
    form = {"name": "gpt", "model": "gpt-x", "file": file}
    page = as_("admin").post(reverse("import-model", args=[judged.slug]), form, follow=True)
    assert page.status_code == 200
    found = ModelLabel.objects.order_by("document__docno").values_list("grade", "problem", "answer")
    assert list(found) == [(1, "", '{"grade": 1}'), (None, "no-grade", "No idea, sorry")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"query,docno\na,b\n", "grade or answer"),
        (b"query,docno,grade\nd00_method,d99,1\n", "Line 2"),
        (b"query,docno,grade\nd00_method,d01,1\nd00_method,d01,1\n", "Line 3"),
        (b"query,docno,grade\n", "no labels"),
        (b"query,docno,grade\n\xff\n", "UTF-8"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_whole(judged, content, said):
    with pytest.raises(BadInput, match=said), transaction.atomic():
        import_labels(collection=judged, name="a", model="m", file=io.BytesIO(content), by=builders.person("admin"))
    assert not ModelJudge.objects.exists()


def test_a_model_stands_beside_people(judged, as_):
    theirs = {"d01": 1, "d02": 3, "d03": 3, "d04": 0, "d05": 1, "d06": 1, "d07": 0}
    judge = imported(judged, theirs)
    address = reverse("model-judge", args=[judged.slug, judge.pk])
    page = as_("admin").get(address, {"profile": "trec"})
    (row,) = page.context["facets"]
    kappa = cohen_kappa_score(list(theirs.values()), [int(docno[1:]) % 4 for docno in theirs])
    by_name = {each["name"]: each for each in row["compared"]}
    assert (row["pairs"], by_name["Final label"]["kappa"][0]) == (7, pytest.approx(kappa))
    assert by_name[str(User.objects.get(username="ann").pk)]["pairs"] == 7
    assert by_name["The two judges with each other"]["percent"][0] == 100
    assert (row["matrix"][2], row["matrix"][3]) == ([0, 1, 0, 1], [1, 0, 0, 1])
    assert (row["tau"], row["low"]) == (1.0, None)
    csv = as_("admin").get(address, {"profile": "trec", "figure": "model-method"})
    assert b"".join(csv.streaming_content).startswith(b",0,1,2,3")


def test_a_models_labels_can_turn_the_ranking_round(judged, as_):
    judge = imported(judged, {"d02": 0, "d03": 0, "d04": 3, "d06": 0, "d07": 0, "d08": 3, "d01": 0})
    page = as_("admin").get(reverse("model-judge", args=[judged.slug, judge.pk]), {"profile": "trec"})
    (row,) = page.context["facets"]
    assert (row["tau"], row["swaps"]) == (-1.0, [("good", "poor")])


def test_a_model_with_known_errors_is_measured_within_its_interval():
    """Labels drawn from known shares, the model's grades from known errors: κ of the population is in the interval."""
    shares = np.array([0.5, 0.25, 0.15, 0.1])
    errors = np.array([[0.8, 0.1, 0.1, 0], [0.2, 0.6, 0.1, 0.1], [0.1, 0.2, 0.6, 0.1], [0, 0.1, 0.2, 0.7]])
    joint = shares[:, None] * errors
    agreed, chance = np.trace(joint), joint.sum(0) @ joint.sum(1)
    true = (agreed - chance) / (1 - chance)
    covered, draws = 0, np.random.default_rng(7)
    for seed in range(60):
        matrices = draws.multinomial(40, joint.ravel(), size=30).reshape(-1, 4, 4)
        low, high = kappa_interval(matrices, str(seed))
        covered += low <= true <= high
    assert covered >= 53  # 95 % of 60 are 57; fewer than 53 would come by chance once in a hundred
    assert kappa_interval(matrices[:9], "seed") is None


def test_a_release_is_the_same_with_and_without_models(judged):
    before = draft(judged, with_texts=True)
    imported(judged, {"d01": 3, "d02": 3})
    assert draft(judged, with_texts=True) == before


@pytest.mark.parametrize("username", ["ann", "ada"])
def test_who_judges_or_decides_learns_nothing_of_it(judged, as_, username):
    judge = imported(judged, {"d01": 3}, name="secretmodel")
    client = as_(username)
    for _, path in addresses(judged):
        answer = client.get(path)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert b"secretmodel" not in body, path
    assert client.get(reverse("model-judge", args=[judged.slug, judge.pk])).status_code == 403
    assert client.post(reverse("delete-model", args=[judged.slug, judge.pk])).status_code == 403


def test_an_admin_does_not_see_a_models_grade_of_a_pair_that_is_open(query, collection, as_, people):
    builders.judge(query.pairs.get(document__docno="d01"), people.ann, 1)
    judge = imported(collection, {"d01": 3, "d11": 2})
    page = as_("admin").get(reverse("model-judge", args=[collection.slug, judge.pk]))
    assert [label.document.docno for label in page.context["table"].page] == ["d11"]


def test_deleting_a_model_takes_its_labels(judged, as_):
    judge = imported(judged, {"d01": 3})
    assert as_("admin").post(reverse("delete-model", args=[judged.slug, judge.pk])).status_code == 302
    assert not ModelLabel.objects.exists()
