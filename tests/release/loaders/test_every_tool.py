"""A release as each tool loads it: the same labels, and the same score of a fixed run."""

from __future__ import annotations

import json
import re
import subprocess

import ir_datasets
import pyarrow.parquet as pq
import pytest

from bundle.options import ReleaseOptions, Texts
from release.services import build_bundle
from release.snapshot import take_snapshot
from scoring.folds import read_splits
from tests.support.release_loaders import (
    READERS,
    a_fixed_run,
    by_ir_measures,
    by_pytrec_eval,
    front_matter_of,
    loaded_script,
    read_beir,
    run_script,
    scores,
    unpack,
)
from tests.support.release_scenes import a_judged_collection

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(scope="module")
def collection(rolled_back):
    with rolled_back():
        yield a_judged_collection()


@pytest.fixture(scope="module")
def folder(collection, tmp_path_factory):
    folder = tmp_path_factory.mktemp("with-texts")
    return unpack(build_bundle(take_snapshot(collection), "1.0", {}), folder)


@pytest.fixture
def without_texts(collection, tmp_path):
    snapshot = take_snapshot(collection, ReleaseOptions(texts=Texts.NONE))
    return unpack(build_bundle(snapshot, "1.0", {}), tmp_path)


def test_every_tool_reads_the_same_labels_and_scores_a_run_the_same(folder):
    for facet in ("all", "background", "method"):
        expected = by_pytrec_eval(folder, facet)
        run = a_fixed_run(expected)
        for tool, read in READERS.items():
            qrels = read(folder, facet)
            assert qrels == expected, tool
            assert scores(qrels, run) == scores(expected, run), tool


def test_the_text_of_a_query_is_the_same_in_every_layout(folder):
    _, queries, _ = read_beir(folder / "beir", "test")
    rows = (line.split("\t") for line in (folder / "trec/topics.tsv").read_text().splitlines())
    table = pq.read_table(folder / "hf/queries.parquet").to_pylist()

    assert queries == {
        "q1_background": "Title of q1 Background of q1.",
        "q1_method": "Title of q1 Method of q1.",
        "q2_method": "Title of q2 Method of q2.",
    }
    assert dict(rows) == queries
    assert {row["_id"]: row["text"] for row in table} == queries


def test_a_sentence_of_a_document_can_be_cut_from_its_text(folder):
    corpus, _, _ = read_beir(folder / "beir", "test")
    table = pq.read_table(folder / "hf/corpus.parquet").to_pylist()

    text, metadata = corpus["d1"]["text"], corpus["d1"]["metadata"]
    starts = [0, *(end + 1 for end in metadata["sentence_ends"])]
    sentences = [
        text[start:end] for start, end in zip(starts, metadata["sentence_ends"], strict=False)
    ]
    assert sentences == ["Background of d1.", "Method of d1.", "Result of d1."]
    assert metadata["labels"] == ["background", "method", "result"]
    assert metadata["year"] == 1987
    row = next(row for row in table if row["_id"] == "d1")
    assert (row["text"], row["sentence_ends"]) == (text, metadata["sentence_ends"])


def test_ir_datasets_has_documents_queries_and_the_labels_of_each_split(folder):
    with loaded_script(folder) as script:
        dataset = ir_datasets.load(script.NAME)
        method = ir_datasets.load(f"{script.NAME}/method")
        names = set(ir_datasets.registry)

        assert script.NAME == "small-1.0"
        assert dataset.docs_count() == 6
        assert dataset.docs_store().get("d2").default_text().startswith("Title of d2 Background")
        assert [query.query_id for query in method.queries_iter()] == ["q1_method", "q2_method"]
        assert method.qrels_dict() == by_ir_measures(folder, "method")
        assert dataset.qrels_defs().keys() == {0, 1, 2, 3}
        assert {"small-1.0/fold1_test", "small-1.0/method_fold1_dev"} <= names
        assert ir_datasets.docs_parent_id("small-1.0/method") == "small-1.0"
    assert "small-1.0/method: 6 documents, 2 queries with 5 labels" in run_script(
        folder, "load_ir_datasets.py"
    )


def test_the_front_matter_names_files_that_are_there_and_every_label_once(folder):
    front = front_matter_of((folder / "README.md").read_text())
    configs = {
        config["config_name"]: {entry["split"]: entry["path"] for entry in config["data_files"]}
        for config in front["configs"]
    }

    def rows(name, split):
        tables = [pq.read_table(folder / path) for path in configs[name][split]]
        return sum(table.num_rows for table in tables)

    assert front["license"] == ["cc-by-4.0"]
    assert front["task_categories"] == ["text-retrieval"]
    assert front["size_categories"] == ["n<1K"]
    assert {"default", "corpus", "queries", "top_ranked", "annotations"} <= configs.keys()
    assert {f"method-{name}" for name in ("qrels", "corpus", "queries", "top_ranked")} <= set(
        configs
    )
    assert rows("default", "test") == 8
    assert rows("default", "fold1_dev") + rows("default", "fold1_test") == 8
    assert rows("method-qrels", "test") == 5
    for name, splits in configs.items():
        assert all(rows(name, split) for split in splits)


def test_top_ranked_has_the_documents_with_a_label(folder):
    table = pq.read_table(folder / "hf/top_ranked.parquet").to_pylist()

    assert {row["query-id"]: row["corpus-ids"] for row in table} == {
        query: sorted(labels) for query, labels in by_pytrec_eval(folder, "all").items()
    }


def test_the_splits_can_be_imported_and_are_those_of_the_other_layouts(folder):
    content = (folder / "splits.json").read_bytes()
    folds = read_splits(content, name="splits.json")
    splits = json.loads(content)

    assert folds.numbers.keys() == by_pytrec_eval(folder, "all").keys()
    assert list(splits) == ["all", "background", "method"]
    for name, queries in splits["method"].items():
        qrels = read_beir(folder / "beir", f"method_{name}")[2]
        assert sorted(qrels) == queries
    assert "The 2 folds are made from the seed `seed`" in (folder / "README.md").read_text()


def config_names(folder):
    front = front_matter_of((folder / "README.md").read_text())
    return {config["config_name"] for config in front["configs"]}


def texts_of(collection):
    for document in collection.documents.all():
        yield document.title
        yield from document.sentences


def test_a_release_without_texts_has_no_title_and_no_sentence_in_any_file(
    collection, without_texts
):
    folder = without_texts

    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [text for text in texts_of(collection) if text.encode() in content], path
    assert (folder / "documents.txt").read_text().split() == ["d1", "d2", "d3", "d4", "q1", "q2"]
    assert "no texts of documents" in (folder / "README.md").read_text()
    assert "no texts of documents" in (folder / "GET_TEXTS.md").read_text()


def test_its_script_fills_it_with_the_texts_that_a_reader_has(collection, folder, without_texts):
    whole, folder = folder, without_texts
    lines = [
        {
            "docno": document.docno,
            "title": document.title,
            "abstract": document.sentences,
            "labels": document.labels,
        }
        for document in collection.documents.exclude(docno="d4")
    ]
    source = folder / "documents.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))

    for _ in range(2):
        printed = run_script(folder, "get_texts.py", "documents.jsonl").splitlines()

    assert printed == [
        "Documents with a text: 5 of 6.",
        "Queries with a text: 3 of 3.",
        "Not found in documents.jsonl: d4",
    ]
    assert (folder / "beir/queries.jsonl").read_text() == (whole / "beir/queries.jsonl").read_text()
    with (
        (folder / "beir/corpus.jsonl").open() as filled,
        (whole / "beir/corpus.jsonl").open() as of,
    ):
        texts = [
            {line["_id"]: line["text"] for line in map(json.loads, file)} for file in (filled, of)
        ]
    assert texts[1].items() - texts[0].items() == {("d4", texts[1]["d4"])}
    assert "small-1.0/test: 5 documents, 3 queries" in run_script(folder, "load_ir_datasets.py")


def test_abstracts_without_sentences_give_the_queries_whole_abstracts(without_texts):
    folder = without_texts
    line = {"_id": "q1", "title": "Own", "text": "First. Second."}
    (folder / "some.jsonl").write_text(json.dumps(line) + "\n")

    run_script(folder, "get_texts.py", "some.jsonl")

    queries = (folder / "beir/queries.jsonl").read_text().splitlines()
    assert [json.loads(query)["text"] for query in queries] == ["Own First. Second."] * 2


def test_before_it_is_filled_it_still_loads_its_labels(without_texts):
    folder = without_texts

    with loaded_script(folder) as script:
        dataset = ir_datasets.load(script.NAME)
        assert (dataset.has_docs(), dataset.has_queries()) == (False, False)
        assert dataset.qrels_dict() == by_ir_measures(folder, "all")
    configs = config_names(folder)
    assert not configs & {"corpus", "queries", "method-corpus"}
    assert {"default", "method-qrels"} <= configs


def test_the_commands_of_the_readme_work_in_the_unpacked_folder(folder):
    readme = (folder / "README.md").read_text()
    _, section = readme.split("## How to load it\n")
    first = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    script = re.search(r"```python\n(import ir_datasets.*?)```", section, re.DOTALL)

    assert first
    assert script
    done = subprocess.run(
        ["bash", "-c", first[1]], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "8 labels\n"
    assert "queries" in run_script(folder, "-c", f"{script[1]}\nprint(dataset)")
