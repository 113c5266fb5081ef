"""CSFCube's own way, from abstracts without labels to pages with the facet's sentences in bold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from accounts.models import Collection, Role
from annotation.models import Slot
from corpus.digests import json_digest
from corpus.models import Document
from corpus.ordering import order_key
from csfcube.readable_annotations import read_papers
from curation.checking.services import check_labels, record_of, state_digest
from curation.screening.services import Verdict, save_screening, types_in
from tests.support.factories import a_collection, member
from tests.support.judging_page import log_in

pytestmark = [
    pytest.mark.by_day(4, day=1),
    pytest.mark.browser,
    pytest.mark.csfcube,
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]

BY_KEYS = 15  # papers that are screened in the browser; the page is the same for the others


@pytest.fixture
def collection(csfcube: Path, tmp_path: Path) -> Collection:
    """CSFCube's abstracts as plain text, imported into a new collection."""
    collection = a_collection("raw", seed="raw")
    papers = {
        paper.pid: paper
        for path in sorted((csfcube / "readable_annotations").iterdir())
        for paper in read_papers(path.read_text(encoding="utf-8"), path.name)
    }
    lines = (
        {"docno": pid, "title": paper.title, "abstract": " ".join(paper.sentences)}
        | ({"year": paper.year} if paper.year else {})
        for pid, paper in papers.items()
    )
    path = tmp_path / "raw.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_command("import_documents", "raw", str(path))
    return collection


def press_choices(page: Page, choices: list[Locator]) -> None:
    for choice in choices:
        page.keyboard.press(choice.get_attribute("data-key"))


FACET_LABELS = {
    "background": {"background", "objective"},
    "method": {"method"},
    "result": {"result"},
}


def verdict_on(document: Document, types: list[str]) -> Verdict:
    """As the docno decides, with the facets that the labels have."""
    number = int(order_key("screening", "", "", document.docno), 16)
    facets = [facet for facet, labels in FACET_LABELS.items() if labels & set(document.labels)]
    return Verdict(types[number % 5], 3 + number % 3, tuple(facets))


def screen(page: Page, verdicts: list[tuple[Document, Verdict]]) -> None:
    """Answer each paper's page by its keys."""
    for document, verdict in verdicts:
        expect(page.locator(".paper h2")).to_have_text(document.title)
        page.clock.run_for(1_000)
        choices = [("paper_type", verdict.paper_type)]
        choices += [("facets", facet) for facet in verdict.facets]
        press_choices(
            page, [page.locator(f'[name={name}][value="{value}"]') for name, value in choices]
        )
        page.keyboard.press(str(verdict.rating))
        address = page.url
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, address=address: url != address)


def check_query_papers(collection: Collection, person) -> None:
    for paper in collection.query_papers.select_related("document"):
        document = paper.document
        seen = state_digest(document, record_of(document))
        check_labels(document=document, labels=document.labels, checked_by=person, seen=seen)


def test_raw_abstracts_become_labelled_sampled_screened_and_chosen_queries(
    collection, page, context, live_server, capsys
):
    call_command("label_sentences", "raw")
    documents = collection.documents.with_text()
    assert documents.count() == collection.label_records.unchecked().count() > 3_000

    options = ["--periods", "5", "--years", "1995-2019", "--per-stratum", "20", "--seed", "1"]
    call_command("draw_sample", "raw", "--strata", "period", *options, "--name", "first")
    papers = list(collection.samples.get().papers.select_related("document"))
    drawn = sorted(paper.document.docno for paper in papers)
    assert set(Counter(paper.stratum["period"] for paper in papers).values()) == {20}
    # The same on each database and machine.
    assert json_digest(drawn)[:12] == "e2b7c5bab39b"

    curator = member(collection, Role.CURATOR, "cora")
    log_in(context, live_server, curator)
    page.clock.install()
    page.goto(live_server.url + reverse("screen-sample", args=["raw", "first"]))
    types = [paper_type.key for paper_type in types_in(collection)]
    verdicts = [(paper.document, verdict_on(paper.document, types)) for paper in papers]
    for paper, (_, verdict) in zip(papers[BY_KEYS:], verdicts[BY_KEYS:], strict=True):
        save_screening(paper=paper, screener=curator, verdict=verdict)
    screen(page, verdicts[:BY_KEYS])
    expect(page.locator("main")).to_contain_text("100")

    choose = ["--sample", "first", "--papers", "34", "--two-facets", "16", "--seed", "1"]
    call_command("choose_queries", "raw", *choose, "--apply")
    assert (collection.query_papers.count(), collection.queries.count()) == (34, 50)
    by_facet = Counter(collection.queries.values_list("facet__key", flat=True))
    assert sorted(by_facet.values()) == [16, 17, 17]

    call_command("build_pools", "raw", "--run", "bm25_abstract", "--n", "3", "--depth", "20")
    with pytest.raises(CommandError, match="unchecked"):
        call_command(
            "open_queries", "raw", "--queries", *collection.queries.values_list("name", flat=True)
        )
    check_query_papers(collection, curator)
    call_command("open_queries", "raw", "--all")

    query = collection.queries.select_related("query_paper__document", "facet").first()
    slot = Slot.objects.filter(pair__query=query).select_related("annotator").first()
    log_in(context, live_server, slot.annotator)
    page.goto(live_server.url + reverse("judge-query", args=["raw", query.name]))
    bold = page.locator(".query .in-facet").all_inner_texts()
    expected = query.query_paper.document.sentences_of(query.facet)
    assert [" ".join(text.split()) for text in bold] == [" ".join(s.split()) for s in expected]
