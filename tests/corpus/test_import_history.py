"""The recorded steps of an import: exact counts, citation expansion, and what a failure leaves."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.documents.history import steps_of
from corpus.documents.import_options import DocumentImportOptions
from corpus.documents.importing import import_documents
from corpus.formats.document_lines import DocumentFormatError
from corpus.models import DocumentImport
from corpus.selection.expansion import Expansion
from corpus.selection.filters import Recipe
from jobs.context import DirectRun
from jobs.models import Job
from tests.support.factories import a_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

GOOD = {
    "docno": "good",
    "title": "T",
    "abstract": "One small study. We did it twice. It was fine.",
    "year": 2001,
    "language": "en",
    "references": ["x", "y"],
    "fields": ["Computer Science"],
    "has_full_text": True,
}
ALL_RULES = Recipe.parsed(
    fields_of_study=["Computer Science"], years="1995-2019", languages=["en"], has_text=True,
    has_full_text=True, min_citations=2, min_characters=20, min_sentences=2, named="csfcube",
)  # fmt: skip
# One document for each rule, by what makes it break that rule and none before.
BREAKING = {
    "no field Computer Science": {"fields": ["Art"]},
    "no year": {"year": None},
    "a year other than 1995–2019": {"year": 1994},
    "a language that is unknown": {"language": None},
    "a language other than en": {"language": "de"},
    "no title": {"title": ""},
    "no abstract": {"abstract": ""},
    "no full text": {"has_full_text": False},
    "fewer than 2 outgoing citations": {"references": ["x"]},
    "an abstract of fewer than 20 characters": {"abstract": "Short."},
    "fewer than 2 sentences": {"abstract": "Only one sentence is in this abstract."},
    "fewer than 3 sentences": {"abstract": "Only two of them. They are in this."},
    "more than 20 sentences": {"sentences": ["One two three four."] * 21},
    "a sentence of more than 80 tokens": {"sentences": ["a", "b", "w " * 81]},
    "no sentence of 4 tokens or more": {"sentences": ["First one here.", "Then two.", "Three."]},
}


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def write(tmp_path):
    def write(*documents, name="mixed.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(document) + "\n" for document in documents))
        return path

    return write


def bring(collection, path, **how):
    options = DocumentImportOptions(**how)
    return import_documents(collection=collection, path=path, work=DirectRun(), options=options)


def mixed_documents():
    broken = [{**GOOD, "docno": f"d{n}", **change} for n, change in enumerate(BREAKING.values())]
    return [*broken, {"docno": 7}, GOOD, GOOD, {**GOOD, "docno": "also"}]


def test_a_mixed_file_is_left_with_the_right_documents_and_exact_counts(collection, write):
    report = bring(collection, write(*mixed_documents()), recipe=ALL_RULES, skip_bad=1)

    row = DocumentImport.objects.get()
    assert set(collection.documents.values_list("docno", flat=True)) == {"good", "also"}
    assert (row.source, row.format_name, row.read, row.kept) == ("mixed.jsonl", "jsonl", 19, 2)
    assert row.recipe == ALL_RULES.as_json
    names = ["read", "an invalid line", *BREAKING, "a line that repeats an earlier one"]
    removed = [0, *[1] * (len(BREAKING) + 2)]
    remaining = [19 - sum(removed[: place + 1]) for place in range(len(removed))]
    assert steps_of(row) == list(zip(names, removed, remaining, strict=True))
    assert (report.filtered, report.rules) == (15, dict.fromkeys(BREAKING, 1))


def test_the_same_import_again_adds_no_row_and_another_recipe_does(collection, write):
    path = write(*mixed_documents())
    for _ in range(2):
        bring(collection, path, recipe=ALL_RULES, skip_bad=1)

    assert DocumentImport.objects.count() == 1

    bring(collection, path, skip_bad=1, prefix="x-")

    assert DocumentImport.objects.last().recipe == {"prefix": "x-"}
    assert DocumentImport.objects.last().kept == 17


def test_a_failed_import_leaves_no_row(collection, write):
    with pytest.raises(DocumentFormatError):
        bring(collection, write(GOOD, {"docno": 7}))

    assert not DocumentImport.objects.exists()
    assert not collection.documents.exists()


class TestExpansion:
    # a -> b -> c -> d, e -> b; f cites nothing
    EDGES = {"a": ["b"], "b": ["c"], "c": ["d"], "d": [], "e": ["b", "gone"], "f": []}

    @pytest.fixture
    def graph(self, write):
        lines = [
            {**GOOD, "docno": docno, "references": cited} for docno, cited in self.EDGES.items()
        ]
        return write(*lines, name="graph.jsonl")

    @pytest.mark.parametrize(
        ("seeds", "hops", "direction", "docnos"),
        [
            ("b", 0, "out", "b"),
            ("a", 1, "out", "ab"),
            ("a", 2, "out", "abc"),
            ("b", 1, "in", "abe"),
            ("b", 1, "both", "abce"),
            ("a", 2, "both", "abce"),
            ("fd", 1, "out", "df"),
        ],
    )
    def test_what_is_near_the_seeds_stays(self, collection, graph, seeds, hops, direction, docnos):
        bring(collection, graph, selection=Expansion(tuple(seeds), hops, direction))

        assert sorted(collection.documents.values_list("docno", flat=True)) == list(docnos)

    def test_the_command_counts_it_as_a_step(self, collection, graph, tmp_path, capsys):
        seeds = tmp_path / "seeds.txt"
        seeds.write_text("a\n\nunknown\n")

        call_command(
            "import_documents", "small", str(graph), seeds=seeds, years="2001", field=["Art"],
            language=["en"],
        )  # fmt: skip

        row = DocumentImport.objects.get()
        assert steps_of(row)[2:4] == [
            ("more than 1 citation away from 2 seeds", 4, 2),
            ("no field Art", 2, 0),
        ]
        assert {**row.recipe["expansion"], "seeds_sha256": ""} == {
            "seeds": 2, "hops": 1, "direction": "out", "seeds_sha256": "",
        }  # fmt: skip
        out = capsys.readouterr().out
        assert "4 too far from the seeds; 1 seed not found; 2 left out by the filter" in out

    def test_a_bad_recipe_is_refused_by_the_command(self, collection, graph, tmp_path):
        with pytest.raises(CommandError, match="'then' names no years"):
            call_command("import_documents", "small", str(graph), years="then")
        (tmp_path / "seeds.txt").write_text("two words\n")
        with pytest.raises(CommandError, match="The seed 'two words' has a space"):
            call_command("import_documents", "small", str(graph), seeds=tmp_path / "seeds.txt")


def test_the_page_shows_the_flow_in_a_fixed_number_of_queries(
    collection, write, django_assert_num_queries
):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    address = reverse("document-imports", args=["small"])
    assert "No imports yet" in client.get(address).text
    for number in range(2):
        path = write(*mixed_documents(), name=f"{number}.jsonl")
        bring(collection, path, recipe=ALL_RULES, skip_bad=1)

    with django_assert_num_queries(6):
        page = client.get(address)

    words = " ".join(page.text.split())
    assert words.index("0.jsonl</h2>") < words.index("1.jsonl</h2>")
    assert "0 created, 0 updated, 2 unchanged" in words
    assert words.count('A language other than en</th> <td class="number">1</td>') == 2
    assert client.get(address, {"after": "x"}).status_code == 200


def test_the_page_queues_a_recipe_and_seeds(collection):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    address = reverse("import-documents", args=["small"])
    fields = {
        "field": "Computer Science; Art, applied", "years": "1995-", "language": "en, de",
        "min_citations": "3", "needs": ["has_full_text"], "filter": "mdcr", "seeds": "a\nb\n",
        "hops": "2", "direction": "both",
    }  # fmt: skip

    def send(**changes):
        file = SimpleUploadedFile("a.jsonl", json.dumps(GOOD).encode())
        return client.post(address, {**fields, **changes, "file": file})

    wrong = send(years="2019-1995")
    assert (wrong.status_code, Job.objects.count()) == (422, 0)
    assert "ends before it begins" in wrong.text
    send()

    parameters = Job.objects.get().parameters
    assert parameters["recipe"] == {
        "fields_of_study": ["Computer Science", "Art, applied"], "years": "1995-",
        "languages": ["en", "de"], "has_full_text": True, "min_citations": 3, "named": "mdcr",
    }  # fmt: skip
    assert parameters["expansion"] == {"seeds": ["a", "b"], "hops": 2, "direction": "both"}

    Job.objects.all().delete()
    both = send(sample_size="100", queries_per_field="2")
    assert "Seeds and a sampled sub-corpus exclude each other" in both.text
    alone = {"seeds": "", "query_fields": "Art; Games", "query_years": "2019"}
    assert "needs its number of documents" in send(**alone, queries_per_field="2").text
    send(**alone, queries_per_field="2", sample_size="100")

    assert Job.objects.latest("pk").parameters["sub_corpus"] == {
        "size": 100, "seed": "1", "per_field": 2, "years": "2019", "query_seed": "1",
        "query_fields": ["Art", "Games"],
    }  # fmt: skip
