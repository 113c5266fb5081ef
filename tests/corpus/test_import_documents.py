import gzip
import json
import uuid

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import Collection
from corpus.documents.checking import BATCH, RepeatedDocnos, TooManyBadLines
from corpus.documents.import_options import DocumentImportOptions
from corpus.documents.importing import DocumentImportReport, FrozenDocument, import_documents
from corpus.formats.document_lines import DocumentFormatError
from corpus.models import Document
from corpus.selection.filters import Recipe
from corpus.services import CorpusError
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job, State
from jobs.wording import ResultLine, job_card
from pooling.services import freeze_pools
from tests.support.factories import DocumentFactory, a_collection, a_query

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@pytest.fixture
def collection() -> Collection:
    return a_collection()


@pytest.fixture
def write(tmp_path):
    def write(*documents, name="docs.jsonl", end=""):
        path = tmp_path / name
        path.write_text("".join(json.dumps(document) + "\n" for document in documents) + end)
        return path

    return write


def doc(docno: str, **changes) -> dict:
    return {"docno": docno, "title": f"Title {docno}", "abstract": "One. Two.", **changes}


def bring(collection, path, **how) -> DocumentImportReport:
    options = DocumentImportOptions(**how)
    return import_documents(collection=collection, path=path, work=DirectRun(), options=options)


def counts(report: DocumentImportReport) -> tuple[int, int, int]:
    return report.created, report.updated, report.unchanged


def test_documents_arrive_with_everything_their_line_says(collection, write):
    bring(
        collection,
        write(
            doc(
                "a",
                sentences=["S1", "S2"],
                labels=["method", "other"],
                year=2001,
                venue="V",
                authors=["X"],
                references=["b"],
                fields=["Linguistics"],
            )
        ),
    )

    document = collection.documents.get(docno="a")
    assert document.text == ("a", "Title a", ["S1", "S2"], ["method", "other"])
    assert (document.year, document.venue) == (2001, "V")
    assert (document.authors, document.references) == (["X"], ["b"])
    assert document.fields == ["Linguistics"]
    assert document.digest == document.text_digest()


def test_the_same_file_again_changes_nothing(collection, write):
    path = write(doc("a"), doc("b", year=2001, references=["a"]))
    first = bring(collection, path)
    before = list(collection.documents.values())

    again = bring(collection, path)

    assert (counts(first), counts(again)) == ((2, 0, 0), (0, 0, 2))
    assert list(collection.documents.values()) == before


def test_a_line_replaces_the_document_of_its_docno(collection, write):
    bring(collection, write(doc("a", year=2001, authors=["X"]), doc("b")))

    report = bring(collection, write(doc("a", title="New"), doc("b"), doc("c")))

    assert counts(report) == (1, 1, 1)
    document = collection.documents.get(docno="a")
    assert (document.title, document.year, document.authors) == ("New", None, [])
    assert document.digest == document.text_digest()


def test_more_documents_than_a_batch_arrive_in_the_order_of_the_file(collection, write):
    docnos = [f"d{n}" for n in range(2 * BATCH + 1)]

    report = bring(collection, write(*(doc(docno) for docno in docnos)))

    assert report.created == len(docnos)
    assert list(collection.documents.order_by("pk").values_list("docno", flat=True)) == docnos


def test_gzip_arrives_the_same(collection, write, tmp_path):
    path = write(doc("a"))
    packed = tmp_path / "docs.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    bring(collection, path)

    assert counts(bring(collection, packed)) == (0, 0, 1)


@pytest.mark.parametrize(
    "end", ["{", '{"docno": "z"}\n', '{"docno": 1, "title": "", "abstract": ""}']
)
def test_a_bad_line_leaves_nothing_behind(collection, write, end):
    path = write(*(doc(f"d{n}") for n in range(BATCH + 1)), end=end)

    with pytest.raises(DocumentFormatError) as caught:
        bring(collection, path)

    assert (caught.value.file, caught.value.line) == ("docs.jsonl", BATCH + 2)
    assert not collection.documents.exists()


def test_two_lines_that_differ_on_one_docno_are_refused(collection, write):
    lines = [doc("a"), doc("b"), doc("a", year=2001), doc("b"), doc("b", title="Other")]

    with pytest.raises(RepeatedDocnos) as caught:
        bring(collection, write(*lines))

    assert str(caught.value).splitlines()[:2] == [
        "Nothing of docs.jsonl was imported. 2 lines have the docno of an earlier line, with other "
        "content.",
        "docs.jsonl:3: docno is a, which is already in line 1 with other content.",
    ]
    assert "a prefix for its ids" in str(caught.value)
    assert not collection.documents.exists()


def test_a_line_that_repeats_another_counts_once(collection, write):
    report = bring(collection, write(doc("a"), doc("b"), doc("a")))

    assert counts(report) == (2, 0, 0)
    assert report.repeated == 1


def test_references_to_unknown_documents_are_kept_and_counted(collection, write):
    DocumentFactory(collection=collection, docno="old")

    report = bring(collection, write(doc("a", references=["b", "old", "x", "y"]), doc("b")))

    assert (report.references, report.unresolved_references) == (4, 2)
    assert collection.documents.get(docno="a").references == ["b", "old", "x", "y"]


def test_the_report_counts_documents_without_text_and_names_ignored_keys(collection, write):
    report = bring(collection, write(doc("a", abstract=""), doc("b", url="…")))

    assert (report.without_text, report.unknown_keys) == (1, ("url",))


def test_another_collection_keeps_its_document_of_the_same_docno(collection, write):
    other = DocumentFactory(collection=a_collection("other"), docno="a", title="Other")

    bring(collection, write(doc("a")))

    other.refresh_from_db()
    assert other.title == "Other"


def test_the_text_of_a_frozen_pool_cannot_change(collection, write):
    query = a_query(collection, size=1)
    freeze_pools(collection=collection)
    paper, judged = query.query_paper, query.query_paper.pool.candidates.get().document

    with pytest.raises(FrozenDocument) as caught:
        bring(collection, write(doc("new"), doc(judged.docno), doc("free"), doc(paper.name)))

    assert "2 lines have the docno of a document in a frozen pool" in str(caught.value)
    assert f"docs.jsonl:2: docno is {judged.docno}, which is in a frozen" in str(caught.value)
    assert "a prefix for its ids" in str(caught.value)


@pytest.mark.django_db(transaction=True)
def test_a_change_to_a_frozen_pool_leaves_nothing_behind(collection, write):
    query = a_query(collection, size=1)
    freeze_pools(collection=collection)

    DocumentFactory(collection=collection, docno="free", title="Before")

    with pytest.raises(FrozenDocument):
        bring(collection, write(doc("new"), doc("free"), doc(query.query_paper.name)))

    assert not collection.documents.filter(docno="new").exists()
    assert collection.documents.get(docno="free").title == "Before"


def test_what_is_no_text_can_change_in_a_frozen_pool(collection, write):
    query = a_query(collection, size=1)
    freeze_pools(collection=collection)
    paper = query.query_paper.document
    text = {"docno": paper.docno, "title": paper.title, "sentences": paper.sentences}

    bring(collection, write({**text, "labels": paper.labels, "year": 2020}))

    paper.refresh_from_db()
    assert paper.year == 2020


def test_a_file_that_is_not_there_is_named(collection, tmp_path):
    with pytest.raises(CorpusError, match=r"gone\.jsonl cannot be read: No such file"):
        bring(collection, tmp_path / "gone.jsonl")


def test_a_row_is_spelled_as_the_model_would_spell_it(collection, write):
    texts = ['"quoted"', "Zürich \u2028 \U0001f600", "tab\t"]
    bring(collection, write(doc("a", sentences=texts, authors=texts)))
    Document.objects.create(collection=collection, docno="b", sentences=texts, authors=texts)

    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT sentences, authors FROM corpus_document")
        assert len(cursor.fetchall()) == 1


class TestBadLines:
    BAD = ({"docno": "b"}, {"docno": 3})

    def test_as_many_as_allowed_are_left_out_and_reported(self, collection, write):
        report = bring(collection, write(doc("a"), *self.BAD, doc("c")), skip_bad=2)

        assert (report.created, report.bad_lines) == (2, 2)
        assert [problem.partition(". ")[0] for problem in report.problems] == [
            'docs.jsonl:2: "title" is missing',
            'docs.jsonl:3: "docno" must be text, got 3',
        ]

    def test_one_more_and_nothing_is_imported_and_all_are_listed(self, collection, write):
        with pytest.raises(TooManyBadLines, match=r"more than 1 invalid line") as caught:
            bring(collection, write(doc("a"), *self.BAD, doc("c")), skip_bad=1)

        assert [problem.number for problem in caught.value.problems] == [2, 3]
        assert 'docs.jsonl:3: "docno" must be text, got 3' in str(caught.value)
        assert not collection.documents.exists()

    def test_a_second_line_of_a_docno_counts_and_the_first_stays(self, collection, write):
        report = bring(collection, write(doc("a"), doc("a", title="Other")), skip_bad=1)

        assert report.problems == (
            "docs.jsonl:2: docno is a, which is already in line 1 with other content. Keep one.",
        )
        assert collection.documents.get().title == "Title a"

    def test_the_first_bad_line_is_named_even_where_a_later_one_is_found_sooner(
        self, collection, write
    ):
        with pytest.raises(RepeatedDocnos) as caught:
            bring(collection, write(doc("a"), doc("a", title="Other"), {"docno": "b"}))

        assert caught.value.first.line == 2

    def test_lines_of_several_files_are_told_apart(self, collection, write, tmp_path):
        (tmp_path / "many").mkdir()
        write(doc("a"), name="many/1.jsonl")
        write(doc("b"), doc("a", title="Other"), name="many/2.jsonl")

        with pytest.raises(RepeatedDocnos) as caught:
            bring(collection, tmp_path / "many")

        place = "many/2.jsonl:2: docno is a, which is already in many/1.jsonl:1 with other content"
        assert str(caught.value.first) == f"{place}."


class TestFilter:
    def test_documents_that_break_a_rule_are_left_out_and_counted_once(self, collection, write):
        long = "w " * 81
        report = bring(
            collection,
            write(
                doc("short"),
                doc("wordy", sentences=["a", "b", long]),
                doc("many", sentences=[long] * 21),
                doc("terse", sentences=["a", "b", "c"]),
                doc("good", sentences=["one two three four"] * 3),
            ),
            recipe=Recipe(named="csfcube"),
        )

        assert (report.created, report.filtered) == (1, 4)
        assert report.rules == {
            "fewer than 3 sentences": 1,
            "a sentence of more than 80 tokens": 1,
            "more than 20 sentences": 1,
            "no sentence of 4 tokens or more": 1,
        }

    def test_references_to_what_was_left_out_lead_nowhere(self, collection, write):
        good = doc("a", sentences=["one two three four"] * 3, references=["b"])

        report = bring(collection, write(good, doc("b")), recipe=Recipe(named="csfcube"))

        assert (report.references, report.unresolved_references) == (1, 1)


class TestJob:
    @pytest.fixture
    def upload(self, settings):
        settings.UPLOAD_DIR.mkdir(parents=True, exist_ok=True)

        def upload(*documents):
            path = settings.UPLOAD_DIR / "stored"
            path.write_text("".join(json.dumps(document) + "\n" for document in documents))
            return {"path": "stored", "filename": "mine.jsonl"}

        return upload

    def run(self, collection, parameters) -> Job:
        job = Job.objects.create(
            collection=collection,
            kind="import_documents",
            key=str(uuid.uuid4()),
            parameters=parameters,
        )
        jobs.run(job.pk)
        job.refresh_from_db()
        return job

    def test_it_imports_and_reports(self, collection, upload):
        job = self.run(collection, upload(doc("a"), doc("b")))

        assert job.state == State.SUCCEEDED
        assert (job.result["created"], job.result["unchanged"]) == (2, 0)
        assert collection.documents.count() == 2

    def test_its_card_says_what_was_left_out(self, collection, upload):
        how = {"skip_bad": 1, "recipe": {"named": "csfcube"}}
        job = self.run(collection, {**upload(doc("a"), {"docno": "b"}), **how})

        card = job_card(job, timezone.now())
        assert ResultLine("rules", "fewer than 3 sentences: 1") in card.figures
        assert ResultLine("bad lines", "1") in card.figures
        (problem,) = job.result["problems"]
        assert problem.startswith('mine.jsonl:2: "title" is missing')

    def test_a_second_run_finds_nothing_to_do(self, collection, upload):
        self.run(collection, upload(doc("a")))

        job = self.run(collection, upload(doc("a")))

        assert (job.result["created"], job.result["unchanged"]) == (0, 1)

    def test_a_bad_file_fails_it_with_a_message_for_people(self, collection, upload):
        job = self.run(collection, upload(doc("a"), {"docno": "b"}))

        assert job.state == State.FAILED
        assert job.error.startswith('mine.jsonl:2: "title" is missing')
        assert not collection.documents.exists()

    def test_a_worker_that_lost_the_job_writes_nothing(self, collection, upload):
        parameters = upload(doc("a"))
        job = Job.objects.create(
            collection=collection, kind="import_documents", key="k", parameters=parameters
        )
        lease = jobs.claim(job.pk)
        Job.objects.filter(pk=job.pk).update(lease=uuid.uuid4())

        from corpus.tasks import run_import_documents
        from jobs.lease import LeaseLost

        with pytest.raises(LeaseLost):
            run_import_documents(lease)
        assert not Document.objects.filter(collection=collection).exists()


class TestCommand:
    def test_it_says_what_it_did(self, collection, write, capsys):
        call_command("import_documents", "small", str(write(doc("a", references=["x"]))))

        assert capsys.readouterr().out == (
            "small: documents 1 created, 0 updated, 0 unchanged; 1 of 1 references unresolved.\n"
        )

    def test_it_reports_what_it_left_out(self, collection, write, capsys):
        path = write(doc("a"), {"docno": "b"}, doc("c", sentences=["one two three four"] * 3))

        call_command("import_documents", "small", str(path), skip_bad=1, filter="csfcube")

        captured = capsys.readouterr()
        assert (
            "1 left out by the filter (1 with fewer than 3 sentences); 1 invalid line skipped"
            in captured.out
        )
        assert 'docs.jsonl:2: "title" is missing' in captured.err

    def test_it_imports_a_folder(self, collection, write, tmp_path):
        (tmp_path / "set").mkdir()
        write({"_id": "b1", "title": "T", "text": "One."}, name="set/corpus.jsonl")

        call_command("import_documents", "small", str(tmp_path / "set"), input_format="beir")

        assert collection.documents.get().docno == "b1"

    @pytest.mark.parametrize("arguments", [[], ["--from", "elsewhere"]])
    def test_it_says_what_it_needs(self, collection, arguments):
        with pytest.raises(CommandError, match="--from ir_datasets:NAME"):
            call_command("import_documents", "small", *arguments)

    def test_it_names_file_and_line_of_what_is_wrong(self, collection, write):
        path = write(doc("a"), end="{")

        with pytest.raises(CommandError, match=r"docs\.jsonl:2: not JSON"):
            call_command("import_documents", "small", str(path))

    def test_it_says_how_to_make_a_collection_that_is_not_there(self, write):
        with pytest.raises(CommandError, match="create_collection"):
            call_command("import_documents", "nowhere", str(write(doc("a"))))
