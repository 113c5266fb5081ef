"""MDCR's pools scored by citations."""

from __future__ import annotations

import json

import ir_measures
import pytest
from django.core.management import CommandError, call_command

from evaluation.mdcr import ALL, MEAN, score_pools

POOLS = {
    "Art": {"q1": {"bm25": ["a", "b"], "random": ["c"], "true": ["x", "y"]}},
    "Biology": {"q2": {"bm25": ["a"], "random": ["c", "x"], "true": ["x"]}, "q3": {"bm25": ["b"], "true": ["z"]}},
}
# b and y are equal in float32, so the later docno comes first. x of q2 is random, too: it is cited.
SCORES = {
    **{"q1_a": 3, "q1_x": 2, "q1_b": 1.0, "q1_y": 1.00000001, "q1_c": 0},
    **{"q2_a": 1, "q2_c": 3, "q2_x": 2},
    **{"q3_b": 1, "q3_z": 2},
}


@pytest.fixture
def files(tmp_path):
    for name, value in (("pools", POOLS), ("scores", SCORES)):
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    return tmp_path


def test_fields_are_averaged_over_queries_and_types_are_scored_with_what_is_cited():
    table = score_pools(POOLS, SCORES)
    map_of = table["AP"].to_dict()
    assert map_of[ALL, "Art"] == pytest.approx(100 * (1 / 2 + 2 / 3) / 2, abs=1e-4)
    assert map_of[ALL, "Biology"] == pytest.approx(100 * (1 / 2 + 1) / 2)
    assert map_of[ALL, MEAN] == pytest.approx((58.3333 + 75) / 2, abs=1e-4)
    assert map_of["bm25", "Biology"] == 100
    assert map_of["random", "Biology"] == 50  # q3 has no random candidates
    assert {kind for kind, _ in map_of} == {ALL, "bm25", "random"}


def test_figures_are_those_of_trec_eval():
    qrels = {"q1": {"a": 0, "b": 0, "c": 0, "x": 1, "y": 1}}
    run = {"q1": {docno: SCORES[f"q1_{docno}"] for docno in qrels["q1"]}}
    expected = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.nDCG, ir_measures.R @ 5], qrels, run)
    found = score_pools({"Art": POOLS["Art"]}, SCORES).loc[(ALL, "Art")]
    assert found.to_dict() == pytest.approx({str(name): 100 * value for name, value in expected.items()}, abs=1e-4)


def test_the_command_prints_a_row_for_each_type_and_field(files, capsys):
    call_command("score_mdcr", files / "pools.json", files / "scores.json")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 3 * 3
    assert lines[3].startswith(f"{ALL}\t{MEAN}\t66.6666\t")  # of rounded figures, as the published script does


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("scores", {"q1_a": 1}, "Art, q1: 4 pairs have no score, such as 'q1_b'"),
        ("scores", SCORES | {"q1_a": "high"}, "q1_a"),
        ("pools", {"Art": {"q1": {"bm25": ["a"]}}}, "Art, q1: no candidate is “true”"),
        ("pools", {"Art": ["q1"]}, "Art"),
        ("pools", [], "JSON object"),
    ],
)
def test_files_that_do_not_fit_are_refused(files, name, value, error):
    (files / f"{name}.json").write_text(json.dumps(value))
    with pytest.raises(CommandError, match=error):
        call_command("score_mdcr", files / "pools.json", files / "scores.json")
