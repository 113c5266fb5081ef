"""The choice of queries as rows, pages and a command."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from corpus.models import QueryPaper
from corpus.services import create_query
from corpus.text.query_facts import facts_of
from curation.choice.plan import ChoiceError, ChoicePlan
from curation.choice.services import AlreadyApplied, ChoiceChanged, apply_choice, compute_choice
from tests.support.factories import a_collection
from tests.support.screened_samples import a_screened_sample
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def sample():
    return a_screened_sample(a_collection())


@pytest.fixture
def collection(sample):
    return sample.collection


@pytest.fixture
def admin(sample):
    return client_of("admin")


def plan(**changes):
    values = {"sample": "first", "numbers": (3, 3), "least_rating": 3, "seed": "s"}
    return ChoicePlan(**{**values, **changes})


def docnos(choice):
    return [row["docno"] for row in choice.result["papers"]]


def test_applying_creates_the_queries_that_were_shown_and_keeps_why(collection, sample):
    earlier = create_query(collection=collection, docno="p0", facet_key="method")
    choice = compute_choice(collection=collection, plan=plan(pins={"p2": ("result",)}))
    assert compute_choice(collection=collection, plan=plan(pins={"p2": ("result",)})) == choice
    # The same on each database.
    assert choice.name == "58fdf479ce34"
    assert {"p0", "p2"} < set(docnos(choice))
    created = apply_choice(choice=choice)
    assert earlier not in created
    assert collection.queries.count() == 9
    assert sorted(collection.queries.values_list("name", flat=True)) == sorted(
        f"{row['docno']}_{facet}" for row in choice.result["papers"] for facet in row["facets"]
    )
    facts = facts_of(QueryPaper.objects.get(name="p2").metadata)
    assert facts[:3] == ("Data-driven", "2005", "2005–2009")
    assert (facts.chosen, facts.seed, facts.choice) == ("pinned", "s", choice.name)
    assert facts_of(earlier.query_paper.metadata).chosen == ""
    with pytest.raises(AlreadyApplied):
        apply_choice(choice=choice)


def test_nothing_is_created_if_the_screening_changed_or_a_label_is_missing(collection, sample):
    choice = compute_choice(collection=collection, plan=plan())
    row = choice.result["papers"][0]
    collection.documents.filter(docno=row["docno"]).update(labels=["other"] * 3)
    with pytest.raises(ChoiceError, match=rf"no sentence on the facet: {row['docno']}"):
        apply_choice(choice=choice)
    sample.papers.first().screenings.update(rating=1)
    with pytest.raises(ChoiceChanged):
        apply_choice(choice=choice)
    assert not collection.queries.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sample": "no"}, "Unknown sample 'no' in small. Use one of first."),
        ({"numbers": (30,)}, r"can be chosen, but the plan needs 30. Of 24 screened papers, \d+"),
        ({"numbers": (0, 0, 9)}, "can be put under 3 or more facets, but the plan needs 9"),
        ({"numbers": (1,), "pins": {"p2": (), "p3": ()}}, "2 papers are pinned or queries"),
        ({"pins": {"p0": ()}, "bars": ("p0",)}, "Pinned and barred: p0"),
        ({"bars": ("p99",)}, "Not a screened paper of the sample first: p99"),
        ({"pins": {"p7": ()}}, "p7 has the type survey, which is excluded, so it cannot be pinned"),
        (
            {"numbers": (2,), "pins": {"p2": ("background", "result")}},
            "No choice fulfils the whole plan. It needs papers by number of facets: 2 under 1.",
        ),
    ],
)
@pytest.mark.one_database
def test_a_plan_without_a_choice_names_the_restriction(collection, sample, changes, message):
    with pytest.raises(ChoiceError, match=message):
        compute_choice(collection=collection, plan=plan(**changes))
    assert not collection.query_choices.exists()


@pytest.mark.one_database
def test_the_pages_pin_bar_and_apply(collection, sample, admin, django_assert_num_queries):
    page = "/c/small/choice/"
    form = {"sample": "first", "papers": 6, "two_facets": 3, "least_rating": 3, "seed": "s"}
    shown = admin.post(page, form, follow=True)
    first = collection.query_choices.get()
    assert shown.redirect_chain == [(f"{page}{first.name}/", 302)]
    chosen = docnos(first)
    shown = admin.post(page, {**form, "bar": chosen[0], "before": first.name}, follow=True)
    second = shown.context["choice"]
    assert second.plan["bars"] == [chosen[0]]
    assert chosen[0] not in docnos(second)
    assert "removed" in shown.text
    shown = admin.post(page, {**form, "bars": chosen[0], "pin": chosen[0]}, follow=True)
    third = shown.context["choice"]
    assert (third.plan["bars"], third.plan["pins"]) == ([], {chosen[0]: []})
    refused = admin.post(page, {**form, "papers": 60})
    assert refused.status_code == 422
    assert "but the plan needs 60" in refused.text
    for kind in ("svg", "pdf", "csv"):
        assert admin.get(f"{page}{third.name}/balance.{kind}").status_code == 200
    assert not collection.queries.exists()
    with django_assert_num_queries(QUERIES):
        admin.get(f"{page}{third.name}/")
    admin.post(f"{page}{third.name}/apply/")
    assert collection.queries.count() == 9
    document = admin.get(reverse("document", args=["small", chosen[0]])).text
    assert re.search(r"pinned.*by the choice", document, re.DOTALL)


QUERIES = 21


@pytest.mark.one_database
@pytest.mark.parametrize(("papers", "numbers"), [(5, (4, 1)), (60, (34, 16))])
def test_the_form_starts_with_numbers_that_the_sample_has(papers, numbers):
    a_screened_sample(a_collection(), papers=papers)
    admin = client_of("admin")
    page = "/c/small/choice/"

    form = admin.get(page).context["form"]

    assert (form["papers"].initial, form["two_facets"].initial) == numbers
    sent = {field.name: field.initial for field in form if field.initial is not None}
    assert admin.post(page, sent).status_code == 302


def test_the_command_prints_the_balance_and_applies_when_asked(collection, sample, tmp_path):
    bars = tmp_path / "bars.txt"
    bars.write_text("p1\np3\n")
    options = {"sample": "first", "papers": 6, "two_facets": 3, "bar": [str(bars)], "seed": "s"}
    text = io.StringIO()
    call_command("choose_queries", "small", **options, stdout=text)
    assert "1995–1999" in text.getvalue()
    assert not collection.queries.exists()
    call_command("choose_queries", "small", **options, apply=True, stdout=text)
    assert collection.queries.count() == 9
    assert not collection.query_papers.filter(name__in=["p1", "p3"]).exists()
    with pytest.raises(CommandError, match="Unknown sample"):
        call_command("choose_queries", "small", **{**options, "sample": "no"})
