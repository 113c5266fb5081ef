"""A collection with two facets of its own, from abstracts without labels to a release.

The facets are those of SOLVENT (Chan et al., 2018): purpose and mechanism.
"""

from __future__ import annotations

import json
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Collection
from annotation.models import Slot
from annotation.services import open_queries
from corpus.facets import FacetPlan
from release.files import open_release
from release.services import publish_release
from tests.support.factories import a_collection, annotators
from tests.support.labels import checked
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge
from tests.support.visits import client_of

pytestmark = pytest.mark.django_db

SOLVENT = (
    FacetPlan("purpose", "Purpose", ("purpose", "objective", "background")),
    FacetPlan("mechanism", "Mechanism", ("mechanism", "method")),
)
ABSTRACT = (
    "Searching {topic} has been an important problem for decades. "
    "We propose a method that ranks {topic} with a citation graph, trained by gradient descent. "
    "Experimental results show that it outperforms the baseline by {number} points."
)


@pytest.fixture
def collection(tmp_path) -> Collection:
    collection = a_collection(facets=SOLVENT, licence="CC0-1.0")
    path = tmp_path / "documents.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "docno": f"p{number}",
                    "title": f"Ranking {topic} {number}",
                    "abstract": ABSTRACT.format(topic=topic, number=number),
                }
            )
            + "\n"
            for number, topic in enumerate(["papers", "patents", "recipes", "papers", "patents"])
        )
    )
    call_command("import_documents", "small", str(path))
    call_command("label_sentences", "small")
    return collection


def test_predicted_labels_are_checked_judged_in_bold_and_released(collection, tmp_path, settings):
    settings.RELEASE_DIR = tmp_path / "releases"
    paper = collection.documents.get(docno="p0")
    assert paper.labels[1:] == ["method", "other"]  # a result belongs to neither facet
    checked(paper, ["purpose", "mechanism", "other"])
    for facet in ("purpose", "mechanism"):
        call_command("create_query", "small", "p0", facet)
    call_command("build_pools", "small", "--run", "bm25_abstract", "--n", "3")
    open_queries(
        queries=list(collection.queries.all()), annotators=annotators(collection), opened_by=None
    )
    slots = Slot.objects.of(collection).select_related("pair__query", "annotator")
    slot = slots.filter(pair__query__name="p0_mechanism").first()
    address = reverse("judge-pair", args=["small", "p0_mechanism", slot.pair.token])
    page = client_of(slot.annotator.username).get(address).text
    query = page[page.index('class="query"') : page.index('class="candidate"')]
    assert query.count("in-facet") == 1
    assert query.index("in-facet") < query.index("ranks papers with") < query.index("show")

    for place, slot in enumerate(slots.order_by("pair_id", "number")):
        judge(slot, place // 2 % 4)
    release = publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)

    with open_release(release) as file, zipfile.ZipFile(file) as bundle:
        (qrels,) = (name for name in bundle.namelist() if name.endswith("mechanism.txt"))
        lines = bundle.read(qrels).decode().splitlines()
    assert len(lines) == 3
    assert {line.split()[0] for line in lines} == {"p0_mechanism"}
