"""Reasons are stored and released as codes, so that no byte of a release follows a page's words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.apps import apps
from django.db import IntegrityError, models, transaction

from adjudication.errors import BadRuling
from adjudication.models import Decision
from adjudication.services import Ruling
from release.gate import checks as gate
from release.gate.checks import CHECKS
from release.services import build_bundle
from release.snapshot import take_snapshot
from tests.support.factories import DocumentFactory, a_collection, a_query
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    judge_all,
)
from tests.support.releases import accepting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ACCEPT = accepting(["licence", "unopened-queries"])


def a_collection_with_every_reason():
    """Every kind of reason that a release can hold, and two exceptions to accept."""
    DocumentFactory.reset_sequence()  # so that two such collections have the same docnos
    collection = a_judged_collection(licence="")
    query = a_query(collection, size=1)
    pool = query.query_paper.pool
    for position, code in enumerate(("no-text", "never-judged"), start=2):
        document = DocumentFactory(collection=collection, docno=f"out-{code}")
        pool.candidates.create(document=document, position=position, excluded=code)
    type(pool).objects.filter(pk=pool.pk).update(frozen_at=pool.build.created_at)
    return collection


def bundle_of(collection):
    return build_bundle(take_snapshot(collection), "1.0", ACCEPT)


@pytest.fixture
def other_words(monkeypatch):
    """Every label of every choice, and every sentence of the gate, says something else."""

    def change():
        for model in apps.get_models():
            for field in model._meta.get_fields():
                if getattr(field, "choices", None):
                    changed = [(code, f"Changed {label}") for code, label in field.choices]
                    monkeypatch.setattr(field, "choices", changed)
        for choices in _subclasses(models.TextChoices):
            for member in choices:
                monkeypatch.setattr(member, "_label_", f"Changed {member.label}")
        for name, check in CHECKS.items():
            monkeypatch.setitem(gate.CHECKS, name, _reworded(check))

    return change


def _subclasses(kind):
    for found in kind.__subclasses__():
        yield found
        yield from _subclasses(found)


def _reworded(check):
    return replace(check, in_order="Changed", message="Changed", how_to_fix="Changed")


def test_no_word_of_a_page_is_in_the_bytes_of_a_release(other_words):
    collection = a_collection_with_every_reason()
    before = bundle_of(collection).content

    other_words()

    assert bundle_of(collection).content == before


def test_a_collection_made_under_other_words_gives_the_same_bytes(other_words):
    savepoint = transaction.savepoint()
    before = bundle_of(a_collection_with_every_reason()).content
    transaction.savepoint_rollback(savepoint)

    other_words()

    assert bundle_of(a_collection_with_every_reason()).content == before


# The rules


@pytest.mark.parametrize("reason", ["", "  ", "Two papers in one", "Garbled"])
def test_a_ruling_without_a_grade_has_a_code(reason):
    with pytest.raises(BadRuling):
        Ruling(reason=reason).check(highest_grade=3)


def test_the_database_refuses_a_reason_that_is_no_code():
    collection = an_opened_collection()
    judge_all(collection, GRADES)
    decide_all(collection, RULINGS)
    decision = Decision.objects.get(grade=None)
    decision.pk, decision.sequence, decision.reason = None, 2, "Two papers in one"
    decision.key = "12345678123456781234567812345678"

    with pytest.raises(IntegrityError, match="decision_reason_is_a_code"), transaction.atomic():
        decision.save(force_insert=True)


def test_the_database_refuses_an_exclusion_that_is_no_code():
    pool = a_query(a_collection(), size=1).query_paper.pool
    document = DocumentFactory(collection=pool.query_paper.collection)

    with (
        pytest.raises(IntegrityError, match="candidate_exclusion_is_a_code_insert"),
        transaction.atomic(),
    ):
        pool.candidates.create(document=document, position=2, excluded="too long")
    with (
        pytest.raises(IntegrityError, match="candidate_exclusion_is_a_code_update"),
        transaction.atomic(),
    ):
        pool.candidates.update(excluded="too long")
