"""Two at once, each with its own transactions."""

from __future__ import annotations

from django.urls import reverse

from corpus.models import Sample, Screening
from corpus.screening import draw_sample
from jobs.work import run_now
from tests.corpus.test_importing import lines, many
from tests.transactions import REAL_TRANSACTIONS, together

pytestmark = REAL_TRANSACTIONS


def test_two_imports_of_the_same_documents_write_each_once(collection, upload):
    paths = [upload(lines(*many(700)), name) for name in ("a.jsonl", "b.jsonl")]
    first, second = together(
        *(lambda path=path: run_now("import_documents", collection=collection, files=[path]) for path in paths)
    )
    assert first["added"] + second["added"] == collection.documents.count() == 700
    assert first["unchanged"] + second["unchanged"] == 700


def test_a_screening_that_is_sent_twice_is_one(collection, papers, as_):
    draw_sample(sample=Sample(collection=collection, seed="s"))
    url, answer = reverse("screen-paper", args=[collection.slug, papers[0].pk]), {"kind": "survey"}
    clients = [as_("admin"), as_("admin")]
    answers = together(*(lambda client=client: client.post(url, answer).status_code for client in clients))
    assert (answers, Screening.objects.count()) == ([302, 302], 1)
