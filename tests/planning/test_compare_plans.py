"""Two plans side by side, with figures worked out by hand."""

from __future__ import annotations

import pytest

from annotation.services import open_query
from corpus.services import create_query
from planning.comparison import KnownDocuments, SharedDocuments
from pooling.models import Pool, SavedPlan
from tests.pooling.test_pages import PLAN
from tests.support.factories import DocumentFactory, a_collection, annotators
from tests.support.pooling_scenes import DOCNOS, a_listed_run, built
from tests.support.sittings import judge, slots_of
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

SENT = {**PLAN, "depth": "500", "seconds": "3600", "adjudicated": "36", "rate": "10"}
# The documents of q1's pool; d03 has only the first of its two judgments.
GRADES = {"d01": (3, 3), "d02": (2, 2), "d12": (2, 2), "d11": (1, 1), "d03": (3, None)}


@once_a_file
def collection():
    """The run `up` lists d01 to d12 for every query paper, and `down` the same in reverse.

    q1 is open, with the best three documents of both runs. q2 and q3 have no pool.
    """
    made = a_collection()
    for docno in [*DOCNOS, "q1", "q2", "q3"]:
        DocumentFactory(collection=made, docno=docno)
    query = create_query(collection=made, docno="q1", facet_key="method")
    papers = ("q1", "q2", "q3")
    for docno in papers[1:]:
        create_query(collection=made, docno=docno, facet_key="method")
    a_listed_run(made, "up", dict.fromkeys(papers, DOCNOS))
    a_listed_run(made, "down", dict.fromkeys(papers, DOCNOS[::-1]))
    built(made)
    opening = open_query(query=query, annotators=annotators(made), opened_by=None)
    Pool.objects.drafts().delete()
    for number, username in enumerate(("ann1", "ann2")):
        for slot in slots_of(opening, username):
            grades = GRADES.get(slot.pair.candidate.document.docno, (None, None))
            if grades[number] is not None:
                judge(slot, grades[number])
    return made


def save(admin, name: str, **changes) -> SavedPlan:
    response = admin.post(address("save-plan"), {**SENT, "plan_name": name, **changes})
    assert response.status_code == 302
    return SavedPlan.objects.get(name=name)


def compared(admin, first: object, second: object, more: str = ""):
    return admin.get(f"{address('compare-plans')}?first={first}&second={second}{more}")


def test_two_plans_are_compared_by_size_cost_documents_and_known_relevant_ones(collection, admin):
    one = save(admin, "One run", runs=["up"], **{"interleaved-n": "4"})
    two = save(admin, "Two runs", runs=["up", "down"], **{"interleaved-n": "2"})

    page = compared(admin, one.pk, two.pk)

    comparison = page.context["comparison"]
    for estimate in comparison.estimates:
        assert (estimate.papers, estimate.candidates, estimate.pairs) == (2, 8, 8)
    # One has d01 to d04 for q2 and for q3, the other d01, d02, d12 and d11.
    assert comparison.shared == SharedDocuments(papers=2, both=4, only_first=4, only_second=4)
    # Of q1, the only query paper with labels: d01, d02 and d12 are relevant, d11 is not.
    assert comparison.known.plans == (
        KnownDocuments(found=2, known=3, not_relevant=0, without_label=2),
        KnownDocuments(found=3, known=3, not_relevant=1, without_label=0),
    )
    text = text_of(page)
    assert "19 hours" in text  # 8 pairs, each 2 + 0.36 times an hour
    assert "189" in text
    assert "33 % of all" in text
    assert "2 of 3 <span class" in text
    assert "Simulated for 1 of 1 query paper with labels" in text
    assert f'href="{address("plan-pools")}?saved={two.pk}"' in page.text


def test_imported_judgments_are_known_relevant_documents_too(collection, admin):
    a_listed_run(collection, "known", {"q2": ["d04", "d11"]}, parameters={"qrels": True})
    one = save(admin, "One run", runs=["up"], **{"interleaved-n": "4"})
    two = save(admin, "Two runs", runs=["up", "down"], **{"interleaved-n": "2"})

    known = compared(admin, one.pk, two.pk).context["comparison"].known

    assert known.plans == (
        KnownDocuments(found=3, known=5, not_relevant=0, without_label=5),
        KnownDocuments(found=4, known=5, not_relevant=1, without_label=3),
    )


def test_plans_for_other_query_papers_share_what_both_build(collection, admin):
    every = save(admin, "All", runs=["up"])
    some = {"scope": "some", "runs": ["up"]}
    second = save(admin, "Second", papers="q2", **some)
    third = save(admin, "Third", papers="q3", **some)

    comparison = compared(admin, every.pk, second.pk).context["comparison"]
    assert [estimate.papers for estimate in comparison.estimates] == [2, 1]
    assert comparison.shared.papers == 1
    assert comparison.shared.percent == 100
    page = compared(admin, second.pk, third.pk)
    assert page.context["comparison"].shared is None
    assert "The plans build no query paper in common" in text_of(page)


def test_what_was_typed_is_compared_with_a_saved_plan(collection, admin):
    assert "Fewer than two plans" in admin.get(address("compare-plans")).text
    save(admin, "Deep", runs=["up"])
    sent = {**SENT, "runs": ["down"], "compare": ""}

    response = admin.post(address("plan-pools"), sent)

    assert response.url == address("compare-plans")
    page = admin.get(response.url)
    names = [column.choice.name for column in page.context["columns"]]
    assert names == ["The last plan, not saved under a name", "Deep"]
    assert page.context["comparison"].shared.both == 0


def test_a_plan_that_cannot_be_calculated_says_why(collection, admin):
    wrong = save(admin, "Wrong", runs=["up"], scope="some", papers="q2")
    right = save(admin, "Right", runs=["up"])
    collection.query_papers.get(name="q2").queries.all().delete()

    page = compared(admin, wrong.pk, right.pk)

    assert "“Wrong” cannot be calculated." in text_of(page)
    assert "q2 is not a query paper without a frozen pool" in text_of(page)


def test_more_saved_plans_and_query_papers_cost_no_more_queries(collection, admin):
    one, two = (save(admin, name, runs=["up"]) for name in ("One", "Two"))
    comparison = f"{address('compare-plans')}?first={one.pk}&second={two.pk}"
    before = [queries_of(admin, url) for url in (comparison, address("plan-pools"))]

    for name in ("Three", "Four"):
        collection.saved_plans.create(name=name, fields=one.fields)
    for docno in ("q4", "q5"):
        DocumentFactory(collection=collection, docno=docno)
        create_query(collection=collection, docno=docno, facet_key="method")

    after = [queries_of(admin, url) for url in (comparison, address("plan-pools"))]
    assert after == before


def test_the_comparison_before_any_label_says_that_none_is_known():
    made = a_collection()
    for docno in [*DOCNOS, "q1"]:
        DocumentFactory(collection=made, docno=docno)
    create_query(collection=made, docno="q1", facet_key="method")
    a_listed_run(made, "up", {"q1": DOCNOS})
    admin = client_of("admin")
    plans = [save(admin, name, runs=["up"]) for name in ("A", "B")]

    assert "No document is known as relevant yet" in text_of(
        compared(admin, plans[0].pk, plans[1].pk)
    )
