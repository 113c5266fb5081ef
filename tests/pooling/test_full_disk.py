"""A disk that fills up ends a job in words, leaves what was there, and keeps nothing half."""

from __future__ import annotations

import hashlib
import io
import random

import numpy as np
import pytest
from django.urls import reverse

from accounts.models import User
from corpus.services import create_query
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling.models import Candidate, PoolBuild
from pooling.services import PoolPlan, request_pools
from retrieval.indexes.arrays import new_map
from retrieval.retrievers.encoder import Encoder
from retrieval.services import request_run, retrieve
from tests.retrieval.test_encoder import Network
from tests.support.disks import small_disk
from tests.support.factories import DocumentFactory, a_collection

pytestmark = pytest.mark.django_db

KINDS = [
    "bm25_abstract",
    "tfidf_abstract",
    "cbow_abstract",
    "tfidf_cbow_title",
    "graph",
    "encoder:m",
]
WORDS = [f"{first}{second}" for first in ("par", "gra", "lab", "ran", "que") for second in "abcdef"]


@pytest.fixture
def collection(settings):
    settings.ENCODERS = ["m"]
    chance = random.Random("full")
    made = a_collection()
    for number in range(150):
        DocumentFactory(
            collection=made,
            docno=f"d{number:03}",
            title=" ".join(chance.choices(WORDS, k=6)),
            sentences=[" ".join(chance.choices(WORDS, k=40)) for _ in range(3)],
            references=[f"d{chance.randrange(150):03}" for _ in range(3)],
        )
    for number in range(8):
        create_query(collection=made, docno=f"d{number:03}", facet_key="method")
    return made


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk") as made:
        yield made


def run(job: Job) -> Job:
    jobs.run(job.pk)
    return Job.objects.get(pk=job.pk)


def asked(collection, name: str) -> Job:
    return request_run(collection=collection, name=name, depth=50, requested_by=None)


def contents(folder) -> dict[str, str]:
    """SHA-256 of the files of indexes; word vectors are made before, and may be whole already."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part == "models" or part[0] == "." for part in path.relative_to(folder).parts)
    }


def hidden(folder) -> list[str]:
    """Folders that a build left behind, but for the vectors from which an encoder goes on."""
    folders = (path for path in folder.rglob(".*") if path.is_dir())
    return [path.name for path in folders if path.suffix != ".parts"]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.by_day(2)
def test_an_index_that_does_not_fit_fails_in_words_and_harms_nothing(
    collection, name, disk, settings, monkeypatch
):
    monkeypatch.setattr(Encoder, "_network", lambda self: Network())
    retrieve(collection=collection, name=name, depth=50, work=DirectRun(io.StringIO()))
    expected = collection.runs.get().sha256  # what it is where there is room
    collection.runs.all().delete()
    settings.ARTEFACT_DIR = disk.folder / "artefacts"
    indexes = settings.ARTEFACT_DIR / "small" / "indexes"
    assert run(asked(collection, "bm25_title")).state == State.SUCCEEDED
    earlier, before = collection.runs.get(), contents(disk.folder)

    failed = 0
    # At different places of the build: the spool, the arrays, the docnos, what describes them.
    for room in (0, 30_000, 70_000, 120_000, 170_000, 220_000, 270_000):
        disk.fill(but=room)
        job = run(asked(collection, name))
        if job.state == State.SUCCEEDED:
            break
        failed += 1
        assert (job.state, job.attempts) == (State.FAILED, 1)
        assert job.error.startswith(f"No space left on device: {indexes}")
        assert job.error.endswith(". Free some space, then try again.")
        assert (collection.runs.get().pk, collection.runs.get().sha256) == (
            earlier.pk,
            earlier.sha256,
        )
        disk.free()
        assert contents(disk.folder) == before
        assert hidden(disk.folder) == []
    assert failed

    assert run(asked(collection, name)).state == State.SUCCEEDED
    assert collection.runs.get(name=name).sha256 == expected


def test_a_mapped_array_has_its_room_before_the_first_write(disk):
    """To write into a file of holes on a full disk ends the process, which no test could report."""
    disk.fill(but=100_000)
    with pytest.raises(OSError, match="No space left on device"):
        new_map(disk.folder / "large.npy", np.float32, 1_000, 100)
    (disk.folder / "large.npy").unlink()
    fits = new_map(disk.folder / "fits.npy", np.float32, 100, 100)
    fits[:] = 1
    fits.flush()
    assert np.load(disk.folder / "fits.npy").sum() == 10_000


def test_the_card_says_which_disk_is_full(collection, disk, settings, client):
    settings.ARTEFACT_DIR = disk.folder
    disk.fill()
    job = run(asked(collection, "bm25_title"))
    client.force_login(User.objects.get(username="admin"))
    page = client.get(reverse("job", args=["small", job.pk])).content.decode()
    assert f"No space left on device: {disk.folder}" in page
    assert "No partial result was saved" in page


def test_pools_that_do_not_fit_fail_in_words_and_the_earlier_ones_stay(collection, disk, settings):
    plan = PoolPlan.take(3, runs=("bm25_title",), depth=50)
    settings.DATA_DIR = disk.folder  # where pools are kept until they are written
    assert run(asked(collection, "bm25_title")).state == State.SUCCEEDED
    assert run(asked(collection, "tfidf_title")).state == State.SUCCEEDED
    assert run(request_pools(collection=collection, plan=plan, requested_by=None)).result
    build, candidates = PoolBuild.objects.get(), Candidate.objects.count()

    other = PoolPlan.take(20, runs=("bm25_title", "tfidf_title"), depth=50)
    for room in (0, 5_000):
        disk.fill(but=room)
        job = run(request_pools(collection=collection, plan=other, requested_by=None))
        assert (job.state, job.error) == (
            State.FAILED,
            f"No space left on device: {disk.folder}. Free some space, then try again.",
        )
        assert PoolBuild.objects.get() == build
        assert Candidate.objects.count() == candidates

    disk.free()
    job = run(request_pools(collection=collection, plan=other, requested_by=None))
    assert job.state == State.SUCCEEDED
    assert PoolBuild.objects.get() != build
    assert list(disk.folder.iterdir()) == []
