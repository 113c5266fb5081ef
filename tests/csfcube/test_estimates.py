"""Intervals from few people's labels and a model's, over draws of CSFCube's queries."""

from __future__ import annotations

import json
import math

import pytest
from django.core.management import call_command

from evaluation.prediction_powered.limits import reason_against
from evaluation.prediction_powered.reference_models import REFERENCE_MODELS
from scoring.systems.services import RunPath, import_system

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]
DRAWS = 300
# docs/prediction_powered.md has 93 % to 97 % for 1,000 draws; three standard deviations for these.
TOLERANCE = 3 * math.sqrt(0.95 * 0.05 / DRAWS)


@pytest.fixture
def specter(released, csfcube):
    folder = csfcube / "eval_scripts" / "sample_ranked_pools"
    files = [RunPath(path, path.name) for path in sorted(folder.iterdir())]
    return import_system(collection=released, name="specter", files=files)


def simulated(capsys, *options: str) -> list[dict]:
    arguments = ("--draws", str(DRAWS), "--seed", "csfcube", "--format", "json")
    call_command("simulate_estimates", "csfcube", *arguments, *options)
    return json.loads(capsys.readouterr().out)


def test_intervals_contain_the_score_of_specter_whatever_the_model_is(specter, capsys):
    measures = ("NDCG%20", "nDCG@10", "RBP(rel=2)")
    options = [part for measure in measures for part in ("--measure", measure)]
    sizes = ("--queries", "16", "--queries", "24")
    rows = simulated(capsys, *options, *sizes)
    assert len(rows) == len(measures) * len(REFERENCE_MODELS) * 2
    for row in rows:
        assert row["not_offered"] == ""
        assert 0.93 - TOLERANCE <= row["coverage_powered"] <= 0.97 + TOLERANCE, row


def test_a_person_as_the_model_saves_judging_and_useless_models_save_none(specter, capsys):
    rows = {row["model"]: row for row in simulated(capsys, "--queries", "16")}
    assert rows["annotator-1"]["width"] < 0.8
    assert rows["annotator-1"]["saved"][1] >= 3
    for model in ("random", "constant"):
        assert rows[model]["width"] > 1
        assert rows[model]["saved"][1] == 0


def test_measures_whose_intervals_are_too_narrow_are_not_offered(specter, capsys):
    options = ("--measure", "RP", "--model", "noisy", "--queries", "24")
    (row,) = simulated(capsys, *options)
    assert row["coverage_powered"] < 0.93
    assert row["not_offered"] == reason_against(24, 9, "RP") != ""
