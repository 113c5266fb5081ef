"""The page of a shadow judge, its family, and its repeated answers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from django.conf import settings

from accounts.locking import CollectionArchived
from annotation.models import Pair
from dashboard.settings.archiving import archive_collection
from evaluation.label_effects.services import ShadowJudgeReport
from evaluation.shadow_judges.services import (
    UnknownFamily,
    family_names,
    name_family,
)
from reports.services import changed_since, compute_report
from tests.support.asking_scenes import an_answer, an_asking
from tests.support.label_scenes import a_shadow_judge, two_systems
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def judged():
    collection = a_judged_collection()
    two_systems(collection)
    a_shadow_judge(collection, Path(settings.DATA_DIR))
    return collection


@pytest.fixture
def reader(judged):
    return client_of("admin")


def computed(collection, name: str = "model"):
    return compute_report(ShadowJudgeReport("NDCG%100", name), collection=collection)


def page_of(reader, name: str = "model") -> str:
    return text_of(reader.get(address("shadow-judge", name)))


def test_a_page_says_of_few_pairs_that_nothing_can_be_said(reader, judged):
    computed(judged)
    page = page_of(reader)
    assert "cannot be said: 7 of at least 30 pairs" in page
    assert "Parts of the pairs: cannot be said" in page
    for title in ("Agreement on parts", "Grade by grade", "Preference for a family", "Rankings of"):
        assert title in page
    assert "Self-consistency" not in page  # it was imported
    assert queries_of(reader, address("shadow-judge", "model")) < 40


@pytest.mark.parametrize(
    "figure", ["model-parts", "model-recall", "model-preference", "model-decisions"]
)
def test_each_figure_is_a_picture_and_a_table(reader, judged, figure):
    computed(judged)
    page = reader.get(address("shadow-judge", "model")).text
    for extension in ("svg", "csv"):
        url = address("shadow-judge-figure", "model", figure, extension)
        assert url in page
        assert reader.get(url).status_code == 200
    rows = list(csv.reader(io.StringIO(reader.get(url).text)))
    assert len(rows) > 1
    assert len({len(row) for row in rows}) == 1


def test_the_table_of_parts_has_every_coefficient_with_the_numbers_of_pairs(reader, judged):
    report = computed(judged)
    url = address("shadow-judge-figure", "model", "model-parts", "csv")
    rows = list(csv.DictReader(io.StringIO(reader.get(url).text)))
    assert len(rows) == 4 * len(report.payload["worth"]["slices"])
    (whole,) = (row for row in rows if (row["part"], row["coefficient"]) == ("all", "α"))
    assert (whole["pairs"], whole["queries"], whole["difference"]) == ("7", "3", "")
    assert whole["cannot be said"] == "7 of at least 30 pairs"


def test_the_decisions_stand_beside_those_of_the_annotators(reader, judged):
    computed(judged)
    url = address("shadow-judge-figure", "model", "model-decisions", "csv")
    rows = list(csv.DictReader(io.StringIO(reader.get(url).text)))
    assert [row["labels"] for row in rows] == ["annotator 1", "annotator 2", "the model"]
    assert rows[-1]["τ"] == "-1.0"
    assert rows[-1]["largest moves"] == "good from rank 1 to 2; bad from rank 2 to 1"


def test_a_family_is_named_on_the_page_and_changed_at_any_time(reader, judged):
    report = computed(judged)
    url = address("choose-shadow-judge-family", "model")
    assert "Name the family of the model" in page_of(reader)
    source = family_names(judged)[-1]
    page = text_of(reader.post(url, {"family": source}, follow=True))
    assert f"The family is {source}." in page
    assert f"Whether the model prefers what {source} found cannot be said" in page
    report.refresh_from_db()
    assert not changed_since(report)
    assert "Unknown family" in text_of(reader.post(url, {"family": "nope"}, follow=True))
    assert judged.shadow_judges.get().family == source
    reader.post(url, {"family": ""})
    assert judged.shadow_judges.get().family == ""


def test_a_family_is_named_in_the_api(reader, judged):
    url = address("api-shadow-judge", "model")
    answer = reader.post(url, {"family": "dense"}, content_type="application/json")
    assert (answer.status_code, answer.json()["family"]) == (200, "dense")
    assert reader.get(url).json()["family"] == "dense"
    refused = reader.post(url, {"family": "sparse"}, content_type="application/json")
    assert refused.status_code == 400
    assert "Unknown family" in refused.text
    assert judged.shadow_judges.get().family == "dense"


def test_a_family_is_one_of_the_collection_and_needs_a_collection_in_use(judged):
    with pytest.raises(UnknownFamily, match="Use one of: lexical, dense, citation, "):
        name_family(collection=judged, name="model", family="sparse")
    archive_collection(collection=judged)
    with pytest.raises(CollectionArchived):
        name_family(collection=judged, name="model", family="dense")


def test_the_repeated_answers_of_an_asked_model_are_compared(reader, judged):
    asking = an_asking(judged)
    pairs = list(Pair.objects.of(judged).judged().order_by("pk"))
    for number, pair in enumerate(pairs):
        an_answer(asking, pair, grade=number % 4)
        an_answer(asking, pair, repetition=2, grade=number % 4)
        if number:
            an_answer(asking, pair, swapped=True, grade=number % 4)
        else:
            an_answer(asking, pair, swapped=True, grade=None, problem="no-grade")
    model = computed(judged, "asked").payload["self_consistency"]["model"]
    assert (model["answers"], model["without_grade"]) == (3 * len(pairs), 1)
    assert model["problems"] == {"no-grade": 1}
    assert (model["pairs_repeated"], model["answers_swapped"]) == (len(pairs), len(pairs) - 1)
    page = page_of(reader, "asked")
    assert f"Self-consistency over repetitions cannot be said: {len(pairs)} of at least" in page
    assert f"1 of {3 * len(pairs)} answers have no grade: no grade in the form" in page
    assert (
        address("shadow-judge-figure", "asked", "model-repeats", "csv")
        in reader.get(address("shadow-judge", "asked")).text
    )


def test_the_report_is_out_of_date_after_a_change_of_what_it_divides_by(judged):
    report = computed(judged)
    judged.samples.create(name="periods", strata=["period"], periods=[[1990, 1999]], per_stratum=1)
    assert changed_since(report) == "the periods of the samples"
    payload = computed(judged).payload
    keys = [row["key"] for row in payload["worth"]["slices"] if row["dimension"] == "year"]
    assert keys == [] or keys[0] == "1990-1999"
