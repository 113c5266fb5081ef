"""The API: the script of its docs from documents to a release, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
import zipfile
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from knox.models import get_token_model

from adjudication.labels import labelled_pairs
from annotation.models import Judgment, Slot
from config.celery import app
from jobs import work
from tests import builders

pytestmark = pytest.mark.django_db
PAPERS = 3


def token_of(person) -> str:
    return get_token_model().objects.create(user=person, expiry=timedelta(hours=1))[1]


@pytest.fixture
def call(collection):
    """`call("ann", "judging/")` gets, and with a body posts, by a token: its answer."""

    def send(username: str, path: str, body=None, **more):
        headers = {"authorization": f"Token {token_of(builders.person(username))}"}
        url = f"/api/collections/papers/{path}"
        if body is None:
            return Client().get(url, headers=headers)
        kind = {} if more else {"content_type": "application/json"}
        return Client(enforce_csrf_checks=True).post(url, body | more, headers=headers, **kind)

    return send


@pytest.mark.django_db(transaction=True)
def test_the_script_of_the_docs_goes_from_documents_to_a_release(live_server, collection, people, tmp_path, settings):
    """Celery runs each job where it is sent: the script needs no worker here."""
    settings.MEDIA_ROOT = tmp_path / "files"
    script = re.search(r"```python\n(.*?)```", (settings.BASE_DIR / "docs/api.md").read_text(), re.DOTALL)[1]
    data = settings.BASE_DIR / "demo/data"
    (tmp_path / "documents.jsonl").write_bytes((data / "documents.jsonl").read_bytes())
    asked = json.loads((data / "queries.json").read_text())[:PAPERS]
    (tmp_path / "papers.txt").write_text("".join(f"{each['docno']} {each['facet']}\n" for each in asked))
    tokens = " ".join(token_of(each) for each in (people.admin, people.ann, people.bob, people.ada))
    environment = {"SERVER": live_server.url, "COLLECTION": collection.slug, "TOKENS": tokens}
    app.conf.task_always_eager = True
    try:
        command = [sys.executable, "-c", script]
        ran = subprocess.run(command, cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True)
    finally:
        app.conf.task_always_eager = False
    assert ran.returncode == 0, ran.stderr
    lines = dict(line.split(": ") for line in ran.stdout.splitlines() if ": " in line)
    assert int(lines["Queries"]) == PAPERS
    assert lines["Labels"] == lines["Pairs"]
    labels = labelled_pairs(collection)
    assert set(labels["state"]) == {"agreed", "decided"}
    with zipfile.ZipFile(tmp_path / "release.zip") as archive:
        archive.extractall(tmp_path / "release")
    verified = subprocess.run([sys.executable, "verify.py"], cwd=tmp_path / "release", capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout
    qrels = (tmp_path / "release/trec/qrels.all.txt").read_text().splitlines()
    expected = {(row.query, row.docno, str(row.final)) for row in labels.itertuples()}
    assert {(query, docno, grade) for query, _, docno, grade in map(str.split, qrels)} == expected


def judgment_of(pair: dict, **changes) -> dict:
    return {"grade": 1, "key": str(uuid.uuid4()), "digest": pair["digest"]} | changes


def test_a_judgment_counts_once_and_a_wrong_digest_is_refused(query, call):
    pair, other, *_ = call("ann", f"judging/{query.pk}/pairs/").json()
    path = f"judging/{query.pk}/pairs/{pair['token']}/"
    sent = judgment_of(pair)
    assert call("ann", path, sent | {"digest": other["digest"]}).status_code == 409
    assert [call("ann", path, sent).json() for _ in range(2)] == [{"key": sent["key"]}] * 2
    assert call("ann", path, sent | {"grade": 2}).status_code == 409
    assert Judgment.objects.count() == 1
    shown = call("ann", path).json()
    assert shown["judgment"] == {"grade": 1, "reason": "", "note": "", "key": sent["key"]}
    assert call("ann", path, judgment_of(shown, grade=None, reason="text")).status_code == 409  # replaces nothing
    assert call("ann", path, judgment_of(shown, grade=3, replaces=sent["key"])).status_code == 200
    assert call("ann", path).json()["judgment"]["grade"] == 3


def test_a_pair_is_given_as_it_is_presented_and_nothing_else(query, call):
    pair = call("ann", f"judging/{query.pk}/pairs/").json()[0]
    assert pair.keys() == {"token", "digest", "guideline_version", "query", "candidate", "judgment"}
    assert pair["candidate"].keys() == {"title", "sentences", "narrative"}
    tokens = [each["token"] for each in call("ann", f"judging/{query.pk}/pairs/").json()]
    own = Slot.objects.filter(judge__username="ann").order_by("position").values_list("pair__token", flat=True)
    assert tokens == list(own)


def test_a_case_is_decided_once_by_who_judged_neither(query, people, call):
    pair = query.pairs.order_by("pk").first()
    builders.judge(pair, people.ann, 1)
    builders.judge(pair, people.bob, 3)
    (case,) = call("ada", f"cases/{query.pk}/pairs/").json()
    path = f"cases/{query.pk}/pairs/{case['token']}/"
    sent = {"grade": 3, "key": str(uuid.uuid4()), "judgments": [case["a"]["key"], case["b"]["key"]]}
    without = {key: value for key, value in sent.items() if key != "grade"}
    assert call("ada", path, without).status_code == 400  # and does not set it aside
    assert [call("ada", path, sent).status_code for _ in range(2)] == [200, 200]
    pair.refresh_from_db()
    assert (pair.state, pair.final, pair.decisions.count()) == ("decided", 3, 1)
    (label,) = call("admin", "labels/").json()["results"]
    assert [each["grade"] for each in label["judgments"]] == [1, 3]
    assert (label["label"], label["adjudicator"]) == (3, "ada")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("queries/", {"papers": ["d01 method"]}),
        ("runs/build/", {"names": ["bm25"]}),
        ("pool-sets/", {"n": 3, "sources": ["mine"]}),
        ("openings/", {"queries": ["d00_method"]}),
        ("releases/", {"version": "1.0"}),
        ("documents/", {"file": SimpleUploadedFile("a.jsonl", b'{"id": "x", "title": "X"}\n')}),
        ("queries/topics/", {"file": SimpleUploadedFile("a.tsv", b"51\tHarbour dues\n")}),
        ("runs/", {"name": "mine", "file": SimpleUploadedFile("a.run", b"d00 Q0 d01 1 0.5 x\n")}),
        ("labels/judgments/", {"file": SimpleUploadedFile("a.csv", b"query,docno,judge,grade\n")}),
    ],
)
def test_an_unknown_key_is_refused_and_nothing_is_done(query, call, path, body):
    more = {"file": body.pop("file")} if "file" in body else {}
    refused = call("admin", path, body | {"queris": "all"}, **more)
    assert refused.status_code == 400, refused.content
    answer = refused.json()
    assert answer["error"] == "BadInput"
    assert answer["message"].startswith("queris: Unknown.")
    collection = query.collection
    assert not collection.jobs.exists()
    assert not collection.runs.exists()
    assert collection.queries.count() == 1


def test_what_a_script_uploads_is_what_the_page_imports(query, call):
    run = SimpleUploadedFile("a.run", b"d00 Q0 d01 1 0.5 x\nd00 Q0 d02 2 0.9 x\n")
    made = call("admin", "runs/", {"name": "mine"}, file=run).json()
    (ranked,) = call("admin", f"runs/{made['id']}/lists/").json()["results"]
    assert (ranked["query"], ranked["docnos"], ranked["scores"]) == ("d00_method", ["d02", "d01"], [0.9, 0.5])
    topics = SimpleUploadedFile("a.tsv", b"51\tHarbour dues\n")
    assert call("admin", "queries/topics/", {"skip": 0}, file=topics).json()["added"] == 1
    assert [row["name"] for row in call("admin", "queries/").json()["results"]] == ["51", "d00_method"]


def test_judgments_of_a_script_are_imported_as_on_the_page(query, papers, people, call):
    def sent(**chosen):
        text = f"query,docno,who,score\nd00_method,{papers[-1].docno},bob,2\nd00_method,{papers[-1].docno},ann,1\n"
        return call("admin", "labels/judgments/", chosen, file=SimpleUploadedFile("a.csv", text.encode()))

    refused = sent(judge="whom", grade="score")
    assert (refused.status_code, refused.json()["error"]) == (400, "BadInput")
    assert sent(judge="", people="ann,Bob").status_code == 400, "a column that the file does not have"
    started = sent(judge="who", grade="score")
    assert started.status_code == 202
    work.run(started.json()["id"])
    (label,) = call("admin", "labels/").json()["results"]
    assert [(each["judge"], each["grade"]) for each in label["judgments"]] == [("bob", 2), ("ann", 1)]


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("agreement/", 404, "NotFound"),
        ("agreement/?missing=none", 400, "BadInput"),
        ("scores/?mesure=AP", 400, "BadInput"),
        ("judging/", 403, "Forbidden"),
        (f"documents/{10**30}/", 404, "NotFound"),
        ("releases/9.9/", 404, "NotFound"),
        ("jobs/1/", 404, "NotFound"),
        ("queries/topics/", 405, "MethodNotAllowed"),
    ],
)
def test_refusals_have_one_form(query, call, path, status, error):
    answer = call("admin", path)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["message"]


def test_a_session_needs_a_csrf_token_and_a_bad_token_is_nobody(collection, people):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.admin)
    assert client.post("/api/collections/papers/agreement/").status_code == 403
    for header in ("Token nonsense", "Token ", "Basic YTpi"):
        assert Client().get("/api/collections/papers/", headers={"authorization": header}).status_code == 401
    assert Client().get("/api/collections/papers/", headers={"authorization": "Token \xff"}).status_code == 400


def test_odd_requests_are_refused(query, call, people):
    client = Client()
    client.force_login(people.admin)
    address = "/api/collections/papers/queries/"
    assert client.post(address, "[" * 60_000, content_type="application/json").status_code == 400
    assert call("admin", f"documents/?search={'a+' * 1_100}").status_code == 200
    assert call("admin", "scores/?facet=colour").status_code == 400
    assert Client().post("/accounts/login/", {"login": "a" * 60_000, "password": "b"}).status_code == 200


def test_pages_have_50_rows_and_at_most_500(collection, call):
    for number in range(501):
        builders.document(collection, f"p{number:03}")
    for limit, expected in (("", 50), ("?limit=7", 7), ("?limit=99999", 500)):
        assert len(call("admin", f"documents/{limit}").json()["results"]) == expected
    assert call("admin", f"documents/?offset={10**30}").json()["results"] == []


@pytest.mark.parametrize(
    ("username", "path"),
    [
        ("admin", "labels/"),
        ("admin", "openings/"),
        ("admin", "queries/"),
        ("admin", "pool-sets/POOLS/candidates/"),
        ("ann", "judging/"),
    ],
)
def test_more_rows_need_no_more_queries(query, papers, people, call, username, path):
    pairs = list(query.pairs.all())
    path = path.replace("POOLS", str(query.pools.get().pool_set_id))

    def cost(several, limit) -> int:
        for pair in several:
            builders.judge(pair, people.ann, 1)
            builders.judge(pair, people.bob, 2)
        with CaptureQueriesContext(connection) as captured:
            assert call(username, f"{path}?limit={limit}").json()["results"]
        return len(captured)

    one = cost(pairs[:1], limit=1)
    again = builders.query(query.collection, papers[10])
    builders.opened(again, papers[1:5], people.ann, people.bob)
    assert cost(pairs[1:], limit=500) == one


def test_the_schema_is_without_warnings(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


def test_the_docs_name_every_address():
    from tests.addresses import patterns

    docs = (settings.BASE_DIR / "docs/api.md").read_text()
    table = docs.split("| address |")[1]
    for route, _ in patterns():
        if route.startswith("api/collections/<slug:slug>/") and route.count("/") == 4:
            assert f"`{route.split('/')[3]}/" in table, route
