"""Known benchmarks from small files of the published form, scored as the published programs do."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import pytrec_eval
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from accounts.models import Collection
from benchmarks.mdcr import TYPES
from benchmarks.records import BenchmarkError
from benchmarks.services import import_benchmark
from pooling.models import Candidate, Contribution, Pool
from scoring.labels import labels_of, qrels_of
from scoring.models import PublishedLabels, PublishedLabelSet

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FIELDS = ("Art", "Biology", "Physics")


def write_lines(path: Path, rows) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def an_mdcr(folder: Path) -> dict[str, float]:
    """MDCR's files with three fields of four queries. Returns scores of pairs, some tied."""
    chance = random.Random(7)
    benchmark, scores, docnos = {}, {}, set()
    number = 0
    for field in FIELDS:
        benchmark[field] = {}
        for _ in range(4):
            number += 1
            query = f"q{number}"
            candidates = [f"d{document}" for document in chance.sample(range(300), 65)]
            docnos |= {query, *candidates}
            places = iter(candidates)
            benchmark[field][query] = {
                kind: [next(places) for _ in range(5 if kind == "true" else 10)] for kind in TYPES
            }
            for docno in candidates:
                scores[f"{query}_{docno}"] = chance.randint(0, 20) / 4
    (folder / "mdcr_test.json").write_text(json.dumps(benchmark))
    write_lines(
        folder / "mdcr_test_data.jsonl",
        (
            {"paper_id": docno, "title": f"Title {docno}", "abstract": f"We study {docno}."}
            for docno in sorted(docnos)
        ),
    )
    (folder / "scores.json").write_text(json.dumps(scores))
    return scores


def published_figures(folder: Path, scores: dict[str, float]) -> dict[str, dict[str, float]]:
    """The means of each field as MDCR's program computes them: with pytrec_eval, in percent."""
    benchmark = json.loads((folder / "mdcr_test.json").read_text())
    names = {"map": "AP", "ndcg": "nDCG", "recall_5": "R@5"}
    figures = {}
    for field, queries in benchmark.items():
        qrels = {
            query: {docno: int(kind == "true") for kind in TYPES for docno in candidates[kind]}
            for query, candidates in queries.items()
        }
        run = {
            query: {docno: scores[f"{query}_{docno}"] for docno in grades}
            for query, grades in qrels.items()
        }
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "recall"})
        values = evaluator.evaluate(run).values()
        figures[field] = {
            ours: 100 * sum(value[theirs] for value in values) / len(values)
            for theirs, ours in names.items()
        }
    return figures


def test_mdcr_scores_as_its_own_program(tmp_path, capsys):
    scores = an_mdcr(tmp_path)
    call_command("import_benchmark", "mdcr", "mdcr", tmp_path)
    assert "12 queries, 780 candidates, 780 labels" in capsys.readouterr().out

    call_command(
        "score_systems", "mdcr", tmp_path / "scores.json", profile="mdcr", qrels="published",
        format="json",
    )  # fmt: skip
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    ours = {row["field"]: row["measures"] for row in system["rows"] if row["candidates"] == "all"}
    theirs = published_figures(tmp_path, scores)
    for field in FIELDS:
        found = {name: 100 * value for name, value in ours[field].items()}
        assert found == pytest.approx(theirs[field])
    mean = sum(theirs[field]["AP"] for field in FIELDS) / len(FIELDS)
    assert 100 * ours["mean over fields"]["AP"] == pytest.approx(mean)


def test_a_candidate_of_mdcr_keeps_the_type_that_drew_it(tmp_path):
    an_mdcr(tmp_path)
    import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    pool = Pool.objects.get(query_paper__name="q1")
    assert pool.is_frozen
    assert (pool.size, pool.to_judge, pool.forced) == (65, 65, 5)
    assert pool.drawn == {kind: 5 if kind == "true" else 10 for kind in TYPES}
    cited = json.loads((tmp_path / "mdcr_test.json").read_text())["Art"]["q1"]["true"]
    sources = Contribution.objects.filter(candidate__pool=pool, source="true", drawn=True)
    assert {row.candidate.document.docno for row in sources} == set(cited)
    # So the labels of a release whose labels are citations are the published ones, too.
    collection = Collection.objects.get(slug="mdcr")
    assert qrels_of(collection, "citations") == qrels_of(collection, "published")
    assert collection.documents.get(docno="q1").fields == ["Art"]


def test_the_same_files_again_change_nothing_and_others_are_refused(tmp_path):
    an_mdcr(tmp_path)
    first = import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    again = import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    assert (first.unchanged, again.unchanged) == (False, True)
    with (tmp_path / "mdcr_test_data.jsonl").open("a") as lines:
        lines.write('{"paper_id": "more", "title": "", "abstract": ""}\n')
    with pytest.raises(BenchmarkError, match="does not come from these files"):
        import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")


def test_an_import_that_stopped_after_the_documents_goes_on(tmp_path, monkeypatch):
    an_mdcr(tmp_path)

    def killed(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("benchmarks.services.create_imported_pools", killed)
        with pytest.raises(KeyboardInterrupt):
            import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    assert Collection.objects.get(slug="mdcr").documents.exists()
    assert not Pool.with_hidden.exists()
    assert not import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr").unchanged
    assert Candidate.objects.count() == 780


def test_published_labels_are_kept(tmp_path):
    an_mdcr(tmp_path)
    import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    with pytest.raises(IntegrityError, match="published_labels_never_edited"):
        PublishedLabels.objects.update(grades={})


def test_published_labels_are_no_final_labels(tmp_path):
    an_mdcr(tmp_path)
    import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    collection = Collection.objects.get(slug="mdcr")
    assert labels_of(collection).qrels == {}
    assert PublishedLabelSet.objects.get(collection=collection).origin == "citations"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["Art"]["q1"].update(bm52=[]), "unknown type 'bm52'"),
        (lambda content: content["Biology"].update(content["Art"]), "q1: the query is also in Art"),
        (lambda content: content.update(Art=[]), "Art: must be dict"),
        (lambda content: content["Art"]["q1"].update(bm25="d1"), "Art, q1, bm25: must be list"),
    ],
)
def test_a_damaged_file_is_named_and_nothing_is_written(tmp_path, change, message):
    an_mdcr(tmp_path)
    path = tmp_path / "mdcr_test.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(BenchmarkError, match=f"mdcr_test.json, .*{message}|{message}"):
        import_benchmark(name="mdcr", folder=tmp_path, slug="mdcr")
    assert not Collection.objects.exists()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"no file mdcr_test\.json or mdcr_val\.json"):
        call_command("import_benchmark", "mdcr", "mdcr", tmp_path)


def test_relish_has_three_grades_and_no_label_where_two_people_differ(tmp_path):
    entries = [
        {"pmid": "1", "response": {"relevant": ["2"], "partial": ["3"], "irrelevant": ["4", "5"]}},
        {"pmid": "1", "response": {"relevant": ["2"], "partial": ["4"], "irrelevant": []}},
        {"pmid": "6", "response": {"relevant": ["1"], "partial": [], "irrelevant": ["9"]}},
    ]
    (tmp_path / "RELISH_v1.json").write_text(json.dumps(entries))
    rows = "".join(f"{pmid}\tTitle {pmid}\tText {pmid}.\n" for pmid in range(1, 8))
    (tmp_path / "texts.tsv").write_text(f"docno\ttitle\ttext\n{rows}")
    report = import_benchmark(name="relish", folder=tmp_path, slug="relish")
    assert (report.queries, report.candidates, report.labels) == (2, 6, 5)
    assert report.notes == ("1 pair with different grades by several people: no label.",)
    assert report.without_text == 1  # 9
    qrels = qrels_of(Collection.objects.get(slug="relish"), "published")
    assert qrels == {"1": {"2": 2, "3": 1, "5": 0}, "6": {"1": 2, "9": 0}}
    assert Candidate.objects.get(document__docno="9").excluded == "no-text"


IN_PROMPTS = 20  # the candidate that the published program would leave out


def a_doris_mae() -> dict:
    """One query with two aspects, of which one has a sub-aspect, and 12 candidates."""
    chance = random.Random(3)
    pool = [*range(3, 14), IN_PROMPTS]
    return {
        "Query": [
            {"query_text": "I look for\ntwo things.", "candidate_pool": pool,
             "aspects": {"0": ["2"], "1": []}},
        ],
        "Corpus": [
            {"original_abstract": f"Abstract {number}."} for number in range(IN_PROMPTS + 1)
        ],
        "Annotation": [
            {"aspect_id": aspect, "abstract_id": docno,
             "score": 2 if docno == IN_PROMPTS else chance.randint(0, 2)}
            for docno in pool
            for aspect in ("0", "1", "2")
        ],
    }  # fmt: skip


def test_doris_mae_takes_as_relevant_what_its_own_program_does(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.doris_mae.IN_PROMPTS", frozenset({IN_PROMPTS}))
    content = a_doris_mae()
    (tmp_path / "DORIS-MAE_dataset_v1.json").write_text(json.dumps(content))
    report = import_benchmark(name="doris-mae", folder=tmp_path, slug="doris")
    assert (report.documents, report.queries, report.candidates) == (21, 1, 12)
    sums: dict[int, int] = {}
    for answer in content["Annotation"]:
        sums[answer["abstract_id"]] = sums.get(answer["abstract_id"], 0) + answer["score"]
    theirs = {
        str(docno) for docno, total in sums.items() if total / 3 >= 1.0 and docno != IN_PROMPTS
    }
    qrels = qrels_of(Collection.objects.get(slug="doris"), "published")
    assert {docno for docno, grade in qrels["0"].items() if grade >= 1} == theirs
    assert len(theirs) > 2
    assert qrels["0"][str(IN_PROMPTS)] == 0


def test_doris_mae_names_a_score_that_is_missing(tmp_path):
    content = a_doris_mae()
    del content["Annotation"][0]
    (tmp_path / "DORIS-MAE_dataset_v1.json").write_text(json.dumps(content))
    with pytest.raises(
        BenchmarkError, match=r"Query\[0\]: abstract 3 has no score for the aspect 0"
    ):
        import_benchmark(name="doris-mae", folder=tmp_path, slug="doris")


QUERIES = [
    {"query_set": "inline_acl", "query": "Which paper is it?", "specificity": 1, "quality": 2,
     "corpusids": [7]},
    {"query_set": "manual_iclr", "query": "Which papers?", "specificity": 0, "quality": 1,
     "corpusids": [8, 9]},
]  # fmt: skip
PAPERS = [
    {"corpusid": number, "title": f"T{number}", "abstract": f"A{number}.", "citations": [7],
     "full_paper": "Long."}
    for number in range(7, 11)
]  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_litsearch_is_scored_over_its_whole_corpus(tmp_path, ending, capsys):
    for name, rows in (("query", QUERIES), ("corpus_clean", PAPERS)):
        (tmp_path / name).mkdir()
        path = tmp_path / name / f"full-00000.{ending}"
        if ending == "parquet":
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        else:
            write_lines(path, rows)
    report = import_benchmark(name="litsearch", folder=tmp_path, slug="lit")
    assert (report.documents, report.queries, report.labels) == (4, 2, 3)
    collection = Collection.objects.get(slug="lit")
    assert collection.documents.get(docno="8").references == ["7"]
    run = tmp_path / "run.txt"
    run.write_text(
        "inline_acl-1-1 Q0 10 1 2 r\ninline_acl-1-1 Q0 7 2 1 r\nmanual_iclr-0-2 Q0 8 1 1 r\n"
    )
    call_command("score_systems", "lit", run, measures="R@1 R@5", qrels="published", format="json")
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    assert system["rows"][-1]["measures"] == {"R@1": 0.25, "R@5": 0.75}


def test_litsearch_names_a_column_that_is_missing(tmp_path):
    for name in ("query", "corpus_clean"):
        (tmp_path / name).mkdir()
        write_lines(tmp_path / name / "full.jsonl", [{"corpusid": 1}])
    with pytest.raises(BenchmarkError, match=r"full\.jsonl has no column query_set"):
        import_benchmark(name="litsearch", folder=tmp_path, slug="lit")
