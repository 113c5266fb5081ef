"""What verify_release finds in the files that repeat the labels, and how it prints its outcomes."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable

import pyarrow
import pytest
from pyarrow import parquet

from bundle.options import LabelSource, ReleaseOptions, Texts
from bundle.reading.opened import BundleError, open_bundle
from bundle.verification.service import Outcome, verify
from bundle.verification.sums import listed_files, wrong_sums
from tests.release.test_samples import a_sampled_collection, judged
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.every_kind import a_collection_of_every_kind

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
Files = dict[str, bytes]
Change = Callable[[bytes], bytes]
NO_TEXTS = ReleaseOptions(texts=Texts.NONE)
OF_CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)


@pytest.fixture(scope="module")
def every_kind(rolled_back, tmp_path_factory) -> dict[str, Files]:
    """With texts, and without."""
    with rolled_back():
        collection = a_collection_of_every_kind(tmp_path_factory.mktemp("every-kind"))
        return {"whole": released_files(collection), "bare": released_files(collection, NO_TEXTS)}


@pytest.fixture(scope="module")
def sampled(rolled_back) -> Files:
    with rolled_back():
        return released_files(judged(a_sampled_collection()))


@pytest.fixture(scope="module")
def of_citations(rolled_back) -> Files:
    with rolled_back():
        return released_files(an_mdcr_collection(), OF_CITATIONS)


@pytest.fixture
def outcomes(tmp_path) -> Callable[[Files], dict[str, Outcome]]:
    def found(files: Files) -> dict[str, Outcome]:
        path = write_bundle(tmp_path / "release.zip", with_new_sums(files))
        return {outcome.name: outcome for outcome in verify(path)}

    return found


def texts_of(outcome: Outcome) -> list[str]:
    return list(map(str, outcome.failures))


def sub(old: str, new: str) -> Change:
    def change(content: bytes) -> bytes:
        text, number = re.subn(old, new, content.decode(), flags=re.MULTILINE)
        assert number
        return text.encode()

    return change


def of_json(change_value: Callable[[dict], object]) -> Change:
    def change(content: bytes) -> bytes:
        value = json.loads(content)
        change_value(value)
        return json.dumps(value).encode()

    return change


def of_rows(change_rows: Callable[[list[dict]], object]) -> Change:
    """The rows of a Parquet file as dictionaries."""

    def change(content: bytes) -> bytes:
        table = parquet.read_table(io.BytesIO(content))
        rows = table.to_pylist()
        change_rows(rows)
        file = io.BytesIO()
        changed = pyarrow.Table.from_pylist(rows, schema=table.schema)
        parquet.write_table(changed, file, compression="NONE", use_dictionary=False)
        return file.getvalue()

    return change


METHOD = "csfcube/test-pid2anns-small-method.json"
POOL = "csfcube/test-pid2pool-small.json"
BEIR = "beir/qrels/method.tsv"
TREC = "trec/qrels.method.txt"
CHANGES: dict[str, tuple[str, str, Change, str]] = {
    "a label that is there twice": (
        "trec",
        TREC,
        sub(r"^(q1_method 0 d2 2\n)", r"\1\1"),
        f"{TREC}:3: q1_method d2 has a second label.",
    ),
    "a label of another facet": (
        "trec",
        TREC,
        sub("^q1_method 0 d2 2", "q1_background 0 d2 2"),
        f"{TREC}:2: the labels of q1_background are not for this file.",
    ),
    "a label of no pair": (
        "trec",
        TREC,
        sub("^q1_method 0 d2 2", "q1_method 0 d9 2"),
        f"{TREC}:2: q1_method d9 has no label in trec/qrels.all.txt.",
    ),
    "columns of BEIR": (
        "beir",
        BEIR,
        sub("^query-id", "query"),
        f"{BEIR}:1: must be the columns query-id, corpus-id, score.",
    ),
    "a line of BEIR": (
        "beir",
        BEIR,
        sub("^q1_method\td2\t2", "q1_method\td2"),
        f"{BEIR}:3: must have 3 columns, got 2.",
    ),
    "a grade of BEIR": (
        "beir",
        BEIR,
        sub("^q1_method\td2\t2", "q1_method\td2\t1"),
        f"{BEIR}:3: q1_method d2 has the label 1, in trec/qrels.all.txt 2.",
    ),
    "a grade of BEIR that is no number": (
        "beir",
        BEIR,
        sub("^q1_method\td2\t2", "q1_method\td2\t²"),
        f"{BEIR}:3: the grade must be a whole number, got '²'.",
    ),
    "a negative grade of BEIR": (
        "beir",
        BEIR,
        sub("^q1_method\td2\t2", "q1_method\td2\t-2"),
        f"{BEIR}:3: the grade must be a whole number, got '-2'.",
    ),
    "a long grade of BEIR": (
        "beir",
        BEIR,
        sub("^q1_method\td2\t2", "q1_method\td2\t0123456789"),
        f"{BEIR}:3: q1_method d2 has the label 12345678, in trec/qrels.all.txt 2.",
    ),
    "a set of BEIR": (
        "beir",
        "beir/qrels/fold1_test.tsv",
        sub("^q1_background\td1\t2\n", ""),
        "beir/qrels/fold1_test.tsv: q1_background d1 is missing.",
    ),
    "a set of a facet of BEIR": (
        "beir",
        "beir/qrels/method_fold1_dev.tsv",
        sub("^q2_method", "q1_method-aim"),
        "the labels of q1_method-aim are not for this file.",
    ),
    "a document of BEIR twice": (
        "beir",
        "beir/corpus.jsonl",
        sub('"_id": "d2"', '"_id": "d1"'),
        "beir/corpus.jsonl: 'd1' is there twice.",
    ),
    "a document that BEIR lacks": (
        "beir",
        "beir/corpus.jsonl",
        sub('"_id": "d2"', '"_id": "d9"'),
        "beir/corpus.jsonl: 'd2' is missing.",
    ),
    "an unknown document of BEIR": (
        "beir",
        "beir/corpus.jsonl",
        sub('"_id": "d2"', '"_id": "d9"'),
        "beir/corpus.jsonl: 'd9' is unknown.",
    ),
    "a query that BEIR lacks": (
        "beir",
        "beir/queries.jsonl",
        sub('"_id": "q2_method"', '"_id": "q9_method"'),
        "beir/queries.jsonl: 'q2_method' is missing.",
    ),
    "a label in Parquet": (
        "hf",
        "hf/qrels/method-fold2.parquet",
        of_rows(lambda rows: rows[0].update(score=1)),
        "hf/qrels: q1_method d1 has the label 1, in trec/qrels.all.txt 3.",
    ),
    "a document that Parquet lacks": (
        "hf",
        "hf/corpus.parquet",
        of_rows(lambda rows: rows.remove(next(row for row in rows if row["_id"] == "d2"))),
        "hf/corpus.parquet: 'd2' is missing.",
    ),
    "a query that Parquet lacks": (
        "hf",
        "hf/queries.parquet",
        of_rows(lambda rows: rows.pop(0)),
        "hf/queries.parquet: 'q1_background' is missing.",
    ),
    "documents to be ranked again": (
        "hf",
        "hf/top_ranked.parquet",
        of_rows(lambda rows: rows[0]["corpus-ids"].pop()),
        "hf/top_ranked.parquet: the documents of q1_background are not those with a label.",
    ),
    "a judgment in Parquet": (
        "hf",
        "hf/annotations.parquet",
        of_rows(lambda rows: rows[0].update(annotator="annotator-9")),
        "hf/annotations.parquet: the row of annotations/ratings.csv:2 differs or is missing.",
    ),
    "a judgment that Parquet lacks": (
        "hf",
        "hf/annotations.parquet",
        of_rows(lambda rows: rows.pop()),
        "hf/annotations.parquet: the row of annotations/ratings.csv:33 differs or is missing.",
    ),
    "one judgment too many in Parquet": (
        "hf",
        "hf/annotations.parquet",
        of_rows(lambda rows: rows.append(rows[-1])),
        "hf/annotations.parquet: has more rows than annotations/ratings.csv.",
    ),
    "no Parquet": (
        "hf",
        "hf/corpus.parquet",
        lambda _: b"no parquet",
        "hf/corpus.parquet: cannot be read as Parquet",
    ),
    "a column that Parquet lacks": (
        "hf",
        "hf/queries.parquet",
        lambda _: b"PAR1",
        "hf/queries.parquet: cannot be read as Parquet",
    ),
    "a final label of CSFCube's": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].update(relevance_adju=[3, 1, 0])),
        f"{METHOD}: q1_method d2 has the label 1, in trec/qrels.all.txt 2.",
    ),
    "a query that CSFCube's file lacks": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers.pop("q2")),
        f"{METHOD}: q2_method d1 is missing.",
    ),
    "a grade of an annotator": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].update(relevance_ann2=[3, 2, 1])),
        f"{METHOD}: the grades of q1_method d3 differ from annotations/ratings.csv.",
    ),
    "a third annotator": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].update(relevance_ann9=[3, 2, 1])),
        f"{METHOD}: q1_method has 3 annotators, not 2.",
    ),
    "too few grades": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].update(relevance_adju=[3, 2])),
        f'{METHOD}: "relevance_adju" must have a grade for each of "cands".',
    ),
    "no list of grades": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].update(relevance_adju="320")),
        f'{METHOD}: "relevance_adju" must have a grade for each of "cands".',
    ),
    "a grade that is text": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].update(relevance_adju=[3, "2", 0])),
        f'{METHOD}: "relevance_adju" must have whole numbers, got "2".',
    ),
    "no candidates": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers["q1"].pop("cands")),
        f'{METHOD}: q1 must be an object with "cands".',
    ),
    "a list for a query paper": (
        "csfcube",
        METHOD,
        of_json(lambda papers: papers.update(q1=[])),
        f'{METHOD}: q1 must be an object with "cands".',
    ),
    "no object": ("csfcube", METHOD, lambda _: b"[]", f"{METHOD}: must be an object."),
    "a candidate of CSFCube's pool": (
        "csfcube",
        POOL,
        of_json(lambda papers: papers["q1"]["cands"].reverse()),
        f"{POOL}: the pool of q1 differs from pools/pool.jsonl.",
    ),
    "a query in the table": (
        "queries",
        "trec/queries.tsv",
        sub("^q2_method\tq2", "q9_method\tq2"),
        "trec/queries.tsv:5: the query 'q9_method' is not in collection/query_papers.jsonl.",
    ),
    "a query that the table lacks": (
        "queries",
        "trec/queries.tsv",
        sub("^q2_method.*\n", ""),
        "trec/queries.tsv: the query q2_method is missing.",
    ),
    "the paper of a query in the table": (
        "queries",
        "trec/queries.tsv",
        sub("^q2_method\tq2", "q2_method\tq1"),
        "trec/queries.tsv:5: q2_method has another query paper or facet than in",
    ),
    "a query paper without a document": (
        "documents",
        "collection/documents.jsonl",
        sub('^.*"docno": "q2".*\n', ""),
        "collection/query_papers.jsonl: 'q2' is not among the documents.",
    ),
    "a document twice in a pool": (
        "pools",
        "pools/pool.jsonl",
        lambda content: content.replace(b'"docno": "d2"', b'"docno": "d1"', 1),
        "pools/pool.jsonl:1: the pool of q1 has a document twice.",
    ),
    "two drawers": (
        "pools",
        "pools/pool.jsonl",
        sub('"drawn": false', '"drawn": true'),
        "pools/pool.jsonl:1: ",
    ),
    "a pool of an unknown query paper": (
        "pools",
        "pools/pool.jsonl",
        sub('"query_paper": "t1"', '"query_paper": "t9"'),
        "'t9' is not in collection/query_papers.jsonl.",
    ),
    "the highest grade of a decision": (
        "adjudications",
        "annotations/adjudications.csv",
        sub("^(q1_background,background,d1,adjudicator-1),2", r"\1,4"),
        "annotations/adjudications.csv:2: the grade 4 of q1_background d1 is off the scale.",
    ),
    "guidelines that are no list": (
        "guidelines",
        "manifest.json",
        of_json(lambda manifest: manifest.update(guidelines={})),
        'manifest.json: "guidelines" must be a list, got {}.',
    ),
    "a guideline that is no object": (
        "guidelines",
        "manifest.json",
        of_json(lambda manifest: manifest.update(guidelines=["x"])),
        'manifest.json: item 1 of "guidelines": must be an object, got "x".',
    ),
    "a guideline that is missing": (
        "guidelines",
        "manifest.json",
        of_json(lambda manifest: manifest["guidelines"].pop()),
        "manifest.json: Version 2 of 'result' is missing.",
    ),
    "the queries of a guideline": (
        "guidelines",
        "manifest.json",
        of_json(lambda manifest: manifest["guidelines"][0]["queries"].pop()),
        "has other queries than in manifest.json.",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_copy_is_found(every_kind, outcomes, what):
    check, name, change, words = CHANGES[what]
    files = every_kind["whole"]

    found = texts_of(outcomes({**files, name: change(files[name])})[check])

    assert any(words in text for text in found), found


def test_a_decision_may_give_the_highest_grade(every_kind, outcomes):
    name = "annotations/adjudications.csv"
    change = sub("^(q1_background,background,d1,adjudicator-1),2", r"\1,3")
    files = every_kind["whole"]

    assert outcomes({**files, name: change(files[name])})["adjudications"].ok


def test_a_missing_file_of_a_facet_is_found(every_kind, outcomes):
    files = dict(every_kind["whole"])
    del files[TREC], files[METHOD]

    found = outcomes(files)

    assert f"{TREC}: is missing." in texts_of(found["trec"])
    assert f"{METHOD}: is missing." in texts_of(found["csfcube"])


OF_SAMPLES = {
    "a probability above 1": ("prels", r"^(q1_method d09 0 1) 0.4", r"\1 1.5", "got 1.5."),
    "no probability": ("prels", r"^(q1_method d09 0 1) 0.4", r"\1 0", "above 0, to 1, got 0."),
    "a word": ("prels", r"^(q1_method d09 0 1) 0.4", r"\1 x", "above 0, to 1, got x."),
    "a column": ("prels", r"^(q1_method d09 0 1) 0.4", r"\1", "must have 5 columns, got 4."),
    "a label": ("prels", r"^(q1_method d09) 0", r"\1 1", "d09 has the label 1, in"),
    "a grade": ("sampleval", r"^(q1_method 0 d09 2) 0", r"\1 1", "d09 has the label 1, in"),
    "a grade below": ("sampleval", r"^(q1_method 0 d09 2) 0", r"\1 -2", "got '-2'."),
    "a label that is missing": ("sampleval", r"^(q1_method 0 d09 2) 0", r"\1 -1", "d09 is missing"),
    "a column less": ("sampleval", r"^(q1_method 0 d09) 2 0", r"\1 0", "must have 5 columns"),
}


@pytest.mark.parametrize("what", OF_SAMPLES)
def test_a_changed_file_of_a_sample_is_found(sampled, outcomes, what):
    kind, old, new, words = OF_SAMPLES[what]
    name = f"trec/{kind}.method.txt"

    found = texts_of(outcomes({**sampled, name: sub(old, new)(sampled[name])})["trec"])

    assert any(text.startswith(name) and words in text for text in found), found


def test_without_texts_only_topics_have_a_text(every_kind, outcomes):
    files = every_kind["bare"]
    assert [name for name, outcome in outcomes(files).items() if not outcome.ok] == []
    name = "beir/queries.jsonl"

    found = texts_of(outcomes({**files, name: b""})["beir"])

    assert found == [f"{name}: 't1_result' is missing."]


# How outcomes are told


def lines(outcome: Outcome) -> list[str]:
    return list(outcome.lines())


def test_checks_that_do_not_apply_say_why(every_kind, of_citations, outcomes, monkeypatch):
    judged_ones, citing = outcomes(every_kind["whole"]), outcomes(of_citations)

    assert lines(judged_ones["citations"]) == ["--      citations: the labels are judgments"]
    for name in ("ratings", "adjudications", "labels"):
        reason = "the labels are citations, not judgments"
        assert lines(citing[name]) == [f"--      {name}: {reason}"]
        assert lines(judged_ones[name])[0].startswith(f"ok      {name}: ")
    assert lines(citing["csfcube"]) == ["--      csfcube: the release has no csfcube/"]
    without = {name: some for name, some in of_citations.items() if not name.startswith("hf/")}
    assert lines(outcomes(without)["hf"]) == ["--      hf: the release has no hf/"]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    reason = "needs pyarrow, which is not installed"
    assert lines(outcomes(of_citations)["hf"]) == [f"--      hf: {reason}"]


def test_outcomes_say_what_was_compared(every_kind, of_citations, outcomes):
    files = with_new_sums(every_kind["whole"])
    told = [lines(outcome)[0] for outcome in outcomes(files).values()]

    assert told == [
        f"ok      files: {len(files)} files",
        f"ok      sums: {sum(map(len, files.values())):,} bytes",
        "ok      formats: the files that are compared",
        "ok      queries: 8 queries",
        "ok      documents: 9 documents",
        "ok      pools: 4 pools",
        "ok      rounds: 1 pool round",
        "ok      runs: 0 runs",
        "ok      guidelines: collection/guidelines.json and collection/query_papers.jsonl",
        "ok      ratings: 32 judgments",
        "ok      digests: 32 judgments",
        "ok      adjudications: 6 decisions",
        "ok      labels: 13 labels",
        "--      citations: the labels are judgments",
        "ok      folds: splits.json",
        *(f"ok      {name}: 13 labels" for name in ("trec", "beir", "hf", "csfcube")),
        "--      model_labels: the release has no labels of models",
        "--      label_errors: the release has no judged sample of its labels",
        "ok      counts: manifest.json",
    ]
    assert lines(outcomes(of_citations)["runs"]) == ["ok      runs: 7 runs"]


def test_the_first_failures_are_shown_and_all_are_counted(sampled, outcomes):
    name = "trec/qrels.all.txt"
    every = sampled[name].splitlines(keepends=True)
    for kept, more in ((1, []), (0, ["        … and 1 more"])):
        told = lines(outcomes({**sampled, name: b"".join(every[:kept])})["labels"])

        assert told[0].startswith(f"FAILED  labels: {len(every) - kept} failures; {kept} label")
        assert told[21:] == more
    assert len(every) == 21


def test_a_file_that_cannot_be_read_is_reported_once(every_kind, outcomes):
    files = every_kind["whole"]
    name = "annotations/ratings.csv"

    found = outcomes({**files, name: files[name].replace(b"grade", b"mark", 1)})

    assert texts_of(found["formats"]) == [f"{name}:1: has no column grade."]
    assert found["formats"].count == 1
    for check in ("ratings", "labels", "counts"):
        assert lines(found[check]) == [f"--      {check}: {name} cannot be used, see above"]
    other = "trec/queries.tsv"
    assert found["queries"].skipped, other


def test_a_check_that_meets_another_file_first_fails(every_kind, outcomes):
    files = every_kind["whole"]

    found = outcomes({**files, METHOD: b"[]"})["csfcube"]

    assert lines(found) == [
        "FAILED  csfcube: 1 failure; stopped there",
        f"        {METHOD}: must be an object.",
    ]


# Checksums


def test_the_bytes_that_were_compared_are_reported(every_kind, tmp_path):
    files = with_new_sums(every_kind["whole"])
    done: list[int] = []

    with open_bundle(write_bundle(tmp_path / "release.zip", files)) as bundle:
        assert list(wrong_sums(bundle, done.append)) == []

    names = sorted(files.keys() - {"SHA256SUMS"})
    assert done[0] == len(files[names[0]])
    assert done[-1] == sum(len(files[name]) for name in names)
    assert done == sorted(done)


@pytest.mark.parametrize("listed", [[], {"README.md": "x"}, None])
def test_a_manifest_that_lists_no_files_is_refused(every_kind, tmp_path, listed):
    manifest = json.loads(every_kind["whole"]["manifest.json"])
    files = {"manifest.json": json.dumps({**manifest, "files": listed}).encode()}

    with (
        open_bundle(write_bundle(tmp_path / "release.zip", files)) as bundle,
        pytest.raises(BundleError, match='"files" must be an object with an object for each'),
    ):
        listed_files(bundle)
