"""Significance, pool bias and baselines through the API."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command

from jobs import services
from jobs.models import Job

WHERE = "/api/v1/collections/small/"


def significance(admin, query: str = "") -> dict:
    answer = admin.get(f"{WHERE}significance/{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_systems_are_compared_as_the_command_compares_them(world, admin, capsys):
    answer = significance(admin, "?baseline=secret-system&all_pairs=true")

    arguments = ("--baseline", "secret-system", "--measure", answer["measure"])
    call_command("compute_significance", "small", *arguments, "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    assert {"collection": "small", **answer} == printed
    assert {row["system"] for row in answer["systems"]} == {"secret-retriever", "secret-system"}


def test_without_parameters_it_is_what_the_page_opens_with(world, admin):
    answer = significance(admin)

    assert (answer["measure"], answer["facet"], answer["all_pairs"]) == ("nDCG@10", "all", [])
    assert answer["baseline"] in {"secret-retriever", "secret-system"}
    assert answer["out_of_date"] == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?measure=Speed", 'Unknown measure "Speed"'),
        ("?baseline=bm26", 'Unknown baseline "bm26"'),
        ("?facet=colour", 'Unknown facet "colour"'),
    ],
)
def test_an_unknown_choice_is_refused_with_the_known_ones(query, words, world, admin):
    refused = admin.get(f"{WHERE}significance/{query}")

    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_choice")
    assert words in refused.json()["detail"]


def test_the_report_on_pool_bias_is_the_stored_one(world, admin):
    answer = admin.get(f"{WHERE}pool-bias/").json()

    assert answer["up_to_date"] is True
    assert answer["paragraph"] == answer["report"]["paragraph"]
    assert {row["source"] for row in answer["report"]["sources"]} >= {"secret-retriever"}


def test_the_report_on_pool_bias_says_what_changed_and_is_computed_again(world, admin):
    world.system.delete()
    assert admin.get(f"{WHERE}pool-bias/").json()["changed"] == "the lists of systems"

    asked = admin.post(f"{WHERE}pool-bias/", {"leave_out": ["secret-retriever"]}, format="json")

    assert (asked.status_code, asked.json()["kind"]) == (202, "pool_bias")
    services.run(asked.json()["id"])
    answer = admin.get(f"{WHERE}pool-bias/").json()
    assert answer["up_to_date"] is True
    assert answer["report"]["leave_out"] == ["secret-retriever"]


def test_a_report_with_other_sources_waits_for_the_one_in_progress(world, admin):
    admin.post(f"{WHERE}pool-bias/", {"leave_out": ["a"]}, format="json")

    refused = admin.post(f"{WHERE}pool-bias/", {"leave_out": ["b"]}, format="json")

    assert (refused.status_code, refused.json()["code"]) == (409, "busy")
    assert Job.objects.filter(kind="pool_bias").count() == 1


def test_the_report_is_not_found_before_it_is_computed(world, admin):
    world.collection.stored_reports.filter(kind="pool_bias").delete()

    assert admin.get(f"{WHERE}pool-bias/").status_code == 404


def test_baselines_are_listed_with_their_systems_and_made(world, admin):
    before = {row["name"]: row for row in admin.get(f"{WHERE}baselines/").json()["results"]}

    asked = admin.post(f"{WHERE}baselines/", {"names": ["fabs_bm25"]}, format="json")
    services.run(asked.json()["id"])

    assert before["fabs_bm25"]["systems"] == []
    assert before["sentences"]["needs_encoder"] is True
    assert before["facet_bm25"]["variant"] is True
    assert asked.status_code == 202
    after = {row["name"]: row for row in admin.get(f"{WHERE}baselines/").json()["results"]}
    assert after["fabs_bm25"]["systems"] == [{"name": "fabs_bm25", "current": True}]
    assert world.collection.systems.filter(name="fabs_bm25", kind="baseline").exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"names": ["fabs_bm26"]}, 400),
        ({"names": ["sentences"]}, 400),
        ({"names": ["sentences"], "encoder": "/etc"}, 400),
        ({"distance": "manhattan"}, 400),
    ],
)
def test_baselines_that_cannot_be_made_are_refused(body, status, world, admin):
    assert admin.post(f"{WHERE}baselines/", body, format="json").status_code == status
    assert not Job.objects.filter(kind="make_baselines").exists()
