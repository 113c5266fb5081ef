"""The form that asks for pools: known documents, conditions, and what an address fills in."""

from __future__ import annotations

import re

import pytest
from django.core.management import CommandError, call_command

from jobs.models import Job
from pooling.models import Pool, PoolBuild
from pooling.plan_form import PoolPlanForm
from tests.pooling.test_pages import PLAN, address, text_of
from tests.support.factories import a_collection, a_query, a_topic
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.visits import markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    made = a_listed_collection()
    a_listed_run(made, "earlier", {"q1": ["d01"]}, parameters={"qrels": True})
    return made


def sent(admin, **changes):
    return admin.post(address("build-pools"), {**PLAN, "runs": ["up", "down"], **changes})


def asked(admin, **changes):
    sent(admin, **changes)
    return Job.objects.get().parameters


def values_at(admin, query):
    form = admin.get(f"{address('plan-pools')}?{query}").context["form"]
    return form, lambda name: form[name].value()


# What is sent


def test_every_source_of_known_documents_has_its_three_buttons(admin):
    page = admin.get(address("plan-pools"))

    for name in ("cited", "known-earlier", "known-up", "known-down"):
        for use in ("forced", "excluded", "drawn"):
            assert f'name="{name}" value="{use}"' in page.text
    assert "earlier (what was judged relevant)" in page.text
    assert "up (imported)" in page.text


def test_a_retriever_s_run_cannot_be_taken_whole(collection, admin):
    a_listed_run(collection, "bm25_title", {"q1": ["d01"]}, kind="bm25")

    assert 'name="known-bm25_title"' not in admin.get(address("plan-pools")).text


def test_known_documents_are_left_out_or_taken_whole_as_ticked(admin):
    parameters = asked(admin, **{"cited": "excluded", "known-earlier": "forced"})

    assert (parameters["forced"], parameters["excluded"]) == (["earlier"], ["cited"])


def test_a_known_run_is_not_drawn_from_though_it_is_ticked(admin):
    parameters = asked(admin, **{"known-up": "excluded"})

    assert (parameters["runs"], parameters["excluded"]) == (["down"], ["up"])


def test_conditions_are_sent(admin):
    assert asked(admin, only=["not_later", "same_field"])["only"] == ["not_later", "same_field"]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"cited": "eaten"}, "eaten is not one of the available choices"),
        ({"cited": ""}, "This field is required"),
        ({"known-up": "eaten"}, "eaten is not one of the available choices"),
        ({"only": ["nearby"]}, "nearby is not one of the available choices"),
        ({"known-up": "forced", "known-down": "excluded"}, "Tick at least one run to draw from"),
        ({"strategy": "mdcr", "depth": "50"}, "reads 200 documents of each list"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_ticked_stays(admin, changed, what):
    kept = {"known-earlier": "excluded", "only": ["not_later"], "seed": "my own"}

    page = sent(admin, **{**kept, **changed})

    assert page.status_code == 422
    assert what in page.text
    form = page.context["form"]
    for name, value in {**kept, **changed}.items():
        assert form[name].value() == value
    assert not Job.objects.exists()


def test_what_was_typed_for_another_strategy_stays(admin):
    page = sent(admin, **{"strategy": "rrf", "rrf-size": "no", "mdcr-n": "7"})

    assert page.status_code == 422
    assert page.context["form"]["mdcr-n"].value() == "7"
    assert 'value="no"' in page.text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mdcr-n", "no"),
        ("strategy", "magic"),
        ("cited", "eaten"),
        ("known-up", "eaten"),
        ("runs", ["nothing"]),
        ("only", ["nearby"]),
        ("depth", "deep"),
        ("more", "magic"),
    ],
)
def test_an_error_is_between_the_field_and_its_help_and_describes_the_field(admin, name, value):
    page = sent(admin, **{"strategy": "mdcr", name: value}).text

    assert re.search(rf'aria-describedby="[^"]*\bid_{name}_error"', page)
    controls, errors = page.rindex(f'name="{name}"'), page.index(f'id="id_{name}_error"')
    assert controls < errors
    if f'id="id_{name}_helptext"' in page:
        assert errors < page.index(f'id="id_{name}_helptext"')


# What the address says


def test_an_address_fills_the_form_in(admin):
    form, value = values_at(
        admin,
        "strategy=mdcr&mdcr-n=3&runs=up&runs=random&cited=excluded&known-earlier=excluded"
        "&only=not_later&depth=200&seed=mine&more=bm25_text",
    )

    assert value("strategy") == "mdcr"
    assert value("mdcr-n") == "3"
    assert value("runs") == ["up", "random"]
    assert (value("cited"), value("known-earlier"), value("known-up")) == (
        "excluded",
        "excluded",
        "drawn",
    )
    assert value("only") == ["not_later"]
    assert (value("depth"), value("seed"), value("more")) == ("200", "mine", "bm25_text")
    assert form.opens_more_options
    assert not Job.objects.exists()


def test_what_an_address_says_wrong_counts_as_not_said(collection, admin):
    plain = admin.get(address("plan-pools")).context["form"]

    form, value = values_at(
        admin,
        "strategy=magic&runs=nothing&cited=eaten&known-up=&only=nearby&depth=deep&seed="
        "&known-nothing=forced&mdcr-n=",
    )

    for name in form.fields:
        assert value(name) == plain[name].value(), name
    assert not form.opens_more_options


def test_of_what_an_address_names_the_right_part_is_ticked(admin):
    _, value = values_at(admin, "runs=nothing&runs=down&depth=0&depth=70")

    assert (value("runs"), value("depth")) == (["down"], "70")


# What the pages say of pools that leave things out


def test_a_pool_says_what_was_taken_left_out_and_asked_for(collection, admin):
    built(collection, forced=("cited",), excluded=("earlier",), only=("not_later",))

    page = markup(admin.get(address("query", "q1_method")).text)

    assert "<dt>Forced</dt><dd><code>cited</code></dd>" in page
    assert "<dt>Excluded</dt><dd><code>earlier</code></dd>" in page
    assert "documents not later than the query" in page
    builds = text_of(admin.get(address("pools")))
    assert "forced: cited · excluded: earlier · only documents not later" in builds


def test_what_a_pool_as_a_whole_lacks_is_no_retriever_s(collection, admin):
    built(collection, strategy="take_b", parameters={"size": 30})

    assert "the pool as a whole had 20 too few" in text_of(admin.get(address("query", "q1_method")))
    table = admin.get(address("pools"))
    assert "The pool as a whole had 20 too few." in table.text
    assert "<code>budget</code>" not in table.text


# The command


def test_the_command_leaves_out_and_asks(collection, capsys):
    call_command(
        "build_pools", "small", "--excluded", "cited", "--excluded", "earlier",
        "--only", "not_later", "--run", "up", "--n", "3",
    )  # fmt: skip

    manifest = PoolBuild.objects.get().manifest
    assert (manifest["forced"], manifest["excluded"]) == ([], ["cited", "earlier"])
    assert manifest["only"] == ["not_later"]
    assert "1 pools from earlier (excluded), up; seed" in capsys.readouterr().out
    assert not Pool.objects.filter(candidates__document__docno="d02").exists()


@pytest.mark.parametrize(
    ("flags", "forced"),
    [
        ([], ["cited"]),
        (["--excluded", "earlier"], ["cited"]),
        (["--forced", "none"], []),
        (["--forced", "earlier"], ["earlier"]),
        (["--forced", "cited", "--forced", "earlier"], ["cited", "earlier"]),
    ],
)
def test_the_command_forces_what_it_is_told(collection, flags, forced):
    call_command("build_pools", "small", "--run", "up", *flags)

    assert PoolBuild.objects.get().manifest["forced"] == forced


@pytest.mark.parametrize(
    ("flags", "what"),
    [
        (["--forced", "cited", "--excluded", "cited"], "both forced and excluded"),
        (["--excluded", "bm25_title"], "bm25_title is a built-in retriever"),
        (["--excluded", "gone"], "small has no run 'gone'"),
        (["--only", "nearby"], "invalid choice: 'nearby'"),
    ],
)
def test_the_command_refuses_in_words(collection, flags, what):
    with pytest.raises(CommandError, match=what):
        call_command("build_pools", "small", "--run", "up", *flags)


def test_a_sampled_pool_shows_the_probability_of_every_candidate(collection, admin):
    built(
        collection,
        strategy="stratified",
        parameters={"bounds": [2, 12], "rates": [1, 0.5]},
        excluded=("earlier",),
    )

    page = text_of(admin.get(address("query", "q1_method"), {"sort": "-inclusion"}))

    # Of d03, d04 and d06 to d10 four are drawn; the cited papers, d11 and d12 are in for certain.
    assert "Probability" in page
    assert page.count(">0.571<") == 4
    assert page.count(">1<") >= 3


def test_other_pools_have_no_column_of_probabilities(collection, admin):
    built(collection)

    assert "sort=inclusion" not in admin.get(address("query", "q1_method")).text


def test_what_only_query_papers_have_is_not_asked_for_topics():
    topics = a_collection("topics")
    a_topic(topics, "t1")
    form = PoolPlanForm(collection=topics)
    runs = {name for name, _ in form.fields["runs"].choices}

    assert form.known_sources() == []
    assert not {"cited", "only"} & form.fields.keys()
    assert "random" in runs
    assert not {"graph", "most_cited"} & runs
    sent_form = form.as_sent()
    assert sent_form.is_valid(), sent_form.errors
    assert sent_form.plan().forced == ()

    a_query(topics)
    form = PoolPlanForm(collection=topics)
    assert form.fields.keys() >= {"cited", "only"}
    assert {"graph", "most_cited"} <= {name for name, _ in form.fields["runs"].choices}
