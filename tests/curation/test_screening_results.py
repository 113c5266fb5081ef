"""What several screeners said becomes one answer for each paper."""

from __future__ import annotations

from fractions import Fraction

import pytest

from curation.screening.results import screened_papers
from tests.support.curation import a_sample
from tests.support.factories import DocumentFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_the_majority_gives_type_and_facets_and_the_mean_gives_the_rating(collection):
    documents = DocumentFactory.create_batch(2, collection=collection)
    sample = a_sample(collection, documents)
    survey, theory = (
        collection.paper_types.create(key=key, name=key, position=place, is_excluded=place == 1)
        for place, key in enumerate(["survey", "theory"], start=1)
    )
    answers = [
        (theory, ["method", "result"], 5),
        (theory, ["result"], 4),
        (survey, ["result", "method"], 4),
        (survey, ["background"], 2),
    ]
    paper = sample.papers.get(position=2)
    for paper_type, facets, rating in answers:
        paper.screenings.create(
            screener=UserFactory(), paper_type=paper_type, facets=facets, rating=rating
        )

    (screened,) = screened_papers(sample)

    assert (screened.docno, screened.year) == (documents[1].docno, 1987)
    assert (screened.paper_type, screened.is_excluded) == ("survey", True)  # the first at a tie
    assert screened.facets == ("result",)  # two of four is not more than half
    assert (screened.rating, screened.screeners) == (Fraction(15, 4), 4)
