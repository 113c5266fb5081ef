"""The content of a public page, without a database."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from agreement.coefficients import COEFFICIENTS
from bundle.citation_page import Addresses, PublicPage, page_content
from bundle.licences import SPDX_IDENTIFIERS, licence_url
from dashboard.settings.forms import LICENCES

KEYS = [coefficient.key for coefficient in COEFFICIENTS]


def facet_counts(pairs: int = 5, labels: int = 4) -> dict[str, Any]:
    return {"pairs_judged": pairs, "labels": labels, "queries": 2, "labels_by_grade": {}}


def manifest(**changes: Any) -> dict[str, Any]:
    return {
        "software": {"version": "0.1.0"},
        "collection": {
            "name": "Papers",
            "description": "",
            "licence": "MIT",
            "corpus_licence": "",
            "facets": ["method", "background"],
            "relevant_from": 2,
        },
        "options": {"labels": "judged"},
        "folds": None,
        "scopes": [],
        "counts": {
            "queries_labelled": 2,
            "pooled_documents": 9,
            "labels": 8,
            "facets": {"background": facet_counts(), "method": facet_counts(7)},
        },
        "sample": None,
        "accepted": [],
        "files": {"trec/qrels.all.txt": {}},
        **changes,
    }


def row(stage: str = "pre", keys: list[str] = KEYS, **changes: Any) -> dict[str, Any]:
    medians = dict.fromkeys(keys, -0.25)
    return {
        "facet": "method",
        "stage": stage,
        "queries": 2,
        "pairs": 7,
        "median": medians,
    } | changes


def page(agreement: list[dict[str, Any]] | None = None, **changes: Any) -> PublicPage:
    content = page_content(manifest(**changes), agreement or [])
    return PublicPage(
        content=json.loads(json.dumps(content)),
        slug="papers",
        version="1.0",
        published_on=date(2026, 11, 22),
        sha256="a" * 64,
        size=2048,
        addresses=Addresses("https://x/releases/papers/1.0/", "https://x/p.zip", "https://x/r/"),
    )


def test_facets_keep_the_order_of_the_collection():
    assert [facet for facet, _ in page().facets] == ["method", "background"]


def test_every_pair_has_two_judgments():
    assert (page().pairs, page().judgments) == (12, 24)


def test_without_a_description_the_sizes_describe_the_release():
    assert page().description == (
        "A test collection for information retrieval with 2 queries, 9 pooled candidates and "
        "8 relevance labels."
    )


def test_medians_have_a_real_minus_sign_and_an_undefined_one_says_so():
    (line,) = page([row(median={**dict.fromkeys(KEYS, -0.25), KEYS[0]: None})]).agreement

    assert line.medians[:2] == ["undefined", "−0.25"]
    assert line.stage == "before"


def test_a_facet_without_judged_queries_is_left_out():
    assert page([row(queries=0)]).agreement == []


def test_a_bundle_without_a_newer_coefficient_shows_those_that_it_has():
    shown = page([row(keys=KEYS[:2])])

    assert [coefficient.key for coefficient in shown.coefficients] == KEYS[:2]
    assert len(shown.agreement[0].medians) == 2


def test_code_for_a_sample_computes_no_ordinary_measure():
    codes, sampled = (
        "".join(command.code for command in found.loading.commands)
        for found in (page(), page(sample={"query_papers": 1}))
    )

    assert "nDCG" in codes
    assert "nDCG" not in sampled


def test_without_a_licence_the_dataset_claims_none():
    unlicensed = {**manifest()["collection"], "licence": ""}

    assert "license" not in page(collection=unlicensed).dataset("Server")


def test_accepted_exceptions_are_sentences_without_their_items():
    accepted = [
        {"check": "unresolved", "count": 2, "items": ["secret-query d1"], "reason": "No time."}
    ]

    content = page_content(manifest(accepted=accepted), [])

    assert content["exceptions"] == [
        "Disputed pairs without a decision: 2. They are left out. Reason: No time."
    ]
    assert "secret-query" not in json.dumps(content)


@pytest.mark.parametrize("licence", LICENCES)
def test_every_suggested_licence_has_a_text_to_read(licence):
    assert licence in SPDX_IDENTIFIERS
    assert licence_url(licence).startswith("https://spdx.org/licenses/")


def test_a_licence_in_other_words_gets_no_link():
    assert licence_url("ask us") == ""


def test_the_dataset_names_both_licences_if_they_differ():
    changed = manifest()["collection"] | {"corpus_licence": "CC-BY-4.0"}

    assert page(collection=changed).dataset("Server")["license"] == [
        licence_url("MIT"),
        licence_url("CC-BY-4.0"),
    ]
