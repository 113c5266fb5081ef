"""Files, folders and zips of documents, and what other people's lines mean."""

import gzip
import json
import zipfile

import pytest

from corpus.formats.document_lines import BadLine, DocumentFormatError, DocumentRecord
from corpus.formats.ir_datasets_source import DatasetSource, open_dataset
from corpus.formats.sources import FORMATS, SourceError, open_source

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
    assert '"docno" is missing' in line.reason


def test_a_format_that_does_not_exist_is_refused(write):
    with pytest.raises(
        SourceError, match=r"Unknown format 'xml'. Use one of auto, jsonl, s2orc, beir"
    ):
        open_source(write(PLAIN), format_name="xml")


def test_files_of_a_folder_are_read_by_name(write, tmp_path):
    second = write({**S2ORC, "paper_id": "2"}, name="in/b.jsonl")
    first = write({**S2ORC, "paper_id": "1"}, name="in/a.jsonl.gz")
    first.write_bytes(gzip.compress(first.read_bytes()))
    write(name="in/readme.txt")

    source = open_source(tmp_path / "in")
    lines = list(source.lines())

    assert source.files == ("in/a.jsonl.gz", "in/b.jsonl")
    assert [line.record.docno for line in lines] == ["1", "2"]
    assert source.size == first.stat().st_size + second.stat().st_size


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
    with pytest.raises(SourceError, match=r"has no corpus\.jsonl"):
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
            ({"abstract": {"a": 1}}, '"abstract" must be text'),
            ({"year": "soon"}, '"year" must be a whole number, got "soon"'),
            ({"outbound_citations": "8"}, '"references" must be a list'),
            ({"mag_field_of_study": [1]}, 'item 1 of "fields"'),
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

        with pytest.raises(SourceError, match=r'pip install "\.\[ir-datasets\]"'):
            open_dataset("beir/scifact")


def test_every_format_has_a_name_people_choose():
    from corpus.forms import FORMAT_CHOICES

    assert {value for value, _ in FORMAT_CHOICES} == set(FORMATS)


def zipped(path, members, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content, **options)
    return path


def line_of(number: int) -> bytes:
    return json.dumps({"docno": f"d{number}", "title": "", "abstract": ""}).encode() + b"\n"


@pytest.mark.parametrize("name", ["../../corpus.jsonl", "/etc/corpus.jsonl", "..\\corpus.jsonl"])
def test_a_member_that_points_outside_is_read_and_written_nowhere(tmp_path, name):
    path = zipped(tmp_path / "outside.zip", [(name, line_of(1))])
    before = sorted(tmp_path.rglob("*"))
    assert [line.record.docno for line in open_source(path).lines()] == ["d1"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_zip_inside_a_zip_is_not_opened(tmp_path):
    inner = zipped(tmp_path / "inner.zip", [("corpus.jsonl", line_of(1))]).read_bytes()
    outer = zipped(tmp_path / "outer.zip", [("inner.zip", inner)])
    with pytest.raises(SourceError, match=r"^outer\.zip has no corpus\.jsonl"):
        open_source(outer)
    disguised = zipped(tmp_path / "disguised.zip", [("corpus.jsonl", inner)])
    (line, *_) = open_source(disguised).lines()
    assert line.reason.startswith(("not UTF-8", "not JSON"))


@pytest.mark.by_day(2)
def test_a_zip_of_20_000_files_is_opened_once(tmp_path):
    path = zipped(
        tmp_path / "many.zip", ((f"{number:05}.jsonl", line_of(number)) for number in range(20_000))
    )
    docnos = [line.record.docno for line in open_source(path).lines()]
    assert docnos == [f"d{number}" for number in range(20_000)]


@pytest.mark.parametrize("damage", ["directory", "content", "name"])
def test_a_damaged_zip_is_refused_in_words(tmp_path, damage):
    path = zipped(tmp_path / "a.zip", [("corpus.jsonl", line_of(1) * 100)])
    content = bytearray(path.read_bytes())
    directory = content.rindex(b"PK\x01\x02")
    match damage:
        case "directory":
            content[directory : directory + 4] = b"\0\0\0\0"
        case "content":
            content[14:18] = content[directory + 16 : directory + 20] = b"\0\0\0\0"  # the CRC
        case "name":
            content[directory + 9] |= 0x08  # UTF-8, which 0xFF is not
            content[directory + 46] = 0xFF
    path.write_bytes(content)
    with pytest.raises(
        (SourceError, DocumentFormatError),
        match=r"^a\.zip(/\S+)?(:1)?:? (cannot be read as a|the) zip .*\(.+\)\. Compress",
    ):
        list(open_source(path).lines())


def test_an_encrypted_zip_is_refused_in_words(tmp_path):
    path = zipped(tmp_path / "a.zip", [("corpus.jsonl", line_of(1))])
    content = bytearray(path.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(
        SourceError, match=r"^a\.zip/corpus\.jsonl is encrypted\. Compress it again"
    ):
        open_source(path)


def test_a_zip_of_another_method_is_refused_in_words(tmp_path):
    path = zipped(
        tmp_path / "a.zip", [("corpus.jsonl", line_of(1))], compress_type=zipfile.ZIP_LZMA
    )
    with pytest.raises(
        SourceError, match=r"corpus\.jsonl is compressed with a method other than defl"
    ):
        open_source(path)


@pytest.mark.parametrize("name", ["jsonl", "s2orc", "beir"])
@pytest.mark.parametrize("key", ["title", "authors", "abstract", "metadata", "year"])
def test_deep_json_is_a_bad_line_at_every_depth(tmp_path, name, key):
    path = tmp_path / "deep.jsonl"
    depths = [*range(100, 1_100, 7), 100_000]
    for bracket, end in (("[", "]"), ('{"a":', "}")):
        lines = (
            f'{{"{key}": {bracket * depth}1{end * depth}, "docno": 1, "_id": [], "paper_id": []}}'
            for depth in depths
        )
        path.write_text("\n".join(lines))
        found = list(open_source(path, format_name=name).lines())
        assert [type(line) for line in found] == [BadLine] * len(depths)
