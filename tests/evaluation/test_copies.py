"""A stratified sample as a collection of its own, and the comparison of its labels with the original's."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from scipy.stats import binomtest

from accounts.models import Collection
from accounts.services import add_member
from annotation.openings import open_queries
from evaluation.copies import comparison, draw_sample, labelled_with_strata, make_copy, stratum_row, wilson
from pooling.models import Candidate
from tests import builders
from web.errors import BadInput

pytestmark = pytest.mark.django_db


@pytest.fixture
def original(query, people, collection):
    builders.judge_all(query, {f"d{number:02}": (number % 2, number % 2) for number in range(1, 9)})
    return collection


@pytest.fixture
def sampled(original, people):
    return make_copy(original=original, slug="again", name="Again", strata=["grade"], per_stratum=3, by=people.admin)


def judge_copy(copy: Collection, people, grades) -> None:
    for person in (people.ann, people.bob):
        add_member(collection=copy, user=person, roles=["annotator"])
    queries = list(copy.queries.all())
    couples = {query.pk: (people.ann, people.bob) for query in queries}
    open_queries(collection=copy, queries=queries, couples=couples, by=None)
    for query in queries:
        builders.judge_all(query, {pair.document.docno: grades(pair.document.docno) for pair in query.pairs.all()})


def test_each_stratum_gives_as_many_pairs_and_the_same_for_a_seed(original):
    pairs = labelled_with_strata(original, ["grade", "source"])
    first = draw_sample(pairs, 3, "seed")
    assert first["stratum"].value_counts().to_dict() == {"grade 0, cited": 3, "grade 1, cited": 3}
    assert first.equals(draw_sample(pairs.sample(frac=1, random_state=1), 3, "seed"))
    assert not first.equals(draw_sample(pairs, 3, "other"))
    assert len(draw_sample(pairs, 99, "seed")) == 8


def test_a_stratum_can_be_the_first_field_of_the_query_paper(original, query, papers, people):
    builders.opened(builders.query(original, papers[9]), papers[1:3], people.ann, people.bob)
    builders.judge_all(original.queries.get(name="d09_method"), {"d01": (2, 2), "d02": (0, 0)})
    topic = builders.topic(original, "7", "Harbour dues")
    builders.opened(topic, papers[3:5], people.ann, people.bob)
    builders.judge_all(topic, {"d03": (1, 1), "d04": (0, 0)})
    papers[0].fields = ["Art", "Law"]
    papers[0].save()
    sizes = labelled_with_strata(original, ["field"])["stratum"].value_counts().to_dict()
    assert sizes == {"Art": 8, "no field": 4}
    assert "grade 2, no field" in set(labelled_with_strata(original, ["grade", "field"])["stratum"])


def test_intervals_by_field_hold_the_error_of_the_original():
    """Fields with 2 to 40 % of wrong labels, 60 pairs of each judged again: within 93 of 100 intervals."""
    wrong = {"Art": 0.02, "Law": 0.1, "Physics": 0.25, "no field": 0.4}
    rows = [
        {"query": f"{field}-{n % 20}", "docno": f"d{n}", "stratum": field, "again": int(n < share * 400)}
        for field, share in wrong.items()
        for n in range(400)
    ]
    pairs, covered = pd.DataFrame(rows), Counter()
    for seed in range(100):
        for field, sample in draw_sample(pairs, 60, str(seed)).groupby("stratum"):
            row = stratum_row(field, [(0, again) for again in sample["again"]], 400)
            covered[field] += row["low"] <= wrong[field] <= row["high"]
    assert min(covered[field] for field in wrong) >= 93


def test_the_copy_is_judged_like_any_collection_and_tells_no_earlier_grade(sampled, people, as_):
    copy = sampled.copy
    assert (sampled.sizes, len(sampled.drawn)) == ({"grade 0": 4, "grade 1": 4}, 6)
    assert set(Candidate.objects.filter(pool__pool_set__collection=copy).values_list("source", flat=True)) == {"sample"}
    assert [query.name for query in copy.queries.all()] == ["d00_method"]
    judge_copy(copy, people, lambda docno: (2, 2))
    assert copy.queries.get().pairs.filter(final=2).count() == 6


def test_the_comparison_weighs_each_stratum_by_its_size(sampled, people):
    assert comparison(sampled)["share"] is None
    wrong = sorted(pair.split()[1] for pair, name in sampled.drawn.items() if name == "grade 1")[0]
    judge_copy(sampled.copy, people, lambda docno: (0, 0) if docno == wrong else (int(docno[1:]) % 2,) * 2)
    found = comparison(sampled)
    by_name = {row["stratum"]: (row["pairs"], row["differ"]) for row in found["strata"]}
    assert by_name == {"grade 0": (3, 0), "grade 1": (3, 1)}
    assert found["share"] == pytest.approx((4 * 0 / 3 + 4 * 1 / 3) / 8)
    assert (found["matrix"][0][0], found["matrix"][1][:2]) == (3, [1, 2])


def test_wilson_intervals_are_scipys():
    interval = binomtest(3, 20).proportion_ci(method="wilson")
    assert wilson(3, 20) == (interval.low, interval.high)
    assert wilson(0, 0) == (None, None)


@pytest.mark.parametrize(("numbers", "said"), [([], "no sentence labelled method"), ([0], "sentences by number")])
def test_texts_whose_marked_sentences_would_be_others_are_refused(original, query, people, numbers, said):
    original.queries.filter(pk=query.pk).update(sentence_numbers=numbers)
    texts = {"d00": {"title": "Tides", "sentences": ["Tides turn."], "labels": ["background"]}}
    with pytest.raises(BadInput, match=said):
        make_copy(
            original=original, slug="new", name="New", strata=["grade"], per_stratum=3, by=people.admin, texts=texts
        )
    assert not Collection.objects.filter(slug="new").exists()


def test_other_texts_are_shown_in_the_copy_alone(original, people, as_):
    line = json.dumps({"docno": "d01", "title": "In full", "sentences": ["All of it."], "labels": ["method"]})
    form = {"name": "Full", "slug": "full", "strata": ["grade"], "per_stratum": 9}
    form["texts"] = SimpleUploadedFile("full.jsonl", line.encode())
    assert as_("admin").post(reverse("copies", args=[original.slug]), form).status_code == 302
    copy = Collection.objects.get(slug="full")
    assert copy.documents.get(docno="d01").sentences == ["All of it."]
    assert original.documents.get(docno="d01").title == "On d01"
    assert copy.copied_from.has_other_texts


def test_pages_are_for_admins_of_both(sampled, original, as_, people):
    client = as_("admin")
    assert client.get(reverse("copies", args=[original.slug])).status_code == 200
    assert client.get(reverse("comparison", args=["again"])).status_code == 200
    eva = builders.person("eva", sampled.copy, "admin")
    assert as_(eva.username).get(reverse("comparison", args=["again"])).status_code == 404
    assert client.get(reverse("comparison", args=[original.slug])).status_code == 404


@pytest.mark.parametrize("wrong", [{"per_stratum": 0}, {"strata": ["colour"]}, {"slug": "papers"}])
def test_what_cannot_be_sampled_is_refused(original, people, wrong):
    values = {"slug": "again", "name": "A", "strata": ["grade"], "per_stratum": 3} | wrong
    with pytest.raises(BadInput):
        make_copy(original=original, by=people.admin, **values)
    assert Collection.objects.count() == 1


@pytest.mark.csfcube
def test_an_experts_check_of_citations_finds_the_papers_share(csfcube_release):
    """Of the cited papers, 79.7 % (background) and 88.8 % (method) were rated 0 or 1: within 93 of 100 intervals."""
    collection, _ = csfcube_release
    pairs = labelled_with_strata(collection, ["source"])
    cited = pairs[pairs["stratum"] == "cited"]
    for facet, published in (("background", 0.797), ("method", 0.888)):
        of_facet = cited[cited["facet"] == facet]
        low_grades = (of_facet["final"] <= 1).mean()
        assert round(float(low_grades), 3) == published
        covered = 0
        for seed in range(100):
            sample = draw_sample(of_facet, 60, str(seed))
            low, high = wilson(int((sample["final"] <= 1).sum()), len(sample))
            covered += low <= low_grades <= high
        assert covered >= 93
