"""Sub-corpora and retrievers over them, against a second program of sets, formulas and ir-measures.

The second program ranks by every score, and reads the documents from its own dictionaries.
"""

from __future__ import annotations

import json
import random
from hashlib import sha256
from io import StringIO
from statistics import fmean, stdev

import ir_measures
import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from sklearn.feature_extraction.text import TfidfVectorizer

from accounts.models import Collection
from corpus.facets import NO_FACETS
from corpus.services import create_query
from evaluation.corpus_sizes.measuring import QUERIES, TEXTS, measure, write_queries
from evaluation.corpus_sizes.report import CorpusSizesReport, SizesError
from evaluation.corpus_sizes.sub_corpora import WHOLE, MeasuredCorpus, Population, planned
from evaluation.corpus_sizes.tables import csv_rows, field_lines, size_lines
from jobs.context import DirectRun
from reports.services import changed_since, compute_report
from tests.retrieval.test_retrievers import bm25_by_formula
from tests.support.factories import DocumentFactory, a_collection
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

FIELDS = ("Art", "Biology")
BM25, TFIDF = "bm25_abstract", "tfidf_abstract"
MEASURES = ["AP", "nDCG", "R@30"]


def made_papers(seed: int, size: int) -> dict[str, dict]:
    """Papers of two fields that cite earlier papers, and words by field. p0 cites itself."""
    chance = random.Random(seed)
    papers = {}
    for number in range(size):
        fields = chance.sample(FIELDS, chance.choice([0, 1, 1, 2]))
        known = [*papers, "elsewhere"]
        # Of few lengths and words, too many scores would differ by rounding only.
        words = [f"{(fields or ['any'])[0]}{chance.randrange(150)}" for _ in range(20)]
        words += [f"common{int(chance.paretovariate(1))}" for _ in range(chance.randrange(5, 20))]
        papers[f"p{number}"] = {
            "fields": fields,
            "references": [f"p{number}", *chance.sample(known, min(len(known), 4))],
            "text": " ".join(words),
        }
    return papers


def expected_sub_corpus(papers, queries, scope, size, draw, seed):
    """The docnos, from sets and the whole order key."""
    of_scope = [p for p, facts in papers.items() if scope in ("", (facts["fields"] or [""])[0])]
    asked = [q for q in queries if scope in ("", (papers[q]["fields"] or [""])[0])]

    def cited_by(sources):
        return {c for p in sources for c in papers[p]["references"] if c in papers and c != p}

    cited = cited_by(asked)
    others = sorted(
        cited_by(of_scope) - cited,
        key=lambda d: sha256(f"{seed}|sub-corpus|{scope}|{draw}|{d}".encode()).hexdigest(),
    )
    return asked, cited | set(others[: max(0, size - len(cited))])


def expected_means(papers, asked, documents, scores_of):
    """The means by ir-measures of lists that rank all documents by all scores."""
    texts = {docno: papers[docno]["text"] for docno in sorted(documents)}
    run, qrels = {}, {}
    for query in asked:
        scored = scores_of(texts, papers[query]["text"])
        ranked = sorted(
            ((np.float32(score), docno) for docno, score in scored.items() if score > 0),
            reverse=True,
        )
        docnos = [docno for _, docno in ranked if docno != query][:500]
        run[query] = {docno: float(-rank) for rank, docno in enumerate(docnos)}
        cited = papers[query]["references"]
        qrels[query] = {docno: 1 for docno in cited if docno in documents and docno != query}
    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    found = ir_measures.calc_aggregate(measures, qrels, run)
    return {str(measure): found[measure] for measure in measures}


def tfidf_scores(texts, query):
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    matrix = vectorizer.fit_transform(texts.values())
    values = (matrix @ vectorizer.transform([query]).T).toarray()[:, 0]
    return dict(zip(texts, values, strict=True))


SCORES = {BM25: bm25_by_formula, TFIDF: tfidf_scores}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rows_are_the_cited_documents_and_then_the_sample_nested_by_size(seed):
    chance = random.Random(seed)
    docnos = sorted(f"d{number}" for number in range(300))
    rows = chance.sample(range(300), 200)
    population = Population(
        np.array(sorted(rows[:40]), np.int32), np.array(sorted(rows[40:]), np.int32)
    )
    before: set[int] = set()
    for size in (10, 40, 41, 120, 200, 500):
        found = population.rows(MeasuredCorpus("Art", size, seed), docnos, "s")
        order = sorted(
            rows[40:],
            key=lambda row: sha256(f"s|sub-corpus|Art|{seed}|{docnos[row]}".encode()).hexdigest(),
        )
        assert found.tolist() == sorted(rows[:40] + order[: max(0, size - 40)])
        assert len(found) == population.documents(size)
        assert before <= set(found.tolist())
        before = set(found.tolist())
    sampled = [population.draw_that_counts(MeasuredCorpus("", size, 2)) for size in (40, 41, 200)]
    assert sampled == [0, 2, 0]


@pytest.mark.parametrize("seed", [5, 6])
def test_the_means_are_those_of_exhaustive_ranking_and_ir_measures(tmp_path, seed):
    papers = made_papers(seed, 250)
    asked, documents = expected_sub_corpus(papers, list(papers)[-40:], "", 200, 1, "s")
    lines = [json.dumps([docno, "", papers[docno]["text"]]) for docno in sorted(documents)]
    (tmp_path / TEXTS).write_text("".join(f"{line}\n" for line in lines))
    queries = [
        (q, "", papers[q]["text"], [c for c in papers[q]["references"] if c in documents - {q}])
        for q in asked
    ]
    write_queries(tmp_path / QUERIES, queries)
    for name, scores_of in SCORES.items():
        found = measure(tmp_path, name, lambda note, done: None)
        assert found == pytest.approx(expected_means(papers, asked, documents, scores_of), abs=1e-9)


PAPERS = made_papers(9, 120)
ASKED = list(PAPERS)[-30:]


@once_a_file
def collection() -> Collection:
    collection = a_collection("sizes", facets=NO_FACETS, seed="s")
    for docno, facts in PAPERS.items():
        DocumentFactory(
            collection=collection,
            docno=docno,
            title="",
            sentences=[facts["text"]],
            labels=[""],
            fields=facts["fields"],
            references=facts["references"],
        )
    for docno in ASKED:
        create_query(collection=collection, docno=docno, facet_key="")
    return collection


KIND = CorpusSizesReport([TFIDF], field_size=60, sizes=[1000], draws=2)


class Stopped(Exception):
    pass


class StoppedAt(DirectRun):
    """Work that is cancelled when the second sub-corpus begins."""

    def progress(self, done: int, total: int | None, note: str = "") -> None:
        if total and done == 1:
            raise Stopped


def folder_of(collection):
    return settings.ARTEFACT_DIR / collection.slug / "corpus-sizes"


@pytest.mark.by_day(2)
def test_a_cancelled_job_goes_on_with_what_is_missing_and_agrees_with_the_second_program(
    collection,
):
    with pytest.raises(Stopped):
        compute_report(KIND, collection=collection, work=StoppedAt())
    (kept,) = folder_of(collection).iterdir()  # no texts and no index are left
    (first,) = filter(None, kept.read_text().splitlines())
    with kept.open("a") as stream:
        stream.write('\n["cut')
    payload = compute_report(KIND, collection=collection).payload
    lines = [line for line in kept.read_text().splitlines() if line]
    assert lines[0] == first  # it was not measured again
    # Two draws of each field; 1,000 are all that are cited, whatever the draw; and the cut line.
    assert len(lines) == 2 * 2 + 1 + 1
    for row in payload["corpora"]:
        seed = collection.seed
        asked, documents = expected_sub_corpus(
            PAPERS, ASKED, row["scope"], row["size"], row["draw"], seed
        )
        assert row["documents"] == len(documents)
        assert row["means"][TFIDF] == pytest.approx(
            expected_means(PAPERS, asked, documents, tfidf_scores), abs=1e-9
        )


def test_tables_have_means_and_deviations_over_draws_and_the_mean_over_fields():
    payload = {
        "retrievers": [BM25],
        "measures": ["AP"],
        "draws": 2,
        "field_size": 5,
        "scopes": {name: {"queries": 3} for name in ("Art", "Biology", WHOLE)},
        "corpora": [
            {**corpus._asdict(), "documents": 4, "means": {BM25: {"AP": value}}}
            for corpus, value in zip(
                planned(["Art", "Biology"], 5, [7], 2), [0.1, 0.3, 0.5, 0.9, 0.2, 0.2], strict=True
            )
        ],
    }
    art, biology, mean = field_lines(payload)
    assert [line.cells[0][0].mean for line in (art, biology)] == pytest.approx([0.2, 0.7])
    assert art.cells[0][0].deviation == pytest.approx(stdev([0.1, 0.3]))
    assert mean.cells[0][0] == pytest.approx((fmean([0.3, 0.6]), stdev([0.3, 0.6])))
    (whole,) = size_lines(payload)
    assert (whole.is_short, whole.cells[0][0].deviation) == (True, 0.0)
    one_draw = {**payload, "draws": 1, "corpora": payload["corpora"][::2]}
    assert field_lines(one_draw)[0].cells[0][0].deviation is None
    assert len(list(csv_rows(payload))) == 7


def test_the_page_the_files_the_api_and_the_command_show_the_report(collection):
    admin = client_of("admin")
    assert "Not measured yet" in text_of(admin.get(address("corpus-sizes", slug="sizes")))
    posted = {"field_size": "0", "sizes": "80 1000", "draws": "1", "retriever": [BM25]}
    refused = admin.post(address("measure-corpus-sizes", slug="sizes"), {**posted, "sizes": "many"})
    assert "“many” is not a size" in text_of(refused)
    assert admin.post(address("measure-corpus-sizes", slug="sizes"), posted).status_code == 302
    (job,) = collection.jobs.filter(kind="corpus_sizes")
    assert job.parameters["sizes"] == [80, 1000]
    out = StringIO()
    options = ("--retriever", BM25, "--field-size", "0", "--size", "80", "--size", "1000")
    call_command("measure_corpus_sizes", "sizes", *options, "--draws", "1", "--dry-run", stdout=out)
    assert "2 sub-corpora to measure" in out.getvalue()
    assert not collection.stored_reports.exists()
    call_command("measure_corpus_sizes", "sizes", *options, "--draws", "1", stdout=out)
    assert "all fields" in out.getvalue()
    page = text_of(admin.get(address("corpus-sizes", slug="sizes")))
    assert "all there are" in page
    assert queries_of(admin, address("corpus-sizes", slug="sizes")) < 30
    assert admin.get(address("corpus-sizes-csv", slug="sizes")).content.count(b"\r\n") == 3
    figure = address("corpus-sizes-figure", "corpus-sizes", "svg", slug="sizes")
    assert b"<svg" in admin.get(figure).content
    answer = admin.get("/api/v1/collections/sizes/corpus-sizes/").json()
    assert answer["up_to_date"] is True
    assert answer["report"] == json.loads(
        admin.get(address("corpus-sizes-json", slug="sizes")).content
    )
    Collection.objects.filter(pk=collection.pk).update(corpus_version=7)
    collection.refresh_from_db()
    assert changed_since(collection.stored_reports.get()) == "the documents"


def test_parameters_that_cannot_be_measured_are_refused(collection):
    for kind, message in (
        (CorpusSizesReport(["graph"]), "'graph' cannot be measured"),
        (CorpusSizesReport(draws=0), "number of draws must be from 1 to 10, got 0"),
        (CorpusSizesReport(field_size=0, sizes=[]), "Give a size for the fields"),
    ):
        with pytest.raises(SizesError, match=message):
            compute_report(kind, collection=collection)
