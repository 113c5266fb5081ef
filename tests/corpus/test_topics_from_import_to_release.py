"""Documents and topics that both count from 1, as Cranfield's, from their files to a release."""

from __future__ import annotations

import json
import zipfile
from xml.etree import ElementTree

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Collection
from annotation.models import Slot
from annotation.services import open_queries
from corpus.formats.topics import read_topics
from corpus.services import DEFAULT_FACETS
from jobs.context import DirectRun
from pooling.models import Candidate, Pool
from pooling.services import PoolPlan, build_pools
from rebuilding.services import rebuild_pools
from release.files import open_release
from release.services import publish_release
from retrieval.services import import_run, run_lines
from tests.pooling.test_pages import client_of
from tests.support.datasheets import answer_datasheet
from tests.support.factories import a_collection, annotators
from tests.support.sittings import judge

pytestmark = pytest.mark.django_db

NARRATIVE = " ".join(f"Statement {number} on wings is relevant." for number in range(60))
TOPICS = f"""\
<top>
<num> Number: 1
<title> lift of wings
<desc> Description:
What lifts a wing? Name experiments.
<narr> Narrative:
{NARRATIVE}
</top>
<top>
<num> Number: 2
<title> heat of cones
<desc> Description:
How hot is a cone?
</top>
<top>
<num> Number: 3
<title> drag of plates
</top>
"""
WORDS = ("lift of wings", "heat of cones", "drag of plates")


@pytest.fixture
def collection(tmp_path) -> Collection:
    collection = a_collection(facets=DEFAULT_FACETS[1:2], licence="CC0-1.0")
    answer_datasheet(collection)
    lines = [
        {
            "docno": str(number),
            "title": WORDS[number % 3 - 1],
            "abstract": f"we measured the {WORDS[number % 3 - 1]} . it was {number} .",
        }
        for number in range(1, 13)
    ]
    (tmp_path / "documents.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "topics.txt").write_text(TOPICS)
    call_command("import_documents", "small", str(tmp_path / "documents.jsonl"))
    call_command("import_topics", "small", str(tmp_path / "topics.txt"))
    return collection


def pools(collection: Collection):
    plan = PoolPlan.take(12, runs=("bm25_title", "tfidf_title", "random"), depth=12)
    return build_pools(collection=collection, plan=plan, work=DirectRun())


def judge_everything(collection: Collection) -> None:
    open_queries(
        queries=list(collection.queries.all()), annotators=annotators(collection), opened_by=None
    )
    for slot in Slot.objects.of(collection).select_related("pair", "annotator"):
        judge(slot, slot.pair_id % 4)


def test_a_topic_finds_the_document_with_its_id(collection):
    pools(collection)

    assert collection.documents.count() == 12
    for run in collection.runs.all():
        found = dict(run.rankings.values_list("query_paper__name", "docnos"))
        assert set(found) == {"1", "2", "3"}
        if run.name != "random":
            assert "1" in found["1"]
    assert "1" in Pool.objects.get(query_paper__name="1").candidates.values_list(
        "document__docno", flat=True
    )


def test_the_pools_can_be_rebuilt(collection):
    build = pools(collection)

    report = rebuild_pools(manifest=build.manifest, collection=collection, work=DirectRun())

    assert report.candidates == Candidate.objects.filter(pool__build=build).count()


def test_an_imported_run_may_rank_the_document_with_the_topic_s_id(collection, tmp_path):
    path = tmp_path / "a.run"
    path.write_text("1 Q0 1 1 2.0 x\n1 Q0 2 2 1.0 x\n")

    run = import_run(
        collection=collection, path=path, filename="a.run", name="mine", work=DirectRun()
    )

    assert next(run_lines(run)).split()[:3] == ["1", "Q0", "1"]
    assert run.report["query_papers_themselves"] == 0


def query_column(name: str) -> str:
    """The part of a judging page with the query."""
    slot = Slot.objects.filter(pair__query__name=name, annotator__username="ann1").first()
    page = client_of("ann1").get(reverse("judge-pair", args=["small", name, slot.pair.token])).text
    return page[page.index('class="query"') : page.index('class="candidate"')]


def test_judges_see_title_description_and_narrative_once_and_nothing_in_bold(collection):
    pools(collection)
    judge_everything(collection)

    query = query_column("1_method")

    assert query.count("<h3>lift of wings</h3>") == 1
    assert query.count("What lifts a wing? Name experiments.") == 1
    assert query.count(NARRATIVE) == 1
    assert "in-facet" not in query


def test_a_topic_without_description_is_shown_as_its_title(collection):
    pools(collection)
    judge_everything(collection)

    query = query_column("3_method")

    assert query.count("drag of plates") == 2  # the heading, and the name of the folded column
    assert "Narrative" not in query


def test_the_release_contains_the_topics_under_the_ids_of_the_qrels(collection, tmp_path):
    pools(collection)
    judge_everything(collection)

    release = publish_release(collection=collection, version="1.0")

    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if not name.endswith(".parquet")]
        files = {name: archive.read(name).decode() for name in names}
    assert files["trec/topics.tsv"].splitlines() == [
        "1_method\tlift of wings What lifts a wing? Name experiments.",
        "2_method\theat of cones How hot is a cone?",
        "3_method\tdrag of plates",
    ]
    topics = ElementTree.fromstring(files["trec/topics.xml"])
    assert [topic.get("number") for topic in topics] == ["1_method", "2_method", "3_method"]
    assert [part.tag for part in topics[0]] == ["title", "description", "narrative"]
    qrels = [line.split() for line in files["trec/qrels.all.txt"].splitlines()]
    assert {topic for topic, *_ in qrels} == {topic.get("number") for topic in topics}
    assert ["1_method", "0", "1"] in [line[:3] for line in qrels]
    assert "`trec/topics.xml`" in files["README.md"]
    assert release.manifest["accepted"] == []
    (tmp_path / "topics.xml").write_text(files["trec/topics.xml"])
    read = read_topics(tmp_path / "topics.xml", name="topics.xml").topics
    assert read[0].narrative == NARRATIVE
