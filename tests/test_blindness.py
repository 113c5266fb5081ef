"""Until both have judged a pair, nobody but its author can learn a judgment: from no page, count, error or order.

The crawl opens every address in two worlds that differ only in what may not be known, and compares what the server
sends, byte for byte.
"""

from __future__ import annotations

import io
import re
import uuid
import zipfile

import pytest
from django.db import transaction
from django.urls import reverse

from accounts.services import add_member
from annotation.judging import shown_pair
from annotation.models import PublishedLabel, Qrels, Slot
from annotation.practice import gold_documents, start_practice
from corpus.models import Document
from pooling.models import Candidate, Contribution
from retrieval.models import RankedList, Run
from tests import builders
from tests.addresses import addresses

pytestmark = pytest.mark.django_db

NOISE = [
    rb'"(created_at|key)":"[^"]*"',
    rb'name="csrfmiddlewaretoken" value="\w+"',
    rb'"X-CSRFToken": "\w+"',
    rb'name="key" value="[0-9a-f-]{36}"',
    rb'value="[0-9a-f]{16}"',  # the seed that a new collection is offered
    rb"\d+ min left",
    rb'"seconds_since_worker": \d+',
    rb'data-replaces="[0-9a-f-]*"',
    rb'name="(replaces|judgments?)" value="[0-9a-f-]*"',
    rb"\d+ [A-Z][a-z]{2}( \d{4})?, \d\d:\d\d",
    rb'datetime="[^"]*"',
    rb'"[0-9-]{10}T[0-9:.]+Z"',  # moments in one's own data
]


def crawl(client, collection) -> dict[str, bytes]:
    return seen_at(client, [path for _, path in addresses(collection)])


def seen_at(client, paths) -> dict[str, bytes]:
    """What the server sends at each path, without what differs between two equal visits."""
    seen = {}
    for path in paths:
        answer = client.get(path)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        if body[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                body = b"".join(name.encode() + archive.read(name) for name in sorted(archive.namelist()))
        for pattern in NOISE:
            body = re.sub(pattern, b"", body)
        seen[path] = str(answer.status_code).encode() + (answer.headers.get("Location", "")).encode() + body
    return seen


def two_worlds(first, second, look) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What `look` sees after each of two histories, both from the same beginning."""
    seen = []
    for history in (first, second):
        try:
            with transaction.atomic():
                history()
                seen.append(look())
                raise StopIteration
        except StopIteration:
            pass
    return seen[0], seen[1]


def assert_same(worlds) -> None:
    one, other = worlds
    assert one.keys() == other.keys()
    for path in one:
        assert one[path] == other[path], path


@pytest.fixture(autouse=True)
def _same_numbers(monkeypatch):
    """Keys of submissions that are the same in both worlds."""
    numbers = iter(range(1, 10**6))
    monkeypatch.setattr(builders.uuid, "uuid4", lambda: uuid.UUID(int=next(numbers)))


@pytest.mark.parametrize("role", ["annotator", "annotator and adjudicator"])
def test_an_annotator_learns_nothing_of_the_others_judgments(query, people, as_, collection, role):
    """Whether the other judged, agreed, differed or could not judge, and whether it was decided."""
    if "adjudicator" in role:
        add_member(collection=collection, user=people.ann, roles=["adjudicator"])
    pairs = list(query.pairs.order_by("pk"))
    for pair in pairs[:6]:
        builders.judge(pair, people.ann, 2)

    def agreeing():
        for pair in pairs:
            builders.judge(pair, people.bob, 2)

    def differing():
        for number, pair in enumerate(pairs):
            builders.judge(pair, people.bob, None if number % 2 else 0, note="SECRETNOTE")
        decide_all(pairs, people.ada)

    def look():
        return crawl(as_("ann"), collection)

    assert_same(two_worlds(agreeing, differing, look))
    assert_same(two_worlds(lambda: None, differing, look))


def test_revising_tells_an_annotator_nothing(query, people, as_, collection):
    """The answers to a revision are the same whether it equals the other's grade or not, decided or not."""
    pairs = list(query.pairs.order_by("pk"))
    for pair in pairs:
        builders.judge(pair, people.ann, 2)

    def revise():
        client, answers = as_("ann"), {}
        for number, pair in enumerate(pairs):
            shown = shown_pair(people.ann, query, pair.token)
            is_script = number % 2
            address = "api-judging-pair" if is_script else "judge-pair"
            path = reverse(address, args=[collection.slug, query.pk, pair.token])
            answer = {"grade": 1, "key": uuid.UUID(int=10**9 + number), "digest": shown.presentation.digest}
            answer["replaces"] = shown.judgment.key
            kind = {"content_type": "application/json"} if is_script else {}
            told = client.post(path, answer, headers={"accept": "application/json"}, **kind)
            assert told.status_code == 200
            answers[path] = str(told.status_code).encode() + told.content
        return answers | crawl(client, collection)

    def equal():
        for pair in pairs:
            builders.judge(pair, people.bob, 1)

    def different():
        for pair in pairs:
            builders.judge(pair, people.bob, 3)
        decide_all(pairs, people.ada)

    assert_same(two_worlds(equal, different, revise))


@pytest.mark.parametrize("username", ["admin", "ada"])
def test_nobody_else_learns_the_judgment_of_an_open_pair(query, people, as_, collection, username):
    pairs = list(query.pairs.order_by("pk"))
    for pair in pairs[:2]:
        builders.judge(pair, people.ann, 1)
        builders.judge(pair, people.bob, 2)

    def world(grade):
        def history():
            for pair in pairs[2:]:
                builders.judge(pair, people.ann, grade, note="SECRETNOTE" if grade is None else "")

        return history

    def look():
        return crawl(as_(username), collection)

    assert_same(two_worlds(world(0), world(3), look))
    seen = two_worlds(world(0), world(None), look)
    assert_same(seen)
    assert not any(b"SECRETNOTE" in body for body in seen[1].values())


SECRETS = [b"secretrun", b"SECRETORIGIN", b"SECRETVENUE", b"SECRETAUTHOR", b"1871", b"0.8725", b"SECRETNOTE", b"cited"]


@pytest.mark.parametrize(("username", "others"), [("ann", [b"bob", b"ada"]), ("ada", [b"ann", b"bob"])])
def test_judges_and_adjudicators_never_receive_sources_or_people(query, people, as_, collection, username, others):
    Document.objects.update(venue="SECRETVENUE", authors=["SECRETAUTHOR"], year=1871)
    run = Run.objects.create(collection=collection, name="secretrun", kind="file")
    RankedList.objects.create(run=run, query=query, docnos=["d01"], scores=[0.8725])
    qrels = Qrels.objects.create(collection=collection, file_name="f.txt", origin="SECRETORIGIN", grades={})
    published = collection.documents.get(docno="d10")
    PublishedLabel.objects.create(qrels=qrels, query=query, document=published, grade=3)
    assert Candidate.objects.exists()
    assert not Contribution.objects.exists()  # frozen before the run came: their rows are in no page of these roles
    for pair in query.pairs.all():
        builders.judge(pair, people.ann, 1, note="" if username == "ada" else "My own note")
        builders.judge(pair, people.bob, 2, note="" if username == "ada" else "SECRETNOTE")
    for path, body in crawl(as_(username), collection).items():
        if path.endswith(("/account/", "/schema/")) or body.startswith((b"403", b"404")):
            continue
        for secret in [*SECRETS, *others]:
            assert not re.search(rb"\b" + secret + rb"\b", body), (path, secret)


def decide_all(pairs, adjudicator) -> None:
    from adjudication.decisions import decide

    for pair in pairs:
        pair.refresh_from_db()
        if pair.state != "case":
            continue
        keys = {slot.judgment.key for slot in pair.slots.all()}
        decide(
            adjudicator=adjudicator,
            query=pair.query,
            token=pair.token,
            grade=1,
            note="Both are wrong.",
            key=uuid.uuid5(uuid.NAMESPACE_OID, pair.token),
            judgments=keys,
            replaces=None,
            seconds=None,
        )


def test_a_trainee_learns_no_answer_before_the_end(collection, papers, people, as_):
    """All but one pair judged: nothing that the server sends depends on the answers."""
    query = builders.query(collection, papers[0])
    cem = builders.person("cem", collection, "annotator")

    def gold(*grades):
        return {query.name: dict(zip(("d01", "d02", "d03"), grades, strict=True))}

    about = {"documents": gold_documents(collection, gold(1, 1, 1)), "people": [cem], "by": None}
    practice = start_practice(collection=collection, name="Training", gold=gold(1, 1, 1), **about)

    def train(*grades):
        def history():
            practice.gold = gold(*grades)
            practice.save()
            for slot in Slot.objects.filter(judge=cem, position__lt=3).select_related("pair", "judge"):
                builders.judge(slot.pair, cem, 1)

        return history

    assert_same(two_worlds(train(1, 1, 1), train(0, 3, 2), lambda: crawl(as_("cem"), collection)))
