"""The plans of docs/judging_plans.md on CSFCube: a second program gives the same figures."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command

from planning.double_judging.views import csfcube_figures
from scoring.baselines.services import make_baselines
from scoring.systems.lists import system_lines
from scoring.systems.services import RunPath, import_system
from tests.support import second_planner

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.by_day(2),
]

BASELINES = ("fabs_tfidf", "fabs_bm25", "fabs_log_tfidf", "facet_tfidf", "facet_bm25")


@pytest.fixture(scope="module")
def with_systems(released, rolled_back, csfcube):
    """The release with SPECTER's rankings and the baselines that are the same everywhere."""
    with rolled_back():
        folder = csfcube / "eval_scripts" / "sample_ranked_pools"
        files = [RunPath(path, path.name) for path in sorted(folder.iterdir())]
        import_system(collection=released, name="specter", files=files)
        make_baselines(collection=released, names=BASELINES)
        yield released


def compared(*arguments: str) -> dict:
    out = StringIO()
    call_command("compare_judging_plans", "csfcube", "--format", "json", *arguments, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.by_day(4, day=2)
@pytest.mark.parametrize(("model", "repetitions"), [("specter", 2), ("fabs_bm25", 1)])
def test_a_second_program_gives_the_same_figures(
    with_systems, csfcube, tmp_path, model, repetitions
):
    data = second_planner.Data(csfcube)
    for system in with_systems.systems.filter(name__in=BASELINES):
        path = tmp_path / f"{system.name}.run"
        path.write_text("".join(system_lines(system)))
        data.add_run(path)
    expected = second_planner.compare(data, model, repetitions)

    payload = compared("--model", model, "--repetitions", str(repetitions))

    assert payload["pairs"] == len(data.pairs) == 4039
    assert payload["systems"] == sorted(set(data.systems) - {model})
    found = {f"{row['strategy']} {row['budget']}": row["figures"] for row in payload["rows"]}
    assert found.keys() == expected.keys()
    for key, figures in found.items():
        for name, values in figures.items():
            assert values == pytest.approx(expected[key][name], abs=1e-9), (key, name)


@pytest.mark.by_day(8, day=1)
def test_the_figures_that_the_page_shows_are_those_of_the_release(with_systems):
    """Rounded to six digits, as the file has them."""
    payload = compared("--model", "specter")
    stored = csfcube_figures()

    assert {key: value for key, value in payload.items() if key != "rows"} == {
        key: value for key, value in stored.items() if key != "rows"
    }
    for row, expected in zip(payload["rows"], stored["rows"], strict=True):
        assert (row["strategy"], row["budget"]) == (expected["strategy"], expected["budget"])
        for name, values in row["figures"].items():
            assert values == pytest.approx(expected["figures"][name], abs=1e-6), (row, name)
