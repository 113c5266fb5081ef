"""What a person reads on the card of a job that went wrong, and that nothing was damaged by it."""

from __future__ import annotations

import hashlib
import html
import io
import sys

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import User
from corpus.models import Document
from corpus.services import create_query
from jobs import registry
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling.models import Candidate, PoolBuild
from pooling.services import PoolPlan, build_pools, request_pools
from retrieval.indexes import external_sort
from retrieval.indexes.folders import build_folder
from retrieval.retrievers import retriever, with_seed
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.encoder import Encoder
from retrieval.services import request_run, retrieve
from tests.retrieval.test_encoder import Network
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NO_EXTRA = (
    "encoder:m needs an extra that is not installed: "
    'pip install ".[encoder]" in the folder of Qrelsmith.'
)


@once_a_file
def collection():
    """Twenty documents, a run, and pools that were drawn from it."""
    made = a_collection()
    for number in range(20):
        DocumentFactory(
            collection=made,
            docno=f"d{number:02}",
            title=f"parsing of trees {number % 7}",
            references=[f"d{(number + 3) % 20:02}"],
        )
    create_query(collection=made, docno="d00", facet_key="method")
    plan = PoolPlan.take(3, runs=("bm25_title",), depth=10)
    build_pools(collection=made, plan=plan, work=quiet())
    return made


@pytest.fixture(autouse=True)
def _encoder(settings):
    settings.ENCODERS = ["m"]


@pytest.fixture
def untouched(collection, settings):
    """Fails when runs, pools or the indexes that were there are not what they were."""

    def everything():
        runs = sorted(collection.runs.values_list("pk", "name", "sha256"))
        drawn = list(Candidate.objects.order_by("pk").values_list("pk", "position"))
        return runs, drawn, PoolBuild.objects.get().manifest, indexes(settings)

    before = everything()
    yield
    assert everything() == before


def indexes(settings) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in settings.ARTEFACT_DIR.rglob("*")
        if path.is_file() and path.name[0] != "."
    }


def quiet():
    return DirectRun(io.StringIO())


def asked(collection, name) -> Job:
    return request_run(collection=collection, name=name, depth=10, requested_by=None)


def card(client, job: Job) -> str:
    """What an admin reads after the job has run."""
    jobs.run(job.pk)
    client.force_login(User.objects.get(username="admin"))
    page = client.get(reverse("job-card", args=["small", job.pk]))
    return html.unescape(page.content.decode())


class Meddling:
    """A lease during whose work a document changes, when a report of progress says so."""

    def __init__(self, lease, when):
        self.lease, self.when = lease, when

    def __getattr__(self, name):
        return getattr(self.lease, name)

    def progress(self, done, total, note=""):
        self.lease.progress(done, total, note)
        if self.when in note:
            changed = {"title": "Another title", "digest": "0" * 64}
            Document.objects.filter(docno="d19").update(**changed)


@pytest.fixture
def meddling(monkeypatch):
    def during(kind, when):
        handler = registry.handler(kind)
        monkeypatch.setitem(registry._handlers, kind, lambda lease: handler(Meddling(lease, when)))

    return during


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("name", ["bm25_abstract", "tfidf_abstract", "cbow_title", "graph"])
def test_a_corpus_that_changed_under_an_index(collection, client, meddling, name, monkeypatch):
    monkeypatch.setattr(
        external_sort, "CHUNK_DOCUMENTS", 5
    )  # so that progress is reported in the middle
    meddling("retrieve", "documents indexed")
    text = card(client, asked(collection, name))
    assert (
        f"The documents changed while {name} was being built, so nothing was saved. Start it "
        "again when no import is running."
    ) in text
    assert "No partial result was saved" in text


@pytest.mark.usefixtures("untouched")
def test_a_corpus_that_changed_under_the_pools(collection, client, meddling):
    meddling("build_pools", "pools drawn")
    plan = PoolPlan.take(5, runs=("bm25_title",), depth=10)
    text = card(client, request_pools(collection=collection, plan=plan, requested_by=None))
    assert (
        "The documents changed while pools were being built, so nothing was saved. Start it "
        "again when no import is running."
    ) in text


class TestWithoutTheEncoderExtra:
    @pytest.fixture(autouse=True)
    def _no_extra(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # importing it fails

    @pytest.mark.usefixtures("untouched")
    def test_its_run_says_how_to_install_it(self, collection, client):
        assert NO_EXTRA in card(client, asked(collection, "encoder:m"))

    @pytest.mark.usefixtures("untouched")
    def test_pools_from_it_say_so_too(self, collection, client):
        plan = PoolPlan.take(3, runs=("bm25_title", "encoder:m"), depth=10)
        job = request_pools(collection=collection, plan=plan, requested_by=None)
        jobs.run(job.pk)
        jobs.run(collection.jobs.get(key="run:encoder:m").pk)
        assert (
            "No pools were built, because a run is missing. encoder:m failed: " + NO_EXTRA
        ) in card(client, job)

    @pytest.mark.usefixtures("untouched")
    def test_the_command_says_so_too(self, collection):
        with pytest.raises(
            CommandError, match=r"needs an extra that is not installed: pip install"
        ):
            call_command("build_pools", "small", "--run", "encoder:m", "--n", "2")

    def test_an_index_from_before_it_went_is_kept(self, collection, client, settings):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Encoder, "_network", lambda self: Network())
            retrieve(collection=collection, name="encoder:m", depth=10, work=quiet())
        before = indexes(settings)
        assert NO_EXTRA in card(client, asked(collection, "encoder:m"))
        assert indexes(settings) == before
        assert collection.runs.filter(name="encoder:m").exists()


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            b"d00 Q0 W1 1 9 x\nd00 Q0 W2 2 8 x\n",
            "other.run: none of its documents is in small. Is this a run over another corpus?",
        ),
        (
            b"q7 Q0 d01 1 9 x\n",
            "other.run: none of its topics is a query paper or a query of small (the first is "
            "'q7').",
        ),
        (b"d00 Q0 d01 1 high x\n", "other.run:1: the score must be a finite number, got 'high'"),
    ],
    ids=["documents of another corpus", "topics of another corpus", "no run"],
)
def test_a_run_that_does_not_fit_the_corpus(collection, client, lines, message):
    client.force_login(User.objects.get(username="admin"))
    sent = {"file": SimpleUploadedFile("other.run", lines), "name": "other"}
    client.post(reverse("import-run", args=["small"]), sent)
    job = collection.jobs.get(kind="import_run")
    assert message in card(client, job)
    assert not collection.runs.filter(name="other").exists()


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
@pytest.mark.parametrize(
    "name",
    ["bm25_text", "tfidf_title", "cbow_abstract", "tfidf_cbow_title", "encoder:m", "graph",
     "most_cited", "random"],
)  # fmt: skip
def test_a_corrupt_index_is_built_again_and_answers_as_before(
    collection, client, settings, name, damage, monkeypatch, caplog
):
    monkeypatch.setattr(Encoder, "_network", lambda self: Network())
    retrieve(collection=collection, name=name, depth=10, work=quiet())
    run, before = collection.runs.get(name=name), indexes(settings)
    folder = settings.ARTEFACT_DIR / "small" / "indexes"
    (index,) = folder.glob(f"{name.replace(':', '-')}-*")
    data = [path for path in index.rglob("[!.]*") if path.is_file() and path.name != "meta.json"]
    largest = max(data, key=lambda path: path.stat().st_size)
    whole = largest.read_bytes()
    match damage:
        case "flipped":
            largest.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        case "cut":
            largest.write_bytes(whole[: len(whole) // 2])
        case "gone":
            largest.unlink()

    text = card(client, asked(collection, name))
    assert "Done" in text
    assert f"the index in {index} cannot be used: missing, added or changed" in caplog.text
    again = collection.runs.get(name=name)
    assert (again.pk, again.sha256) == (run.pk, run.sha256)
    others = {path: found for path, found in before.items() if str(index) not in path}
    assert others.items() <= indexes(settings).items()
    assert with_seed(retriever(name), collection.seed).open(index)
    assert [path.name for path in folder.rglob(".*") if path.is_dir()] == []


def test_an_index_that_cannot_be_built_again_says_where_it_lies(collection, client, monkeypatch):
    """As on a disk that returns other bytes than were written to it."""

    def build(self, documents, folder, progress):
        build_folder(
            folder, self, lambda draft, scratch: [document.docno for document in documents]
        )
        (folder / "docnos.txt").write_bytes(b"rot")

    monkeypatch.setattr(Bm25, "build", build)
    text = card(client, asked(collection, "bm25_abstract"))
    assert "cannot be used: missing, added or changed: docnos.txt; delete it and rebuild" in text
    job = collection.jobs.get(key="run:bm25_abstract")
    assert job.state == State.FAILED
