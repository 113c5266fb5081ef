"""The layouts with texts, from records made by hand: names of splits, texts of queries, bytes."""

from __future__ import annotations

import hashlib
import json

import pyarrow.parquet as pq
import pytest

from adjudication.standing import LabelledPair, Standing
from bundle.content import Content
from bundle.counts import count
from bundle.formats import records as formats
from bundle.formats.parquet import INTEGER, ROWS_TOGETHER, TEXT, TEXTS, write_parquet
from bundle.layouts import beir, hugging_face, splits
from bundle.options import ReleaseOptions, Texts
from bundle.query_texts import ReleasedQueryText, query_texts
from bundle.readme.front_matter import configs, front_matter, hub_licence, size_category
from bundle.records import (
    ReleasedCollection,
    ReleasedDocument,
    ReleasedFacet,
    ReleasedFolds,
    ReleasedQuery,
    ReleasedTopic,
)
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

PAPER = ReleasedDocument(
    "p", "A title", ("One.", "Two.", "Three."), ("aim", "way", "way"), None, "", (), (), ()
)
FACETS = (ReleasedFacet("test", "Test", ("way",)), ReleasedFacet("aim", "Aim", ("aim",)))
WHOLE = (ReleasedFacet("", "Relevance"),)


@pytest.fixture
def folder(tmp_path):
    return DraftFolder(tmp_path)


def a_query(name, facet, **values) -> ReleasedQuery:
    return ReleasedQuery(name, facet, "p", 1, **values)


def a_content(facets, queries, folds=None, **options) -> Content:
    """A collection with a label, the grade 2, of one document for each query."""
    pairs = [
        LabelledPair(query.name, query.facet, "d", Standing.AGREED, 2, 2, 2) for query in queries
    ]
    nothing = {"ratings": (), "adjudications": (), "builds": (), "runs": (), "pools": ()}
    snapshot = Snapshot(
        ReleaseOptions(**options),
        ReleasedCollection("c", "C", "", "MIT", "seed", facets, corpus_licence="ODC-By-1.0"),
        folds=ReleasedFolds(folds or {}, imported_from="", seed="seed"),
        documents=(PAPER,),
        queries=tuple(queries),
        pairs=pairs,
        guidelines=(),
        query_texts=query_texts(queries, (), facets, [PAPER]),
        **nothing,
    )
    return Content(
        snapshot=snapshot,
        version="1",
        accepted=(),
        counts=count(snapshot),
        sample=None,
        agreement={},
        confusion={},
        software_version="0",
    )


def content_of(file) -> bytes:
    return file if isinstance(file, bytes) else file.path.read_bytes()


def test_a_query_is_the_title_and_the_sentences_of_its_facet_or_its_own():
    queries = [
        a_query("p_test", "test"),
        a_query("p_aim", "aim"),
        a_query("p_aim-x", "aim", sentences=(1, 3)),
        a_query("t_aim", "aim", is_topic=True),
    ]
    topics = [ReleasedTopic("t_aim", "A topic", "What  is\nit?", "Why.")]

    texts = query_texts(queries, topics, FACETS, [PAPER])

    assert [text.query for text in texts] == ["p_aim", "p_aim-x", "p_test", "t_aim"]
    assert [text.text for text in texts] == [
        "A title One.",
        "A title One. Three.",
        "A title Two. Three.",
        "A topic What is it?",
    ]
    assert texts[-1].narrative == "Why."


def test_a_query_without_facets_is_the_whole_document():
    (text,) = query_texts([a_query("p", "")], (), WHOLE, [PAPER])

    assert text.text == "A title One. Two. Three."


def test_a_control_character_leaves_topics_that_xml_readers_read():
    written = formats.write_topics_xml([ReleasedQueryText("q", "A\x0btitle", ("B\x00",))])

    assert b"<title>A title</title>" in written
    assert b"<description>B </description>" in written


def test_without_facets_beir_has_its_default_split_and_those_of_the_folds(folder):
    queries = [a_query("a", ""), a_query("b", "")]

    files = beir.write(folder, a_content(WHOLE, queries, {"a": 1, "b": 2}))

    assert sorted(files) == [
        "beir/corpus.jsonl",
        *(f"beir/qrels/{name}.tsv" for name in ("fold1_dev", "fold1_test")),
        *(f"beir/qrels/{name}.tsv" for name in ("fold2_dev", "fold2_test")),
        "beir/qrels/test.tsv",
        "beir/queries.jsonl",
    ]
    assert content_of(files["beir/qrels/fold1_dev.tsv"]) == (
        b"query-id\tcorpus-id\tscore\nb\td\t2\n"
    )


def test_a_facet_called_test_keeps_the_split_of_its_name(folder):
    queries = [a_query("p_aim", "aim"), a_query("p_test", "test")]

    files = beir.write(folder, a_content(FACETS, queries))

    assert content_of(files["beir/qrels/test.tsv"]).count(b"\n") == 2
    assert content_of(files["beir/qrels/all.tsv"]).count(b"\n") == 3


def test_queries_outside_the_folds_are_in_no_set_and_in_the_split_of_all(folder):
    queries = [a_query("p_aim", "aim"), a_query("p_test", "test")]
    content = a_content(FACETS, queries, {"p_aim": 2})

    files = hugging_face.write(folder, content)
    found = {config.name: config.splits for config in configs(content.snapshot.collection, files)}

    assert found["default"] == {
        "test": ["hf/qrels/aim-fold2.parquet", "hf/qrels/test-no-fold.parquet"],
        "fold1_dev": ["hf/qrels/aim-fold2.parquet"],
        "fold2_test": ["hf/qrels/aim-fold2.parquet"],
    }
    assert found["test-qrels"] == {"test": ["hf/qrels/test-no-fold.parquet"]}
    assert json.loads(splits.write(folder, content)["splits.json"])["all"]["fold2_test"] == [
        "p_aim"
    ]


def test_the_front_matter_has_the_licences_of_labels_and_texts():
    def licence(content):
        return [line for line in front_matter(content.snapshot, (), 1) if line[:2] in ("- ", "li")]

    queries = [a_query("p_aim", "aim")]
    with_texts = licence(a_content(FACETS, queries))
    without = licence(a_content(FACETS, queries, texts=Texts.NONE))

    assert with_texts[:3] == ["license:", "- mit", "- odc-by"]
    assert without[:2] == ["license:", "- mit"]
    assert "- odc-by" not in without


def test_licences_and_sizes_have_the_names_of_the_hub():
    assert [hub_licence(name) for name in ("CC-BY-4.0", "ODbL-1.0", "Ask us")] == [
        "cc-by-4.0",
        "odbl",
        "other",
    ]
    sizes = [size_category(count) for count in (999, 1_000, 99_999, 10**6)]
    assert sizes == ["n<1K", "1K<n<10K", "10K<n<100K", "1M<n<10M"]


def test_a_parquet_file_has_the_same_bytes_however_its_rows_come(folder):
    columns = {"name": TEXT, "number": INTEGER, "words": TEXTS}
    rows = [(f"Ω{n}", n if n % 3 else None, ["a"] * (n % 4)) for n in range(ROWS_TOGETHER + 7)]

    files = [write_parquet(folder, columns, rows), write_parquet(folder, columns, iter(rows))]
    table = pq.read_table(files[0].path)

    assert files[0].sha256 == files[1].sha256
    assert files[0].sha256 == hashlib.sha256(files[0].path.read_bytes()).hexdigest()
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    assert pq.ParquetFile(files[0].path).num_row_groups == 2


def test_a_parquet_file_keeps_its_bytes_until_pyarrow_changes(folder):
    """Another version may write others. Then note it in CHANGELOG.md, and change the digest."""
    file = write_parquet(folder, {"name": TEXT, "words": TEXTS}, [("a", ["b", "c"]), (None, [])])

    assert file.sha256 == "e4dff0fa09911205038f0a1a424b151211f6268310647370da28a6fb18d245fb"
