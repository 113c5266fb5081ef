"""A release of any kind of collection passes every check and can be imported again.

tests/support/made_releases.py does both for every release that a test makes. These are the kinds
that no other test may be the last to make.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from accounts.models import Collection
from adjudication.judgment_import import ImportOptions, import_judgments
from annotation.models import Slot
from annotation.services import open_query
from bundle.counts import PER_QUERY
from bundle.options import DEFAULT_OPTIONS, LabelSource, ReleaseOptions
from bundle.reading.opened import OpenedBundle, open_bundle, read_json
from corpus.facets import NO_FACETS, FacetPlan
from corpus.models import Query
from corpus.services import create_query
from jobs.context import DirectRun
from release.files import path_of
from release.services import publish_release
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.factories import DocumentFactory, a_collection, a_pool, a_topic, annotators
from tests.support.made_releases import wrong_import, wrong_outcomes
from tests.support.release_scenes import an_opened_collection, judge_all
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge_at_once

pytestmark = pytest.mark.django_db
OWN_FACETS = (FacetPlan("purpose", "Purpose", ("method",)), FacetPlan("use", "Use", ("result",)))
IN_WORDS = {
    "query_papers": "Query papers",
    "queries": "Queries",
    "pooled_documents": "Pooled documents",
    "labels": "Final labels|Labels",
    "annotators": "Annotators",
    "adjudicators": "Adjudicators",
}
OF_CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)
UNICODE = ("Ärzte-1", "日本語", "𝔇2", "ｚ3", "naïve")  # U+1D507 sorts above U+FF5A


def judged(queries: Sequence[Query], docnos: Sequence[str] = ("d1", "d2", "d3")) -> Collection:
    """One pool and every grade for each query: place by place, from the lowest to the highest."""
    collection = queries[0].collection
    documents = [DocumentFactory(collection=collection, docno=docno) for docno in docnos]
    for paper in {query.query_paper for query in queries}:
        a_pool(paper, documents)
    for query in queries:
        open_query(query=query, annotators=annotators(collection), opened_by=None)
    slots = Slot.objects.of(collection).select_related("pair__candidate")
    grades = len(collection.grades)
    judge_at_once((slot, slot.pair.candidate.position % grades) for slot in slots.order_by("pk"))
    return collection


def of_papers(facets: Sequence[FacetPlan], **settings: object) -> Collection:
    collection = a_collection(facets=facets, licence="CC0-1.0", **settings)
    DocumentFactory(collection=collection, docno="q1")
    return judged(
        [create_query(collection=collection, docno="q1", facet_key=facet.key) for facet in facets]
    )


def of_topics() -> Collection:
    collection = a_collection(facets=NO_FACETS, licence="CC0-1.0")
    return judged([a_topic(collection, name, facet="") for name in ("1", "02", "t3")])


def with_imported_judgments(folder: Path) -> Collection:
    """Two people agreed on d1 and not on d2, which has no decision."""
    collection = a_collection(licence="CC0-1.0")
    for docno in ("q1", "d1", "d2"):
        DocumentFactory(collection=collection, docno=docno)
    create_query(collection=collection, docno="q1", facet_key="method")
    rows = "q1_method,d1,mara,2\nq1_method,d1,ines,2\nq1_method,d2,mara,0\nq1_method,d2,ines,3\n"
    (folder / "answers.csv").write_text(f"query,docno,annotator,grade\n{rows}")
    files = [(folder / "answers.csv", "answers.csv")]
    import_judgments(collection=collection, files=files, options=ImportOptions(), work=DirectRun())
    return collection


def with_an_empty_facet() -> Collection:
    """The facet `result` has no query, and `method` a query without any label."""
    collection = an_opened_collection()
    judge_all(collection, {("q1_background", "d1"): (1, 1), ("q1_background", "d2"): (0, 0)})
    return collection


def with_unicode_names() -> Collection:
    collection = a_collection(licence="CC0-1.0")
    collection.name = "Ähnliche Arbeiten 類似"
    collection.save()
    DocumentFactory(collection=collection, docno="Ω-1", title="“Größe” 𝔛")
    queries = [create_query(collection=collection, docno="Ω-1", facet_key="method")]
    topic = a_topic(collection, "thème", title="Qu'est-ce ?", facet="result")
    return judged([*queries, topic], UNICODE)


def of_citations(facets: Sequence[FacetPlan]) -> Collection:
    return an_mdcr_collection(facets=[facet.key for facet in facets], plans=facets)


Case = tuple[Callable[[Path], Collection], ReleaseOptions]
CASES: dict[str, Case] = {
    "topics without facets": (lambda _: of_topics(), DEFAULT_OPTIONS),
    "papers without facets": (lambda _: of_papers(NO_FACETS), DEFAULT_OPTIONS),
    "own facets": (lambda _: of_papers(OWN_FACETS), DEFAULT_OPTIONS),
    "binary": (lambda _: of_papers(OWN_FACETS, highest_grade=1), DEFAULT_OPTIONS),
    "binary without facets": (lambda _: of_papers(NO_FACETS, highest_grade=1), DEFAULT_OPTIONS),
    "five grades": (lambda _: of_papers(OWN_FACETS, highest_grade=4), DEFAULT_OPTIONS),
    "citations": (lambda _: of_citations(OWN_FACETS), OF_CITATIONS),
    "citations without facets": (lambda _: of_citations(NO_FACETS), OF_CITATIONS),
    "imported judgments": (with_imported_judgments, DEFAULT_OPTIONS),
    "an empty facet": (lambda _: with_an_empty_facet(), DEFAULT_OPTIONS),
    "Unicode names": (lambda _: with_unicode_names(), DEFAULT_OPTIONS),
}


@pytest.mark.parametrize("case", CASES)
def test_a_release_passes_every_check_and_its_import_has_the_same_labels(case, tmp_path):
    make, options = CASES[case]
    collection = make(tmp_path)

    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION, options=options)

    path = path_of(collection.slug, "1.0")
    assert list(wrong_outcomes(path)) == []
    assert list(wrong_import(path)) == []
    with open_bundle(path) as bundle:
        assert wrong_numbers(bundle) == {}


def wrong_numbers(bundle: OpenedBundle) -> dict[str, tuple[str, str]]:
    """Numbers of the README that are not in the manifest, beside those of the manifest."""
    with bundle.open("README.md") as file:
        text = file.read().decode()
    counts = read_json(bundle, "manifest.json")["counts"]
    stated = {
        name: match[1].replace(",", "")
        for name, words in IN_WORDS.items()
        if (match := re.search(rf"(?<!\w)(?:{words}): ([\d,]+)\.", text))
    }
    assert stated.keys() >= {"query_papers", "queries", "pooled_documents", "labels"}
    expected = {name: str(counts[name]) for name in stated}
    for row in size_rows(text):
        facet = row.pop("facet", "")
        numbers = counts["facets"][facet]
        for column in PER_QUERY:  # of the pools, which the manifest does not sum up
            del row[column]
        for column, cell in row.items():
            key = f"{column} of {facet!r}"
            grade = column.removeprefix("grade ")
            value = numbers["labels_by_grade"][grade] if grade != column else None
            stated[key] = cell
            expected[key] = str(numbers[column.replace(" ", "_")] if value is None else value)
    return {key: (stated[key], expected[key]) for key in stated if stated[key] != expected[key]}


def size_rows(text: str) -> list[dict[str, str]]:
    """The rows of the table with the labels of each grade, by column."""
    lines = text.splitlines()
    start = next(
        n for n, line in enumerate(lines) if re.match(r"\|.* labels \|.* grade 0 \|", line)
    )
    header, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    )
    assert rows
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_numbers_of_the_texts_for_readers_are_not_checked(tmp_path):
    """Checks read the data and the manifest, so the texts can be worded in any way."""
    files = released_files(of_papers(NO_FACETS))
    texts = dict.fromkeys(("README.md", "datasheet.md", "CHANGELOG.md"), b"| queries |\n| --- |\n")

    path = write_bundle(tmp_path / "release.zip", with_new_sums({**files, **texts}))

    assert list(wrong_outcomes(path)) == []
    assert list(wrong_import(path)) == []
