"""Releases whose labels are citations."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import ir_measures
import pytest

from accounts.models import Collection, Role
from adjudication.standing import LabelledPair, Standing
from bundle.citation_labels import citation_label, count_citations, known_sources, with_citation
from bundle.datasheet.questions import QUESTIONS
from bundle.options import LabelSource, ReleaseOptions, Texts
from bundle.records import FoundBy, PooledDocument, ReleasedBuild
from corpus.services import create_query
from evaluation.leaderboard.report import NamedLists, Options, evaluation_report
from pooling.models import Candidate, Contribution, ExclusionReason
from pooling.services import freeze_pools
from rebuilding.manifest_files import open_manifests
from release.datasheets.services import save_answers
from release.errors import GateClosed
from release.files import open_release, path_of
from release.gate.checks import ABOUT_JUDGING, CHECKS
from release.publicity import make_public
from release.services import build_bundle, find_faults, publish_release
from release.snapshot import take_snapshot
from scoring.systems.run_files import read_system_file
from tests.support.bundles import BuiltRelease, built_release
from tests.support.citation_scenes import (
    DOCNOS,
    MODELS,
    OTHERS,
    PAPERS,
    a_corpus_with_citations,
    a_forced_collection,
    an_mdcr_collection,
)
from tests.support.factories import DocumentFactory, a_collection, a_pool, a_topic, member
from tests.support.gate_oracle import answers_of, asked, read
from tests.support.pooling_scenes import a_listed_run, built
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import accepting
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)


@once_a_file
def built_mdcr() -> BuiltRelease:
    return built_release(an_mdcr_collection(), CITATIONS, {})


@pytest.fixture
def mdcr(built_mdcr) -> Collection:
    return built_mdcr.collection


@pytest.fixture
def files(built_mdcr) -> dict[str, bytes]:
    return built_mdcr.files


@once_a_file
def frozen() -> Collection:
    collection = a_forced_collection(slug="forced")
    freeze_pools(collection=collection)
    return collection


def files_of(release) -> dict[str, bytes]:
    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def published(collection, options=CITATIONS, **settings) -> dict[str, bytes]:
    return files_of(
        publish_release(collection=collection, version="1.0", options=options, **settings)
    )


def qrels_of(files) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in files["trec/qrels.all.txt"].decode().splitlines():
        query, _, docno, grade = line.split()
        qrels.setdefault(query, {})[docno] = int(grade)
    return qrels


def positives_of(files, query: str) -> set[str]:
    return {docno for docno, grade in qrels_of(files)[query].items() if grade == 1}


# The rule


def pooled(*sources: str, docno="d1", excluded="") -> PooledDocument:
    records = tuple(FoundBy(name, None, None, False) for name in sources)
    return PooledDocument("q", docno, 1, excluded, records)


def test_a_candidate_is_positive_if_a_source_of_known_positives_has_it():
    known = known_sources({"forced": ["sampled"]})

    assert known == {"cited", "sampled"}
    assert citation_label(pooled("bm25", "sampled"), known) == 1
    assert citation_label(pooled("cited"), known) == 1
    assert citation_label(pooled("bm25"), known) == 0
    assert citation_label(pooled(), known) == 0


def test_an_excluded_candidate_has_no_label():
    assert citation_label(pooled("cited", excluded="no-text"), known_sources({})) is None


def test_a_document_in_the_references_has_cited_among_its_sources_once():
    drawn_by_a_model = with_citation(pooled("bm25"), {"d1"})

    assert [source.source for source in drawn_by_a_model.sources] == ["bm25", "cited"]
    assert drawn_by_a_model.drawn_by is None
    assert with_citation(drawn_by_a_model, {"d1"}) == drawn_by_a_model
    assert with_citation(pooled("bm25"), {"other"}) == pooled("bm25")


def test_positives_are_counted_by_source_and_each_once():
    documents = [
        pooled("cited", "sampled"),
        pooled("sampled", docno="d2"),
        pooled("bm25", docno="d3"),
        pooled("cited", docno="d4", excluded="no-text"),
    ]
    builds = [ReleasedBuild({"forced": ["sampled"]}, ("q", "without positive"))]

    counts = count_citations(documents, builds)

    assert counts == (2, 1, 1, {"cited": 1, "sampled": 2}, 1)


def test_a_citation_is_not_a_judgment_and_overrules_nothing():
    pair = LabelledPair("q", "", "d1", Standing.CITATION, None, None, 1)

    assert not pair.judged
    assert not pair.overruled


# What is released


def test_a_collection_without_a_judgment_or_an_open_query_is_released(mdcr, files):
    assert published(mdcr) == files
    folders = {name.partition("/")[0] for name in files if "/" in name}
    assert folders == {"beir", "collection", "hf", "mdcr", "pools", "runs", "trec"}
    assert not {name for name in files if "agreement" in name}
    assert {query: len(labels) for query, labels in qrels_of(files).items()} == {
        f"{paper}_method": 2 + 6 * 2 for paper in PAPERS
    }
    assert positives_of(files, "q1_method") == {"d01", "d02"}


def test_cited_papers_are_positives_whoever_drew_them():
    collection = a_corpus_with_citations()
    a_listed_run(collection, "up", dict.fromkeys(PAPERS, DOCNOS))
    built(collection, runs=("up",), forced=())
    freeze_pools(collection=collection)

    files = published(collection, accept=accepting(["no-relevant"]))

    assert positives_of(files, "q1_method") == {"d01", "d02", "d03"}
    line = json.loads(files["pools/pool.jsonl"].decode().splitlines()[0])
    assert (line["query_paper"], line["docno"], line["drawn_by"]) == ("q1", "d01", "up")
    assert {"source": "cited", "rank": None, "score": None, "drawn": False} in line["sources"]
    with open_manifests(path_of(collection.slug, "1.0")) as (manifests, _):
        assert manifests[0]["pools"]["query_papers"]["q1"]["documents"] == ["d01", "d02", "d03"]


def test_pools_that_forced_cited_papers_have_what_was_cited_when_they_were_drawn():
    collection = a_forced_collection()
    freeze_pools(collection=collection)
    before = qrels_of(published(collection))
    collection.documents.filter(docno="q1").update(references=["d30"])

    bundle = build_bundle(take_snapshot(collection, CITATIONS), "2.0", ())
    content = zipfile.ZipFile(io.BytesIO(bundle.content)).read("trec/qrels.all.txt")

    assert before["q1_method"]["d30"] == 0
    assert qrels_of({"trec/qrels.all.txt": content}) == before


def test_the_labels_follow_from_the_pools_and_the_manifest_in_the_zip(files):
    manifest = json.loads(files["manifest.json"])
    known = {
        paper: known_sources(build["manifest"])
        for build in manifest["pool_builds"]
        for paper in build["query_papers"]
    }
    found = {}
    for line in map(json.loads, files["pools/pool.jsonl"].decode().splitlines()):
        sources = {source["source"] for source in line["sources"]}
        query = f"{line['query_paper']}_method"
        label = int(bool(sources & known[line["query_paper"]]))
        found.setdefault(query, {})[line["docno"]] = label

    assert found == qrels_of(files)


def test_all_queries_of_a_query_paper_have_the_same_labels():
    collection = an_mdcr_collection(facets=("background", "method"))

    files = published(collection)
    qrels = qrels_of(files)

    assert list(qrels) == sorted(f"{p}_{f}" for p in PAPERS for f in ("background", "method"))
    assert all(qrels[f"{paper}_background"] == qrels[f"{paper}_method"] for paper in PAPERS)
    assert "all queries of a query paper have the same labels" in files["README.md"].decode()


def test_candidates_without_text_and_draft_pools_have_no_labels():
    collection = a_forced_collection(without_text=["d02"])
    freeze_pools(collection=collection)
    assert Candidate.objects.filter(excluded=ExclusionReason.NO_TEXT).exists()
    paper = DocumentFactory(collection=collection, docno="q9", references=["d01"])
    create_query(collection=collection, docno="q9", facet_key="method")
    a_pool(paper.query_paper, list(collection.documents.filter(docno__in=["d01", "d02"])))

    qrels = qrels_of(published(collection))

    assert "d02" not in qrels["q1_method"]
    assert "d03" in qrels["q1_method"]
    assert "q9_method" not in qrels


def test_a_judged_collection_can_be_released_with_citations_too():
    collection = a_judged_collection()
    collection.documents.filter(docno="q1").update(references=["d2"])
    judged = published(collection, ReleaseOptions())
    citing = publish_release(
        collection=collection, version="2.0", options=CITATIONS, accept=accepting(["no-relevant"])
    )
    files = files_of(citing)
    manifest = json.loads(files["manifest.json"])

    assert qrels_of(files)["q1_method"] == {"d1": 0, "d2": 1, "d3": 0}
    # The pair that was set aside has a label: a citation does not depend on the decision.
    assert set(qrels_of(files)["q2_method"]) == {"d1", "d3", "d4"}
    gone = {name for name in judged if name.startswith(("annotations/", "reports/"))}
    assert gone
    assert not gone & set(files)
    assert manifest["guidelines"] == []
    assert (manifest["collection"]["highest_grade"], manifest["collection"]["relevant_from"]) == (
        1,
        1,
    )


def test_the_manifest_says_that_the_labels_are_citations_and_counts_no_judgment(files):
    manifest = json.loads(files["manifest.json"])
    counts = manifest["counts"]
    method = counts["facets"]["method"]

    assert manifest["options"]["labels"] == "citations"
    assert counts["citations"] == {
        "positives": 6,
        "negatives": 36,
        "not_cited": 0,
        "by_source": {"cited": 6, "sampled": 6},
        "query_papers_without_positive": 0,
    }
    assert (counts["annotators"], counts["adjudicators"], counts["labels"]) == (0, 0, 42)
    judging = ("pairs_judged", "agreed", "adjudicated", "overruled", "set_aside", "unjudged")
    assert {name: method[name] for name in judging} == dict.fromkeys(judging, 0)
    assert method["labels_by_grade"] == {"0": 36, "1": 6}


def test_the_readme_says_it_at_its_beginning_and_speaks_of_no_judges(files):
    readme = files["README.md"].decode()

    _, _, text = readme.removeprefix("---\n").partition("---\n")
    assert (
        text.lstrip().splitlines()[2].startswith("**The labels of this release are citations, not")
    )
    assert "| `sampled` | 6 |" in readme
    assert "Label 1 that no reference of the collection confirms: 0." in readme
    assert "all labels, which are citations" in readme
    for word in ("## Agreement", "Two annotators", "under the guideline", "agreed", "Annotators:"):
        assert word not in readme


def test_the_readme_of_judged_labels_does_not_speak_of_citations():
    readme = published(a_judged_collection(), ReleaseOptions())["README.md"].decode()

    assert "citation" not in readme.replace("citation managers", "")


def test_the_same_pools_give_the_same_bytes(built_mdcr):
    again = built_release(built_mdcr.collection, CITATIONS, {})

    assert again.content == built_mdcr.content


def test_the_pages_of_a_version_say_that_its_labels_are_citations(mdcr, client):
    release = publish_release(collection=mdcr, version="1.0", options=CITATIONS)
    make_public(release=release, person=None)
    client.force_login(member(mdcr, Role.ADMIN, "admin"))

    for address in (f"/releases/{mdcr.slug}/1.0/", f"/c/{mdcr.slug}/releases/1.0/"):
        page = " ".join(client.get(address).text.split())
        assert "citations, not judgments" in page
        assert "Agreement of the judges" not in page
        assert "0 annotators" not in page


# The gate


def finding_of(collection, check):
    return next(
        finding
        for finding in find_faults(collection=collection, options=CITATIONS)
        if finding.check == check
    )


def test_checks_about_judging_do_not_apply(mdcr):
    checks = [finding.check for finding in find_faults(collection=mdcr, options=CITATIONS)]

    left_out = {*ABOUT_JUDGING, "model-labels"}  # which no citation labels can go with
    assert checks == [check for check in CHECKS if check not in left_out]
    assert "unopened-queries" not in checks
    assert {"empty", "ids", "licence", "self-retrieved", "provenance"} <= set(checks)


ABOUT_ANNOTATORS = ["annotators", "collection_dates", "consent", "pay", "recruitment"]


def test_answers_about_annotators_are_neither_required_nor_released(mdcr):
    keys = [key for key, question in QUESTIONS.items() if question.about_judging]
    assert sorted(keys) == ABOUT_ANNOTATORS
    save_answers(collection=mdcr, answers=dict.fromkeys(keys, ""), answered_by=None)
    assert finding_of(mdcr, "datasheet").ok
    save_answers(collection=mdcr, answers=dict.fromkeys(keys, "Of a person."), answered_by=None)

    files = published(mdcr)

    sheet = files["datasheet.md"].decode()
    assert "### Ethics review" in sheet
    for key in keys:
        assert f"### {QUESTIONS[key].label}" not in sheet
    assert not [name for name in files if b"Of a person." in files[name]]


def test_without_a_frozen_pool_there_is_nothing_to_release():
    collection = a_forced_collection()

    with pytest.raises(GateClosed, match="freeze"):
        publish_release(collection=collection, version="1.0", options=CITATIONS)


def no_change(collection):
    pass


def a_second_facet(collection):
    for paper in PAPERS:
        create_query(collection=collection, docno=paper, facet_key="background")


def a_draft_pool(collection):
    paper = DocumentFactory(collection=collection, docno="q9", references=["d01"])
    create_query(collection=collection, docno="q9", facet_key="method")
    a_pool(paper.query_paper, list(collection.documents.all()[:3]))


def a_frozen_pool(collection, docnos, *, sourced=True):
    paper = DocumentFactory(collection=collection, docno="q8", references=["d01"])
    create_query(collection=collection, docno="q8", facet_key="method")
    create_query(collection=collection, docno="q8", facet_key="background")
    found = {document.docno: document for document in collection.documents.all()}
    pool = a_pool(
        paper.query_paper,
        [found.get(d) or DocumentFactory(collection=collection, docno=d) for d in docnos],
    )
    if not sourced:
        Contribution.objects.filter(candidate__pool=pool).delete()
        type(pool).objects.filter(pk=pool.pk).update(drawn={})
    freeze_pools(collection=collection)


def no_positive(collection):
    a_frozen_pool(collection, ["d02", "d03"])


def its_own_candidate(collection):
    a_frozen_pool(collection, ["d01", "q8"])


def ids_with_white_space(collection):
    a_frozen_pool(collection, ["d 1", "a\u3000b"])


def no_sources(collection):
    a_frozen_pool(collection, ["d01", "d02", "d03"], sourced=False)


def many_without_source(collection):
    a_frozen_pool(collection, [f"n{number}" for number in range(30)], sourced=False)


def no_licence(collection):
    type(collection).objects.filter(pk=collection.pk).update(licence=" ")


def a_topic_with_a_pool(collection):
    query = a_topic(collection)
    a_pool(query.query_paper, list(collection.documents.all()[:3]))
    freeze_pools(collection=collection)


@pytest.mark.parametrize(
    "state",
    [
        *(no_change, a_second_facet, a_draft_pool, its_own_candidate, ids_with_white_space),
        *(no_positive, no_sources, many_without_source, no_licence, a_topic_with_a_pool),
    ],
)
def test_the_counts_tell_what_the_snapshot_with_citations_tells(frozen, state):
    collection = frozen
    before = find_faults(collection=collection, options=CITATIONS)
    state(collection)

    now = find_faults(collection=collection, options=CITATIONS)

    assert answers_of(now) == read(collection, CITATIONS)
    assert (now == before) is (state in (no_change, a_draft_pool))


def test_an_empty_collection_has_no_citation_labels():
    collection = a_collection()

    assert asked(collection, CITATIONS) == read(collection, CITATIONS)
    assert not finding_of(collection, "empty").ok


def test_pools_without_cited_papers_are_found_before_the_release():
    collection = a_corpus_with_citations()
    a_listed_run(collection, "up", dict.fromkeys(PAPERS, DOCNOS))
    built(collection, runs=("up",), forced=(), excluded=("cited",))
    freeze_pools(collection=collection)

    finding = finding_of(collection, "no-relevant")

    assert finding.items == ("q1_method", "q2_method", "q3_method")
    with pytest.raises(GateClosed, match="known positives as a forced source"):
        publish_release(collection=collection, version="1.0", options=CITATIONS)
    files = published(collection, accept=accepting(["no-relevant"]))
    assert "but without a relevant document: 3." in files["README.md"].decode()


def test_a_positive_that_no_source_recorded_counts_as_relevant(frozen):
    a_frozen_pool(frozen, ["d01", "d02"])

    assert finding_of(frozen, "no-relevant").ok


def test_a_cited_candidate_of_a_pool_without_sources_has_one(frozen):
    no_sources(frozen)

    provenance = finding_of(frozen, "provenance")

    assert provenance.items == (
        "q8_background d02",
        "q8_background d03",
        "q8_method d02",
        "q8_method d03",
    )


# mdcr/


def test_candidates_are_listed_by_field_query_paper_and_type(files):
    candidates = json.loads(files["mdcr/candidates.json"])

    assert {field: sorted(papers) for field, papers in candidates.items()} == {
        "Biology": ["q1"],
        "Physics": ["q2", "q3"],
    }
    q1 = candidates["Biology"]["q1"]
    assert set(q1) == {*MODELS, *OTHERS, "true"}
    assert q1["true"] == ["d01", "d02"]
    assert all(len(docnos) == 2 for docnos in q1.values())
    assert set().union(*q1.values()) == set(qrels_of(files)["q1_method"])


def test_a_release_without_texts_has_the_fields_too(mdcr, files):
    options = ReleaseOptions(Texts.NONE, LabelSource.CITATIONS)

    without = files_of(publish_release(collection=mdcr, version="2.0", options=options))

    assert without["mdcr/candidates.json"] == files["mdcr/candidates.json"]


def test_pools_of_another_strategy_have_no_candidates_by_type(frozen):
    assert "mdcr/candidates.json" not in published(frozen)


def test_a_system_scores_the_same_in_mdcrs_form_and_with_ir_measures(mdcr, tmp_path):
    """The scores of pairs, as MDCR's systems have them, against the qrels of the release."""
    files = published(mdcr)
    candidates = json.loads(files["mdcr/candidates.json"])
    pairs = {
        f"{paper}_{docno}": 1 / (1 + int(docno[1:]) * (7 if paper == "q2" else 3) % 11)
        + int(docno[1:]) / 1000
        for papers in candidates.values()
        for paper, types in papers.items()
        for docnos in types.values()
        for docno in docnos
    }
    (tmp_path / "scores.json").write_text(json.dumps(pairs))
    lists = read_system_file(tmp_path / "scores.json", name="scores", topics=set(PAPERS)).lists
    ours = {f"{paper}_method": list(ranking.docnos) for paper, ranking in lists.items()}

    report = evaluation_report(
        mdcr, [NamedLists("mine", lambda: ours)], Options("mdcr", source="release:1.0")
    ).as_json()

    rows = {
        (row["field"], row["candidates"]): row["measures"]
        for row in report["systems"][0]["rows"]
        if "field" in row
    }
    (tmp_path / "qrels.txt").write_bytes(files["trec/qrels.all.txt"])
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt")))
    run = {
        query: {docno: float(-rank) for rank, docno in enumerate(docnos)}
        for query, docnos in ours.items()
    }
    measures = [ir_measures.AP, ir_measures.nDCG, ir_measures.R @ 5]
    by_query = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(measures, qrels, run)
    }
    for measure in map(str, measures):
        physics = (by_query["q2_method", measure] + by_query["q3_method", measure]) / 2
        biology = by_query["q1_method", measure]
        assert rows["Biology", "all"][measure] == pytest.approx(biology)
        assert rows["Physics", "all"][measure] == pytest.approx(physics)
        assert rows["mean over fields", "all"][measure] == pytest.approx((biology + physics) / 2)
    assert {candidates for _, candidates in rows} == {"all", *MODELS, *OTHERS}


def test_systems_are_scored_with_citations_before_a_release_too(mdcr):
    published(mdcr)
    lists = {f"{paper}_method": ["d01", "d04", "d02"] for paper in PAPERS}
    reports = [
        evaluation_report(
            mdcr, [NamedLists("mine", lambda: lists)], Options("mdcr", source=source)
        ).as_json()
        for source in ("citations", "release:1.0")
    ]

    assert reports[0]["systems"] == reports[1]["systems"]


def test_no_name_of_a_person_is_in_it(files):
    for name, content in files.items():
        text = content.decode(errors="replace")
        assert not re.search(r"\b(ann1|ann2|adju|admin)\b", text), name


def test_queries_are_described_as_in_other_releases(files):
    rows = list(csv.DictReader(io.StringIO(files["queries.csv"].decode(), newline="")))

    assert [row["query"] for row in rows] == ["q1_method", "q2_method", "q3_method"]
