"""Scores under citations, from the documented command to the pages."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Role
from bundle.options import LabelSource, ReleaseOptions
from evaluation.leaderboard.rows import leaderboard, usual_place
from release.services import publish_release
from scoring.measures.profiles import MDCR, profile_of
from scoring.results import measures_of, scored_sources
from scoring.services import evaluate, out_of_date
from tests.support.citation_scenes import MODELS, OTHERS, an_mdcr_collection
from tests.support.factories import member
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

SYSTEMS = {*MODELS, *OTHERS, "sampled"}  # the last is the run of the known positives


@once_a_file
def mdcr():
    collection = an_mdcr_collection()
    member(collection, "admin", Role.ADMIN)
    return collection


def rows(capsys, *arguments: str) -> dict[str, dict]:
    call_command("score_systems", *arguments, "--format", "json")
    report = json.loads(capsys.readouterr().out)
    return {
        system["system"]: {
            (row.get("field", ""), row.get("candidates", "")): row["measures"]
            for row in system["rows"]
        }
        for system in report["systems"]
    }


@pytest.mark.parametrize("source", ["citations", "release:1.0"])
def test_all_systems_are_scored_without_naming_one(mdcr, capsys, source):
    citations = ReleaseOptions(labels=LabelSource.CITATIONS)
    publish_release(collection=mdcr, version="1.0", options=citations)
    found = rows(capsys, mdcr.slug, "--profile", "mdcr", "--qrels", source)

    assert found.keys() == SYSTEMS
    for by_place in found.values():
        assert ("mean over fields", "all") in by_place


def test_final_labels_must_be_there_if_they_are_asked_for(mdcr):
    with pytest.raises(CommandError, match="has a final label"):
        call_command("score_systems", mdcr.slug, "--profile", "mdcr")


def test_the_page_ranks_by_the_commands_mean_over_fields(mdcr, capsys):
    printed = rows(capsys, mdcr.slug, "--profile", "mdcr", "--qrels", "citations")
    profile = profile_of(MDCR, 1)
    board = leaderboard(mdcr, profile, usual_place(profile), "AP", "citations")

    assert scored_sources(mdcr) == ["citations"]
    for line in board:
        mean = printed[line.name]["mean over fields", "all"]
        assert line.row.measures == pytest.approx(mean)
    client = client_of("admin")
    page = client.get(f"/c/{mdcr.slug}/evaluation/?profile=mdcr").content.decode()
    best = board[0].row.measures["AP"]
    assert f"{100 * best:.2f}" in page
    for choice in ("mean over fields", "Biology", "Physics", *MODELS, *OTHERS):
        assert choice in page
    biology = client.get(f"/c/{mdcr.slug}/evaluation/?profile=mdcr&field=Biology&split=all")
    expected = printed[board[0].name]["Biology", "all"]["AP"]
    assert f"{100 * expected:.2f}" in biology.content.decode()


def test_significance_and_the_api_know_scores_under_citations(mdcr, capsys):
    evaluate(collection=mdcr, source="citations")
    client = client_of("admin")

    assert measures_of(mdcr, source="citations")[:2] == ["RP(rel=1)", "P(rel=1)@20"]
    page = client.get(f"/c/{mdcr.slug}/evaluation/comparison/").content.decode()
    assert MODELS[0] in page
    address = f"/api/v1/collections/{mdcr.slug}/evaluation/?profile=mdcr&qrels=citations"
    answer = client.get(address).json()
    assert (answer["relevant_from"], answer["scope"]) == (1, "closed")
    arguments = ("--measure", "AP (mdcr)", "--baseline", MODELS[0], "--format", "json")
    call_command("compute_significance", mdcr.slug, *arguments)
    assert json.loads(capsys.readouterr().out)["queries"] == 3


def test_scores_under_citations_are_out_of_date_when_pools_change(mdcr):
    evaluate(collection=mdcr, source="citations")
    assert out_of_date(mdcr, "citations") == []
    document = mdcr.documents.order_by("pk").first()
    mdcr.corpus_version += 1
    mdcr.save()

    assert document is not None
    assert len(out_of_date(mdcr, "citations")) == len(SYSTEMS)
