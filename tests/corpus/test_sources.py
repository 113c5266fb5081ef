"""Files, folders and zips of documents, and what other people's lines mean."""

import gzip
import json
import zipfile

import pytest

from corpus.formats import BadLine, DocumentRecord
from corpus.irds import DatasetSource, open_dataset
from corpus.sources import FORMATS, SourceError, open_source

PLAIN = {"docno": "p1", "title": "T", "abstract": "One. Two."}
BEIR = {"_id": "b1", "title": "T", "text": "One. Two."}
S2ORC = {"paper_id": "s1", "title": "T", "abstract": "One. Two."}


def packed(*contents) -> str:
    return "".join(json.dumps(content) + "\n" for content in contents)


def records(path, **options) -> list[DocumentRecord]:
    return [line.record for line in open_source(path, **options).lines()]


@pytest.fixture
def write(tmp_path):
    def write(*contents, name="docs.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(packed(*contents))
        return path

    return write


@pytest.mark.parametrize(("content", "docno"), [(PLAIN, "p1"), (BEIR, "b1"), (S2ORC, "s1")])
def test_the_first_line_tells_the_format(write, content, docno):
    assert records(write(content)) == [DocumentRecord(docno, "T", ("One.", "Two."))]


def test_a_format_that_is_named_is_not_guessed(write):
    (line,) = open_source(write(BEIR), format_name="jsonl").lines()

    assert isinstance(line, BadLine)
    assert 'no "docno"' in line.reason


def test_a_format_that_does_not_exist_is_refused(write):
    with pytest.raises(SourceError, match=r"No format 'xml'; there are auto, jsonl, s2orc, beir"):
        open_source(write(PLAIN), format_name="xml")


def test_files_of_a_folder_are_read_by_name_and_offsets_go_on(write, tmp_path):
    second = write({**S2ORC, "paper_id": "2"}, name="in/b.jsonl")
    first = write({**S2ORC, "paper_id": "1"}, name="in/a.jsonl.gz")
    first.write_bytes(gzip.compress(first.read_bytes()))
    write(name="in/readme.txt")

    source = open_source(tmp_path / "in")
    lines = list(source.lines())

    assert source.files == ("in/a.jsonl.gz", "in/b.jsonl")
    assert [line.record.docno for line in lines] == ["1", "2"]
    assert lines[-1].offset == source.size == first.stat().st_size + second.stat().st_size


def test_a_beir_folder_gives_its_corpus_only(write, tmp_path):
    write(BEIR, name="set/corpus.jsonl")
    write({"_id": "q1", "text": "a query"}, name="set/queries.jsonl")

    assert open_source(tmp_path / "set").files == ("set/corpus.jsonl",)


def test_a_zip_is_read_without_being_unpacked(write, tmp_path):
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("set/queries.jsonl", packed({"_id": "q1", "text": "a query"}))
        archive.writestr("set/corpus.jsonl", packed(BEIR))

    (line,) = open_source(path, name="mine.zip").lines()

    assert (line.record.docno, line.file) == ("b1", "mine.zip/set/corpus.jsonl")


def test_a_folder_without_documents_is_refused(tmp_path):
    with pytest.raises(SourceError, match=r"holds no corpus\.jsonl"):
        open_source(tmp_path)


def test_a_folder_with_two_corpora_is_refused(tmp_path):
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/corpus.jsonl", packed(BEIR))
        archive.writestr("b/corpus.jsonl", packed(BEIR))

    with pytest.raises(SourceError, match="more than one corpus"):
        open_source(path)


class TestS2ORC:
    def test_every_key_is_read(self, write):
        paper = {
            "paper_id": 7,
            "title": "T",
            "abstract": [{"text": "One. Two."}, {"text": "Three."}],
            "year": "2013",
            "journal": "J",
            "authors": [{"first": "Ada", "middle": ["M"], "last": "W", "suffix": ""}],
            "outbound_citations": ["8", 9],
            "mag_field_of_study": ["Computer Science"],
        }

        assert records(write(paper)) == [
            DocumentRecord(
                "7",
                "T",
                ("One.", "Two.", "Three."),
                year=2013,
                venue="J",
                authors=("Ada M W",),
                references=("8", "9"),
                fields=("Computer Science",),
            )
        ]

    def test_a_paper_may_lack_title_and_abstract(self, write):
        assert records(write({"paper_id": "1", "title": None, "abstract": None})) == [
            DocumentRecord("1", "", ())
        ]

    def test_predicted_labels_make_the_abstract_a_list_of_sentences(self, write):
        paper = {
            "paper_id": "1",
            "metadata": {"title": "T", "year": 2013},
            "abstract": ["We ask. Twice.", "We did."],
            "pred_labels": ["background_label", "method_label"],
        }

        assert records(write(paper)) == [
            DocumentRecord(
                "1", "T", ("We ask. Twice.", "We did."), ("background", "method"), year=2013
            )
        ]

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"paper_id": None}, "docno"),
            ({"abstract": [3]}, "paragraph"),
            ({"abstract": {"a": 1}}, "abstract is"),
            ({"year": "soon"}, 'year "soon"'),
            ({"outbound_citations": "8"}, "references is"),
            ({"mag_field_of_study": [1]}, "fields, item 1"),
        ],
    )
    def test_what_is_wrong_is_said(self, write, change, reason):
        (line,) = open_source(write({**S2ORC, **change}), format_name="s2orc").lines()

        assert isinstance(line, BadLine)
        assert reason in line.reason

    def test_fields_given_as_objects_count_once_each(self, write):
        fields = [{"category": "Physics", "source": "a"}, {"category": "Physics", "source": "b"}]

        assert records(write({**S2ORC, "s2fieldsofstudy": fields}))[0].fields == ("Physics",)


class TestBEIR:
    def test_metadata_that_fit_are_taken_and_others_left(self, write):
        metadata = {"year": 2001, "authors": ["A"], "references": [1], "url": "…", "venue": 3}

        assert records(write({**BEIR, "metadata": metadata})) == [
            DocumentRecord("b1", "T", ("One.", "Two."), year=2001, authors=("A",))
        ]

    @pytest.mark.parametrize("metadata", [{}, None, "text", {"year": 0}, {"year": True}])
    def test_any_metadata_are_fine(self, write, metadata):
        assert records(write({**BEIR, "metadata": metadata}))[0].year is None


class TestIrDatasets:
    @pytest.fixture
    def dataset(self, tmp_path):
        ir_datasets = pytest.importorskip("ir_datasets", reason="the extra is not installed")
        path = tmp_path / "docs.tsv"
        path.write_text("d1\tOne. Two.\nd2\t\n")
        return ir_datasets.create_dataset(docs_tsv=str(path))

    def test_documents_of_a_data_set_arrive(self, dataset):
        source = DatasetSource("ir_datasets:mine", dataset)

        assert [(line.number, line.record) for line in source.lines()] == [
            (1, DocumentRecord("d1", "", ("One.", "Two."))),
            (2, DocumentRecord("d2", "", ())),
        ]

    def test_a_data_set_registered_by_name_is_opened(self, dataset):
        import ir_datasets

        ir_datasets.registry.register("qrelsmith-test", dataset)
        try:
            source = open_dataset("qrelsmith-test")
        finally:
            del ir_datasets.registry._registered["qrelsmith-test"]

        assert (source.name, source.unit) == ("ir_datasets:qrelsmith-test", "documents")
        assert [line.file for line in source.lines()] == ["ir_datasets:qrelsmith-test"] * 2

    def test_a_name_it_does_not_know_is_refused(self, dataset):
        with pytest.raises(SourceError, match="knows no data set 'no-such-set'"):
            open_dataset("no-such-set")

    def test_without_the_extra_it_says_how_to_install_it(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "ir_datasets", None)

        with pytest.raises(SourceError, match=r'pip install "qrelsmith\[ir-datasets\]"'):
            open_dataset("beir/scifact")


def test_every_format_has_a_name_people_choose():
    from corpus.forms import FORMAT_CHOICES

    assert {value for value, _ in FORMAT_CHOICES} == set(FORMATS)
