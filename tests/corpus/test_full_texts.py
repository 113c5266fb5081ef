import gzip
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from corpus.formats.document_lines import DocumentFormatError
from corpus.formats.full_texts import FullTextSection, read_full_texts
from corpus.models import FullText
from jobs.models import State
from tests.support.factories import DocumentFactory
from tests.support.study_scenes import a_labelled_query, a_study
from tests.support.uploading import done
from tests.support.visits import address, text_of

SECTIONS = {"docno": "d1", "sections": [{"heading": "1 Intro", "paragraphs": ["One.", " "]}]}
BODY = [
    {"section": "1 Intro", "text": "One.", "cite_spans": []},
    {"section": "1 Intro", "text": "Two."},
    {"section": None, "text": "Three."},
]


def written(tmp_path, *rows, name="texts.jsonl"):
    path = tmp_path / name
    path.write_text(
        "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    )
    return path


@pytest.mark.parametrize(
    "row",
    [
        {"paper_id": 7, "body_text": BODY},
        {"paper_id": "7", "grobid_parse": {"abstract": [{"text": "A."}], "body_text": BODY}},
        {"paper_id": "7", "abstract": "A.", "latex_parse": {}, "pdf_parse": {"body_text": BODY}},
    ],
    ids=["release of 2020", "release of 2019", "doc2json"],
)
def test_each_form_of_s2orc_gives_the_same_sections(tmp_path, row):
    path = written(tmp_path, json.dumps(row, indent=2), name="7.json")

    (line,) = read_full_texts(path, name="7.json", prefix="s2-")

    assert line.record.docno == "s2-7"
    assert line.record.sections == (
        FullTextSection("1 Intro", ("One.", "Two.")),
        FullTextSection("", ("Three.",)),
    )


def test_sections_and_links_are_told_apart_line_by_line(tmp_path):
    text = {"docno": "d2", "sections": [{"text": "One.\n\nTwo  lines."}], "url": "https://a.org/2"}
    path = tmp_path / "texts.gz"
    rows = [SECTIONS, text, {"docno": "d3", "url": "https://a.org/3.pdf"}]
    path.write_bytes(gzip.compress("\n\n".join(map(json.dumps, rows)).encode()))

    records = [line.record for line in read_full_texts(path, name="texts.gz")]

    assert [record.sections for record in records] == [
        (FullTextSection("1 Intro", ("One.",)),),
        (FullTextSection("", ("One.", "Two lines.")),),
        (),
    ]
    assert [record.pdf_url for record in records] == ["", "https://a.org/2", "https://a.org/3.pdf"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"docno": "d1"}, "the line has no full text"),
        ({"docno": "d1", "sections": []}, "at least one section, got []"),
        (
            {"docno": "d1", "sections": [{"heading": "A", "paragraphs": []}]},
            "every section is empty",
        ),
        (
            {"docno": "d1", "sections": [{"heading": "A", "paragraphs": [3]}]},
            "section 1 must be text",
        ),
        ({"docno": "d1", "sections": ["A"]}, "section 1 must be an object"),
        ({"docno": "d1", "url": "http://a.org/1.pdf"}, "begins with https://, got"),
        ({"docno": "d1", "url": "https://me:secret@a.org/1.pdf"}, "begins with https://"),
        ({"docno": "d1", "url": "javascript:alert(1)"}, "begins with https://"),
        ({"sections": [{"text": "A."}]}, '"docno" is missing'),
        ({"docno": "d1", "body_text": [{"section": "A"}]}, 'item 1 of "body_text" must be text'),
        ("{nonsense", "not JSON"),
    ],
)
def test_an_invalid_line_is_named_with_the_reason(tmp_path, row, reason):
    path = written(tmp_path, SECTIONS, row)

    with pytest.raises(DocumentFormatError) as error:
        list(read_full_texts(path, name="texts"))

    assert str(error.value).startswith("texts:2: ")
    assert reason in str(error.value)


@pytest.mark.django_db
def test_with_an_invalid_line_nothing_is_imported(collection, tmp_path):
    DocumentFactory(collection=collection, docno="d1")
    path = written(tmp_path, SECTIONS, {"docno": "d2"})

    with pytest.raises(CommandError, match=r"texts\.jsonl:2: the line has no full text"):
        call_command("import_full_texts", "small", str(path))

    assert not FullText.objects.exists()


@pytest.mark.django_db
def test_a_second_import_changes_nothing_and_a_changed_line_replaces_the_text(
    collection, tmp_path, capsys
):
    for docno in ("d1", "d2"):
        DocumentFactory(collection=collection, docno=docno)
    link = {"docno": "d2", "url": "https://a.org/2.pdf"}
    path = written(tmp_path, SECTIONS, SECTIONS, link, SECTIONS | {"docno": "absent"})

    for _ in range(2):
        call_command("import_full_texts", "small", str(path))
    changed = written(tmp_path, link | {"url": "https://a.org/new.pdf"}, name="changed.jsonl")
    call_command("import_full_texts", "small", str(changed))

    assert capsys.readouterr().out.splitlines() == [
        "small: full texts 2 created, 0 updated, 0 unchanged; 1 repeated line skipped; "
        "1 unknown docno skipped (absent).",
        "small: full texts 0 created, 0 updated, 2 unchanged; 1 repeated line skipped; "
        "1 unknown docno skipped (absent).",
        "small: full texts 0 created, 1 updated, 0 unchanged.",
    ]
    assert FullText.objects.get(document__docno="d2").pdf_url == "https://a.org/new.pdf"


@pytest.mark.django_db
def test_two_texts_for_one_docno_are_an_error_with_both_places(collection, tmp_path):
    first = written(tmp_path, SECTIONS, name="a.jsonl")
    second = written(tmp_path, {"docno": "d1", "url": "https://a.org/1.pdf"}, name="b.jsonl")

    with pytest.raises(CommandError, match=r"b\.jsonl:1: docno is d1, .*already in .*a\.jsonl:1"):
        call_command("import_full_texts", "small", str(first), str(second))


@pytest.mark.django_db
def test_the_full_text_of_a_studied_pair_stays(collection, tmp_path):
    opening = a_labelled_query(collection, 3, 1, 0)
    a_study(collection)
    docno = opening.query.query_paper.name
    before = FullText.objects.get(document__docno=docno).digest
    path = written(tmp_path, SECTIONS | {"docno": docno})

    with pytest.raises(CommandError, match=rf":1: docno is {docno}, which is in a full-text study"):
        call_command("import_full_texts", "small", str(path))

    assert FullText.objects.get(document__docno=docno).digest == before


@pytest.mark.django_db
def test_an_admin_uploads_full_texts_and_reads_them(admin, collection):
    DocumentFactory(collection=collection, docno="d1", sentences=["The abstract."])
    upload = SimpleUploadedFile("texts.jsonl", json.dumps(SECTIONS).encode())

    admin.post(address("import-full-texts"), {"file": upload})
    job = done()

    assert (job.state, job.result["created"]) == (State.SUCCEEDED, 1)
    assert "Read the full text" in text_of(admin.get(address("document", "d1")))
    page = text_of(admin.get(address("full-text", "d1")))
    assert "1 Intro" in page
    assert "One." in page
