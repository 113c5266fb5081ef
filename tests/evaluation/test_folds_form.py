"""The form of the leaderboard that changes the folds, and the finding that links it."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from adjudication.models import JudgmentImport
from scoring.computation import folds_of
from scoring.labels import query_facets
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of

SPLITS = {
    "background": {"fold1_dev": [], "fold1_test": ["q1_background"]},
    "method": {"fold1_dev": ["q2_method"], "fold1_test": ["q1_method"]},
}
OF_OTHERS = '{"method": {"fold1_dev": [], "fold1_test": ["q9"]}}'


@pytest.fixture
def collection(db):
    return a_judged_collection()


@pytest.fixture
def admin(collection):
    return client_of("admin")


def file_of(content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("splits.json", content.encode())


def origin(collection) -> tuple[int, str]:
    folds = folds_of(collection, query_facets(collection))
    return folds.count, folds.origin


def test_an_admin_imports_folds_and_makes_others(collection, admin):
    assert origin(collection) == (2, "made from the seed")

    answer = admin.post(address("change-folds"), {"file": file_of(json.dumps(SPLITS))})
    assert answer.url == address("leaderboard")
    assert origin(collection) == (1, "imported from splits.json")

    admin.post(address("change-folds"), {"number": "0"})
    assert origin(collection) == (0, "")


@pytest.mark.parametrize(
    ("sent", "field", "error"),
    [
        ({}, "number", "Choose a file, or enter a number"),
        (
            {"number": "3", "file": file_of(json.dumps(SPLITS))},
            "number",
            "Choose a file, or enter a number",
        ),
        ({"number": "21"}, "number", "less than or equal to 20"),
        ({"file": file_of("[]")}, "file", "splits.json: must be an object"),
        (
            {"file": file_of('{"method": {"fold1_dev": [], "fold1_test": ["q9"]}}')},
            "file",
            "tests none of the queries",
        ),
    ],
)
def test_a_refused_form_is_open_with_its_error_and_the_folds_stay(
    collection, admin, sent, field, error
):
    refused = admin.post(address("change-folds"), sent)

    assert refused.status_code == 422
    assert '<div class="dialog-open" id="folds-form"' in refused.text
    assert error in refused.text
    assert list(refused.context["folds_form"].errors) == [field]
    assert origin(collection) == (2, "made from the seed")


def test_the_finding_about_made_folds_opens_the_form(collection, admin):
    JudgmentImport.objects.create(
        collection=collection, files={"a.csv": "0" * 64}, judgments=18, decisions=4
    )
    link = f"{address('leaderboard')}?change=folds"

    assert f'href="{link}"' in admin.get(address("releases")).text
    assert '<div class="dialog-open" id="folds-form"' in admin.get(link).text
    assert '<dialog popover id="folds-form"' in admin.get(address("leaderboard")).text
