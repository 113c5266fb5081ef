"""A release imported into a new collection is released again, byte for byte; what is no release leaves nothing."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Collection, User
from accounts.services import add_member
from adjudication.decisions import reopen_pair
from annotation.guidelines import save_guideline
from annotation.models import Judgment, Opening, PublishedLabel, Qrels
from annotation.openings import give, hand_over, make_pairs, open_queries
from annotation.presentation import present
from corpus.models import Document, Query
from pooling.building import freeze_given
from pooling.models import Candidate, Contribution, Pool, PoolSet
from release.datasheet import save_answers
from retrieval.models import Run
from tests import builders
from tests.release.helpers import built, files_of, pair_of, unpacked
from tests.release.test_verify import change
from web.csv import as_typed, defused

pytestmark = pytest.mark.django_db
NAMED = {"MANIFEST.json", "croissant.json"}  # have the short name
ODD_IDS = {"d02": "=1+1", "d03": "007", "d04": "a,b", "d05": '"quoted"', "d10": "日本", "d11": "1e5", "d06": "'=1"}


@pytest.fixture
def odd(judged, people):
    """All that a release can hold: odd ids and names, rounds, a hand-over, re-opened pairs, several guidelines."""
    judged.description, judged.merged_labels = "# Ours\n\n<b>Odd</b>", {"objective": "background"}
    judged.save()
    save_answers(collection=judged, answers={"purpose": "To try.\n\nAll."})
    for text in ("Look at it.", "Look <b>well</b>."):
        grades = [{"definition": text, "examples": ""}] * 4
        save_guideline(collection=judged, facet="method", text=text, grades=grades, change="", by=people.admin)
    for docno, odd_id in ODD_IDS.items():
        Document.objects.filter(docno=docno).update(docno=odd_id, authors=["A. Nyone"], labels_predicted=True)
    Run.objects.update(name="=cmd()", settings={"k1": 0.9})
    method, topic = (judged.queries.get(name=name) for name in ("d00_method", "7"))
    Query.objects.filter(pk=method.pk).update(sentence_numbers=[2, 3], paper_type="'=theory")
    method = judged.queries.get(pk=method.pk)
    builders.judge(pair_of(method, '"quoted"'), people.bob, 2, seconds=None)  # ann gave it a 1: undecided
    for pair in (pair_of(method, "d01"), pair_of(topic, "日本")):
        reopen_pair(admin=people.admin, pair=pair, reason="Look again.")
    builders.decide(pair_of(topic, "日本"), people.ada, 2, note="No.")  # though both gave it a 3; d01 stays undecided
    add_member(collection=judged, user=people.bob, roles=["admin"])

    cy = builders.person("cy", judged, "annotator")
    whole = builders.query(judged, builders.document(judged, "w"), facet="")
    documents = list(judged.documents.filter(docno__in=["d06", "'=1", "d07", "d08"]))
    second = {"round": 2, "manifest": {"pools": {"d00_method": {"order": ["x", "=cmd()"], "shortfall": {"x": 2}}}}}
    for query, some, fields in ((whole, documents[:2], {}), (method, documents[2:], second)):
        pool_set = PoolSet.objects.create(collection=judged, plan={}, **fields)
        said = fields.get("manifest", {"pools": {}})["pools"].get(query.name, {"order": [], "shortfall": {}})
        pool = Pool.objects.create(
            pool_set=pool_set, query=query, source_order=said["order"], shortfall=said["shortfall"]
        )
        for position, document in enumerate(some, 1):
            candidate = Candidate.objects.create(pool=pool, document=document, position=position, source="=forced")
            if position == 1:
                Contribution.objects.create(candidate=candidate, run=Run.objects.get())
        PoolSet.objects.filter(pk=pool_set.pk).update(frozen_at=timezone.now())
    open_queries(collection=judged, queries=[whole], couples={whole.pk: (people.ann, people.bob)}, by=None)
    opening = Opening.objects.create(query=method, pool_set=pool_set)
    give(method, make_pairs(opening, documents[2:]), (people.ann, cy))
    first, *_ = whole.pairs.order_by("pk")
    builders.judge(first, people.ann, 1)
    hand_over(query=whole, giver=people.ann, taker=cy)
    for query in (whole, method):
        for pair in query.pairs.filter(state="open"):
            for slot in pair.slots.filter(judgment=None).select_related("judge"):
                builders.judge(pair, slot.judge, slot.number)

    about = {
        "file_name": "=q.txt",
        "sha256": "0" * 64,
        "grades": {"-1": None, "1": 3},
        "left_out": {"x": {"number": 1}},
    }
    qrels = Qrels.objects.create(collection=judged, origin="A <b>lab</b>, CC0", **about)
    elsewhere = judged.documents.get(docno="d09")
    freeze_given(collection=judged, documents={whole: [elsewhere.pk]}, source="qrels")
    for document in (elsewhere, first.document):
        PublishedLabel.objects.create(qrels=qrels, query=whole, document=document, grade=3)
    return judged


def imported(content: bytes, tmp_path, slug: str = "again") -> Collection:
    path = tmp_path / f"{slug}.zip"
    path.write_bytes(content)
    call_command("import_release", path, slug, "--admin", "admin")
    return Collection.objects.get(slug=slug)


@pytest.mark.parametrize("with_texts", [True, False])
def test_a_release_of_the_imported_collection_is_the_same_file(odd, tmp_path, with_texts):
    content = built(odd, with_texts=with_texts, notes="The first.").content
    before = files_of(content)
    assert {"undecided", "set aside", "decided", "agreed", "published"} <= set(
        before["labels.csv"].replace("\r\n", ",").split(",")
    )
    Collection.objects.filter(pk=odd.pk).update(slug="original")
    after = built(imported(content, tmp_path, "papers"), with_texts=with_texts, notes="The first.").content
    assert files_of(after) == before
    assert after == content


@given(st.text() | st.from_regex(r"\A'*\s?[=+-]?[0-9.]*\Z"))
def test_names_that_were_kept_from_running_come_back(name):
    assert as_typed(str(defused(name))) == name


def test_topics_without_facets_are_the_same_again(people, tmp_path):
    plain = builders.collection("plain", facets=[], grades=["No", "Yes"], relevant_from=1)
    ann, bob = (builders.person(name, plain, "annotator") for name in ("ann", "bob"))
    documents = [builders.document(plain, docno, labels=[]) for docno in ("01", "1")]
    topic = builders.topic(plain, "0007", "A title\twith a tab", description="A text.  Two.", narrative="More\nof it.")
    builders.opened(topic, documents, ann, bob)
    builders.judge_all(topic, {"01": (0, 1), "1": (1, 1)})
    content = built(plain, with_texts=True).content
    again = imported(content, tmp_path)
    after = files_of(built(again, with_texts=True).content)
    before = files_of(content)
    assert {name for name in before if after.get(name) != before[name]} == NAMED
    asked = again.queries.get()
    assert (asked.title, asked.description, asked.narrative) == (topic.title, topic.description, topic.narrative)
    assert again.documents.get(docno="01").sentences == documents[0].sentences


def test_judgments_are_of_the_texts_that_are_here(judged, tmp_path):
    again = imported(built(judged, with_texts=True).content, tmp_path)
    for judgment in Judgment.objects.filter(collection=again).select_related(
        "slot__pair__query", "slot__pair__document"
    ):
        pair = judgment.slot.pair
        assert judgment.digest == present(pair.query, pair.document, judgment.guideline_version).digest


def test_what_was_not_published_is_not_there(judged, tmp_path):
    """A pair with one judgment has none; nobody has a name or can log in; nothing can be judged on."""
    again = imported(built(judged).content, tmp_path)
    assert not again.queries.get(name="d00_method").pairs.filter(document__docno="d05").exists()
    people = User.objects.filter(username__startswith="again-")
    assert {user.username for user in people} == {"again-annotator-1", "again-annotator-2", "again-adjudicator-1"}
    assert not any(user.has_usable_password() or user.email for user in people)
    assert not Opening.objects.filter(query__collection=again, closed_at=None).exists()
    assert again.memberships.get(user__username="admin").roles == ["admin"]
    assert not again.memberships.judging().exists(), "or pairs that are added could be given to them"
    with pytest.raises(CommandError, match="already exists"):
        imported(built(judged).content, tmp_path)
    builders.person("third-Annotator-1")
    with pytest.raises(CommandError, match="belongs to someone"):
        imported(built(judged).content, tmp_path, "third")


BROKEN = [
    ("labels.csv", "agreed,2", "agreed,3", "does not follow"),
    ("ratings.csv", "d00_method,method,d01,1,", "d00_method,method,d1,1,", "ratings.csv"),
    ("ratings.csv", ",,text,", ",,boredom,", "boredom"),
    ("ratings.csv", ",5.0,", ",inf,", "inf"),
    ("pools.csv", "d00_method,1,1,d01,", "d00_method,1,1,d09,", "d01 is judged, but is in no pool"),
    ("pools.csv", "d00_method,1,1,d01,", "d00_method,2,1,d01,", "in round 2, but no pool"),
    ("pools.csv", "d00_method,1,2,", "d00_method,1,1,", "position"),
    ("pools.csv", ",bm25,1,0.1,", ",other,1,0.1,", "other"),
    ("queries.csv", "d00_method,method,", "d00_method,manner,", "manner"),
    ("beir/corpus.jsonl", '"year": 2001', '"year": "in press"', "year"),
    ("collection.json", '"merged_labels": {}', '"merged_labels": 7', "collection|itself"),
    ("MANIFEST.json", '"grades": [', '"grades": [7,', "7|itself"),
    ("MANIFEST.json", '"pools": [', '"pools": 7, "x": [', "missing or broken"),
    ("MANIFEST.json", "{", "[" * 100_000, "broken"),
]


@pytest.fixture
def folder(judged, tmp_path):
    unpacked(built(judged, with_texts=True).content, tmp_path / "release")
    return tmp_path / "release"


def test_a_broken_release_leaves_nothing(folder, tmp_path):
    accounts = User.objects.count()
    for name, old, new, said in BROKEN:
        content = (folder / name).read_bytes(), (folder / "MANIFEST.json").read_bytes()
        change(folder, name, old, new)
        with pytest.raises(CommandError, match=said):
            imported(zipped(folder), tmp_path)
        (folder / name).write_bytes(content[0])
        (folder / "MANIFEST.json").write_bytes(content[1])
        assert (Collection.objects.count(), User.objects.count()) == (1, accounts), (name, old)


def zipped(folder, **more: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.rglob("*.*"):
            archive.write(path, path.relative_to(folder))
        for name, content in more.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_zip_writes_nothing_elsewhere_and_fills_no_disk(folder, tmp_path, settings):
    with pytest.raises(CommandError, match=r"evil\.txt is not in MANIFEST"):
        imported(zipped(folder, **{"../../evil.txt": b"", "/evil.txt": b""}), tmp_path)
    assert not list(tmp_path.parent.rglob("evil.txt"))
    settings.UPLOAD_MAX_BYTES = 1_000_000
    with pytest.raises(CommandError, match="larger, unpacked"):
        imported(zipped(folder, bomb=b"\0" * 1_000_000), tmp_path)
    for content in (b"", b"PK\x03\x04 no zip", zipped(folder)[:-60]):
        with pytest.raises(CommandError, match="cannot be unpacked"):
            imported(content, tmp_path)
