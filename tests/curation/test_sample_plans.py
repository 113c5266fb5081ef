"""Plans of samples: what is refused, which strata they have, and what a sample keeps of them."""

from __future__ import annotations

import hashlib

import pytest

from accounts.models import User
from curation.models import Sample
from curation.samples import services as sampling
from curation.samples.services import (
    Exclusions,
    SamplePlan,
    check_name,
    draw_sample,
    free_name,
    stratification_of,
    survey_strata,
)
from curation.samples.strata import Period, SampleError
from curation.screening.results import types_of_screened
from jobs.context import DirectRun
from tests.support.curation import a_sample, ten_years
from tests.support.factories import DocumentFactory, UserFactory, a_collection
from tests.support.recorded_work import RecordedWork

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def corpus(collection):
    return ten_years(collection, year_without_text=2020)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (SamplePlan(("period", "venue"), 2), 'Unknown stratum "venue". Use period, field, type.'),
        (SamplePlan(("field", "field"), 2), "A stratum is there twice. Write each once."),
        (SamplePlan((), 0), "must be 1 to 10,000, got 0."),
        (SamplePlan((), 10_001), "must be 1 to 10,000, got 10,001."),
        (SamplePlan((), 2, periods="5"), "Periods were given, but “period” is not one"),
        (SamplePlan((), 2, fields=("IR",)), "Fields were given, but “field” is not one"),
        (SamplePlan((), 2, years="soon"), 'Invalid years "soon"'),
        (SamplePlan(("period",), 2), "The periods are missing."),
        (
            SamplePlan(("period",), 2, "2000-2004,2005-2009", "2001-2009"),
            "A period is outside of the years 2001–2009. Leave out the years.",
        ),
        (
            SamplePlan(("period",), 2, "2000-2004,2005-2009", "2000-2008"),
            "A period is outside of the years 2000–2008.",
        ),
        (SamplePlan(("period",), 2, "30"), "2000–2020 cannot be cut into 30 periods"),
    ],
)
def test_an_invalid_plan_says_why(corpus, plan, message):
    with pytest.raises(SampleError) as caught:
        stratification_of(corpus, plan)
    assert message in str(caught.value)


def test_a_plan_at_its_limits_is_valid(corpus):
    for number in (1, 10_000):
        assert stratification_of(corpus, SamplePlan((), number)).by == ()


def test_periods_are_given_or_cut_from_the_years_of_the_plan_or_of_the_corpus(corpus):
    halves = (Period(2000, 2004), Period(2005, 2009))

    def periods(*texts):
        return stratification_of(corpus, SamplePlan(("period",), 2, *texts)).periods

    assert periods("2000-2004,2005-2009") == halves
    assert periods("2000-2004,2005-2009", "2000-2009") == halves
    assert periods("2", "2000-2009") == halves
    assert periods("3") == (Period(2000, 2006), Period(2007, 2013), Period(2014, 2020))
    assert stratification_of(corpus, SamplePlan(("field",), 2)).periods == ()


def test_without_years_there_are_no_periods():
    collection = a_collection("bare")
    DocumentFactory(collection=collection, year=None)

    with pytest.raises(SampleError, match="No document has a year, so there are no periods"):
        stratification_of(collection, SamplePlan(("period",), 2, "2"))


def test_types_are_those_that_are_not_excluded_and_of_this_collection(corpus):
    other = a_collection("other")
    for position, (owner, name) in enumerate([(corpus, "A"), (corpus, "B"), (other, "C")]):
        owner.paper_types.create(
            key=name.lower(), name=name, position=position, is_excluded=name == "B"
        )

    assert stratification_of(corpus, SamplePlan(("type",), 2)).types == ("A",)
    assert stratification_of(corpus, SamplePlan((), 2)).types == ()


def test_the_type_of_a_paper_is_that_of_most_screeners_of_all_samples(corpus):
    documents = list(corpus.documents.order_by("docno")[1:3])
    first, second = (a_sample(corpus, documents, name=name) for name in ("one", "two"))
    other = a_collection("other")
    elsewhere = a_sample(other, [DocumentFactory(collection=other)], name="one")
    kinds = [
        corpus.paper_types.create(key=key, name=key, position=place, is_excluded=key == "survey")
        for place, key in enumerate(["survey", "theory"], start=1)
    ]
    foreign = other.paper_types.create(key="x", name="x", position=1)

    def screen(sample, document, kind):
        sample.papers.get(document=document).screenings.create(
            screener=UserFactory(), paper_type=kind, facets=[], rating=3
        )

    for sample, kind in ((first, kinds[0]), (first, kinds[1]), (second, kinds[1])):
        screen(sample, documents[0], kind)
    screen(first, documents[1], kinds[0])
    screen(elsewhere, elsewhere.papers.get().document, foreign)

    assert types_of_screened(corpus) == {documents[0].pk: kinds[1], documents[1].pk: kinds[0]}
    drawn = survey_strata(collection=corpus, plan=SamplePlan(("type",), 5), work=DirectRun())
    assert [count.values for count in drawn.draw.counts()] == [("theory",)]
    assert [docno for docno, _ in drawn.draw.papers()] == [documents[0].docno]
    assert drawn.draw.left_out == {
        "without text": 1,
        "not screened for their type": 8,
        "of an excluded type": 1,
    }


def test_a_sample_keeps_its_plan_and_counts(corpus, monkeypatch):
    monkeypatch.setattr(sampling, "CHUNK", 4)
    admin, work = User.objects.get(username="admin"), RecordedWork()
    earlier = a_sample(corpus, [corpus.documents.get(docno="p2")], name="earlier")
    plan = SamplePlan(("period",), 2, "2", "2000-2009", seed="7", without=(earlier.name,))
    exclusions = Exclusions(frozenset({"p1", "p9", "gone", "empty"}), "list.txt")

    sample = draw_sample(
        collection=corpus,
        name="new",
        plan=plan,
        work=work,
        exclusions=exclusions,
        created_by=admin,
    )

    assert sample.counts == {
        "documents": 11,
        "left_out": {"without text": 1},
        "exclusions": {
            "file": "list.txt",
            "docnos": 4,
            "unknown": 1,
            "sha256": hashlib.sha256(b"empty\ngone\np1\np9\n").hexdigest(),
            "samples": ["earlier"],
        },
        "years": "2000-2009",
        "strata": [
            {
                "stratum": {"period": "2000–2004"},
                **{"documents": 3, "excluded": 2, "sampled": 2},
            },
            {
                "stratum": {"period": "2005–2009"},
                **{"documents": 4, "excluded": 1, "sampled": 2},
            },
        ],
    }
    assert (sample.strata, sample.periods, sample.per_stratum, sample.seed) == (
        *(["period"], [[2000, 2004], [2005, 2009]], 2, "7"),
    )
    assert sample.created_by == admin
    papers = list(sample.papers.values_list("position", "document__docno", "stratum__period"))
    assert [position for position, _, _ in papers] == [1, 2, 3, 4]
    assert all((docno < "p5") == (period == "2000–2004") for _, docno, period in papers)
    assert [step for step in work.seen if step[2] == "Reading documents"] == [
        (4, 11, "Reading documents"),
        (8, 11, "Reading documents"),
    ]
    assert work.result == {"sample": "new", "papers": 4}


def test_a_sample_has_the_seed_of_the_collection_unless_the_plan_has_one(corpus):
    collection_seed = corpus.seed
    drawn = survey_strata(collection=corpus, plan=SamplePlan((), 3), work=DirectRun())
    seeded = survey_strata(
        collection=corpus, plan=SamplePlan((), 3, seed=collection_seed), work=DirectRun()
    )

    assert drawn.draw.seed == collection_seed
    assert list(drawn.draw.papers()) == list(seeded.draw.papers())
    assert drawn.counts["exclusions"]["sha256"] == ""
    assert (drawn.unknown, drawn.documents) == (0, 11)


def test_a_plan_survives_its_job():
    plan = SamplePlan(("field",), 2, "", "2000", ("IR",), "7", ("one",))

    values = {**plan.values, "by": ["field"], "fields": ["IR"], "without": ["one"]}

    assert SamplePlan.of(values) == plan


@pytest.mark.parametrize("name", ["two words", "", "é"])
def test_a_name_is_a_slug(collection, name):
    with pytest.raises(
        SampleError, match=r"Invalid name .* Use letters, digits, hyphens and underscores\."
    ):
        check_name(collection, name)


def test_a_name_has_sixty_characters_and_is_free(collection):
    check_name(collection, "a" * 60)
    with pytest.raises(SampleError, match=r"The name has 61 characters\. Use at most 60\."):
        check_name(collection, "a" * 61)
    a_sample(a_collection("other"), [], name="taken")
    check_name(collection, "taken")
    a_sample(collection, [], name="taken")
    with pytest.raises(SampleError, match="There is a sample 'taken' already"):
        check_name(collection, "taken")


def test_the_next_name_is_the_first_that_is_free(collection):
    assert free_name(collection) == "sample-1"
    for name in ("sample-1", "sample-3", "other"):
        a_sample(collection, [], name=name)
    assert free_name(collection) == "sample-2"
    a_sample(collection, [], name="sample-2")
    assert free_name(collection) == "sample-4"
    assert Sample.objects.count() == 4
