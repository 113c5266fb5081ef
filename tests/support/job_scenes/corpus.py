"""Jobs that make documents, queries and labels, or delete a collection."""

from __future__ import annotations

from collections.abc import Callable

from django.utils import timezone

from corpus.uploads import request_full_texts, request_import, request_topics
from curation.choice.plan import ChoicePlan
from curation.choice.services import request_choice
from curation.labels.prediction import request_labels
from curation.labels.training import request_training
from curation.samples.services import SamplePlan
from curation.samples.tasks import request_sample
from dashboard.settings.archiving import archive_collection, request_deletion
from dashboard.settings.export import export_collection
from demo.sample import request_sample as request_sample_data
from jobs.models import Job
from tests.support.curation import ten_years
from tests.support.factories import DocumentFactory, a_collection
from tests.support.job_scenes.files import admin, jsonl
from tests.support.pooling_scenes import DOCNOS, a_listed_collection
from tests.support.release_scenes import a_judged_collection
from tests.support.screened_samples import a_screened_sample


def documents() -> Job:
    collection = a_listed_collection()
    records = [{"docno": f"new{n}", "title": "New", "sentences": ["New."]} for n in range(5)]
    return request_import(collection=collection, uploads=[jsonl(*records)], requested_by=admin())


def topics() -> Job:
    records = [{"_id": f"t{n}", "text": f"Question {n}"} for n in range(5)]
    return request_topics(
        collection=a_collection(),
        uploads=[jsonl(*records)],
        facet_key="method",
        requested_by=admin(),
    )


def full_texts() -> Job:
    collection = a_listed_collection()
    records = [{"docno": docno, "url": f"https://example.org/{docno}"} for docno in DOCNOS]
    return request_full_texts(
        collection=collection, uploads=[jsonl(*records)], requested_by=admin()
    )


def choice() -> Job:
    collection = a_collection()
    a_screened_sample(collection)
    plan = ChoicePlan(sample="first", numbers=(3, 3), least_rating=3, seed="s")
    return request_choice(collection=collection, plan=plan, requested_by=None)


def sample() -> Job:
    collection = ten_years(a_collection(), year_without_text=2001)
    plan = SamplePlan(by=("field",), per_stratum=2)
    return request_sample(collection=collection, name="papers", plan=plan, requested_by=admin())


def labels() -> Job:
    collection = a_collection()
    DocumentFactory.create_batch(5, collection=collection, labels=[])
    return request_labels(collection=collection, requested_by=None)


def training() -> Job:
    collection = a_collection()
    for document in DocumentFactory.create_batch(25, collection=collection):
        collection.label_records.create(
            document=document,
            digest=document.digest,
            checked_by=admin(),
            checked_at=timezone.now(),
        )
    return request_training(collection=collection, name="own", requested_by=None)


def sample_data() -> Job:
    return request_sample_data(collection=a_collection(), requested_by=admin())


def deletion() -> Job:
    collection = a_judged_collection()
    archive_collection(collection=collection)
    for _ in export_collection(collection):
        pass
    return request_deletion(collection=collection, name=collection.slug, requested_by=None)


SCENES: dict[str, Callable[[], Job]] = {
    "import_documents": documents,
    "import_topics": topics,
    "import_full_texts": full_texts,
    "choose_queries": choice,
    "sample_papers": sample,
    "label_sentences": labels,
    "train_labeller": training,
    "load_sample": sample_data,
    "delete_collection": deletion,
}
