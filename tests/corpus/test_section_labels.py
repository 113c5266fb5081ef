"""Labels of sentences from the section headings of PubMed's structured abstracts."""

from __future__ import annotations

from io import BytesIO, StringIO

import pytest
from django.core.management import call_command

from corpus.digests import text_digest
from corpus.documents.importing import DocumentImportReport, FrozenDocument, import_documents
from corpus.formats.decompression import Meter
from corpus.formats.document_lines import checked_lines
from corpus.formats.pubmed import read_pubmed, section_label
from corpus.models import Document
from corpus.services import create_query
from jobs.context import DirectRun
from pooling.services import freeze_pools
from tests.support.factories import DocumentFactory, a_pool

ARTICLE = """<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article>
<ArticleTitle>Tea</ArticleTitle><Abstract>{sections}</Abstract></Article></MedlineCitation>
</PubmedArticle>"""


def article(pmid: str, *sections: tuple[str, str]) -> str:
    texts = [f"<AbstractText {marks}>{text}</AbstractText>" for marks, text in sections]
    return ARTICLE.format(pmid=pmid, sections="".join(texts))


def pubmed(*articles: str) -> bytes:
    return f"<PubmedArticleSet>{''.join(articles)}</PubmedArticleSet>".encode()


def read(*sections: tuple[str, str]):
    (line,) = checked_lines(
        read_pubmed(BytesIO(pubmed(article("1", *sections))), "p.xml", Meter(), {}), "p.xml"
    )
    return line


STRUCTURED = (
    ('Label="CONTEXT" NlmCategory="BACKGROUND"', "Boredom is common. It grows."),
    ('Label="TRIAL" NlmCategory="METHODS"', "We served tea."),
    ('Label="FUNDING" NlmCategory="UNASSIGNED"', "Paid by us."),
    ('Label="INTERPRETATION" NlmCategory="CONCLUSIONS"', "Tea helps."),
)


def test_every_sentence_gets_the_label_of_its_section():
    line = read(*STRUCTURED)

    assert line.record.labels == ("background", "background", "method", "", "result")
    assert line.has_section_labels
    assert line.unknown_headings == ("FUNDING",)


def test_an_abstract_without_known_headings_has_no_labels():
    plain, unknown = read(("", "Tea helps.")), read(('Label="FUNDING"', "Paid by us."))

    assert (plain.record.labels, unknown.record.labels) == ((), ())
    assert not plain.has_section_labels
    assert not unknown.has_section_labels
    assert (plain.unknown_headings, unknown.unknown_headings) == ((), ("FUNDING",))


@pytest.mark.parametrize(
    ("heading", "category", "label"),
    [
        ("", "BACKGROUND", "background"),
        ("", "OBJECTIVE", "objective"),
        ("", "METHODS", "method"),
        ("", "RESULTS", "result"),
        ("", "CONCLUSIONS", "result"),
        ("Results", "METHODS", "method"),
        ("Results", "UNASSIGNED", "result"),
        ("Materials &  methods:", "", "method"),
        ("Aim.", "", "objective"),
        ("Ethics", "", ""),
        ("", "", ""),
    ],
)
def test_the_category_decides_and_then_the_heading(heading, category, label):
    assert section_label(heading, category) == label


@pytest.fixture
def load(tmp_path, collection):
    def run(*articles: str) -> DocumentImportReport:
        path = tmp_path / "pubmed.xml"
        path.write_bytes(pubmed(*articles))
        return import_documents(collection=collection, path=path, work=DirectRun())

    return run


def labels(collection) -> dict[str, list[str]]:
    return dict(Document.objects.filter(collection=collection).values_list("docno", "labels"))


@pytest.mark.django_db
def test_an_import_counts_labelled_documents_and_other_headings(collection, load, admin):
    articles = (article("1", *STRUCTURED), article("2", ("", "Tea helps.")))

    report = load(*articles, article("3", ('Label="FUNDING"', "Paid."), ('Label="ETHICS"', "Yes.")))

    assert report.section_labelled == 1
    assert list(report.unknown_headings.items()) == [("FUNDING", 2), ("ETHICS", 1)]
    assert report.result["unknown_headings"] == ["FUNDING: 2", "ETHICS: 1"]
    assert labels(collection) == {
        "1": ["background", "background", "method", "", "result"],
        "2": [],
        "3": [],
    }
    assert collection.document_imports.get().recipe["section_labels"] == {
        "documents": 1,
        "unknown_headings": {"FUNDING": 2, "ETHICS": 1},
    }
    assert "Labels from section headings in 1." in admin.get("/c/small/documents/imports/").text


@pytest.mark.django_db
def test_an_import_without_sections_says_nothing_about_them(collection, load):
    load(article("2", ("", "Tea helps.")))

    assert "section_labels" not in collection.document_imports.get().recipe


@pytest.mark.django_db
def test_labels_that_a_person_changed_stay_when_the_file_comes_again(collection, load):
    load(article("1", *STRUCTURED))
    document = collection.documents.get()
    changed = ["background", "objective", "method", "other", "result"]
    digest = text_digest(document.title, document.sentences, changed)
    collection.documents.update(labels=changed, digest=digest)

    report = load(article("1", *STRUCTURED), article("2", *STRUCTURED))

    assert (report.created, report.updated, report.unchanged) == (1, 0, 1)
    assert labels(collection)["1"] == changed
    assert labels(collection)["2"] == ["background", "background", "method", "", "result"]


@pytest.mark.django_db
def test_another_text_replaces_the_labels_too(collection, load):
    load(article("1", *STRUCTURED))

    report = load(article("1", ('NlmCategory="RESULTS"', "Tea fails.")))

    assert report.updated == 1
    assert labels(collection) == {"1": ["result"]}


@pytest.mark.django_db
def test_a_frozen_document_without_labels_stays_as_it_is(collection, load):
    sentences = ["Boredom is common.", "It grows.", "We served tea.", "Paid by us.", "Tea helps."]
    document = DocumentFactory(
        collection=collection,
        docno="1",
        title="Tea",
        sentences=sentences,
        labels=[],
        year=None,
        venue="",
        authors=[],
    )
    paper = DocumentFactory(collection=collection)
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, [document])
    freeze_pools(collection=collection)

    assert load(article("1", *STRUCTURED)).unchanged == 1
    assert labels(collection)["1"] == []
    with pytest.raises(FrozenDocument):
        load(article("1", ('NlmCategory="RESULTS"', "Tea fails.")))


@pytest.mark.django_db
def test_the_command_says_what_became_of_the_headings(collection, tmp_path):
    path = tmp_path / "pubmed.xml"
    path.write_bytes(pubmed(article("1", *STRUCTURED)))
    text = StringIO()

    call_command("import_documents", "small", str(path), stdout=text)

    assert "labels from section headings in 1; headings without a label: FUNDING 1" in (
        text.getvalue()
    )
