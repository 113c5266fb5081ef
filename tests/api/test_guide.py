"""The scripts in docs/api.md do what the guide says."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import resolve

from adjudication.models import Decision
from annotation.models import Opening, Slot
from annotation.services import set_up_collection
from tests.conftest import ROOT
from tests.support.factories import UserFactory, member
from tests.support.page_scripts import scripts_of
from tests.support.study_scenes import attach_full_texts

GUIDE = (ROOT / "docs" / "api.md").read_text()
PREPARE, BUILD, JUDGE, ADJUDICATE, PUBLISH, COMPARE, STUDY = re.findall(
    r"```python\n(.*?)```", GUIDE, flags=re.DOTALL
)


@pytest.fixture
def run_as(live_server, monkeypatch, tmp_path):
    return scripts_of("docs/api.md", live_server.url, tmp_path, monkeypatch)


@pytest.mark.django_db(transaction=True)
def test_the_scripts_lead_from_a_file_to_a_release(run_as, tmp_path):
    owner = UserFactory(username="owner")
    papers = set_up_collection(slug="papers", name="Papers", owner=owner, licence="CC0-1.0")
    for annotator in ("ann1", "ann2"):
        member(papers, "annotator", annotator)
    member(papers, "adjudicator", "adju")
    (tmp_path / "corpus.jsonl").write_text("".join(map(line, range(1, 6))))

    run_as("owner", PREPARE)
    run_as("owner", BUILD)
    run_as("ann1", JUDGE)
    run_as("ann2", JUDGE.replace("return 1 if", "return 2 if"))
    run_as("adju", ADJUDICATE)
    run_as("owner", PUBLISH)
    run_as("owner", COMPARE)
    attach_full_texts(*papers.documents.all())
    run_as("owner", STUDY)

    assert not Slot.objects.of(papers).unjudged().exists()
    decisions = Decision.objects.filter(pair__query__collection=papers)
    assert {decision.grade for decision in decisions} == {2}
    assert papers.saved_plans.get().name == "Pilot"
    opening = Opening.objects.of(papers).get()
    assert opening.guideline.grades[3]["example"].startswith("Both rank papers")
    assert set(papers.systems.filter(kind="baseline").values_list("name", flat=True)) == {
        "fabs_bm25",
        "facet_tfidf",
    }
    assert papers.stored_reports.get(kind="pool_bias").parameters["leave_out"] == ["bm25_title"]
    assert papers.studies.get().pairs.count() == 2
    assert (tmp_path / "papers-1.0.zip").stat().st_size == papers.releases.get().size


def line(number: int) -> str:
    sentences = [f"We rank paper {number} by its title.", "It works."]
    document = {"docno": f"p{number}", "title": f"Ranking papers, part {number}"}
    return json.dumps({**document, "sentences": sentences, "labels": ["method", "result"]}) + "\n"


def test_every_address_of_the_guide_exists():
    addresses = re.findall(r"^api papers/(\S*)", GUIDE, flags=re.MULTILINE)
    addresses += [
        re.sub(
            "<id>", "00000000-0000-0000-0000-000000000000", re.sub("<(?!id)[^>]+>", "1", address)
        )
        for row in re.findall(r"^\|[^|]+\|([^|]+)\|", GUIDE, flags=re.MULTILINE)
        for address in re.findall(r"`((?!collections)[a-z]+/[^`]*)`", row)
    ]

    assert len(addresses) >= 30
    for address in addresses:
        path = address.partition("?")[0]
        assert resolve(f"/api/v1/collections/papers/{path}").url_name != "api-nowhere"
