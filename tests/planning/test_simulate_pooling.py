"""The command, on pools made up here."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Slot
from planning.judged_pools import judged_pools
from tests.support.factories import a_collection, a_query, an_open_query
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


def simulate_pooling(*arguments):
    out = StringIO()
    call_command("simulate_pooling", *arguments, stdout=out)
    return out.getvalue()


@once_a_file
def judged():
    """Four candidates with the agreed grades 0, 2, unjudged and 3, in the order of the draw."""
    collection = a_collection()
    opening = an_open_query(collection, size=4)
    docnos = [
        candidate.document.docno
        for candidate in opening.query.query_paper.pool.candidates.order_by("position")
    ]
    for docno, grade in zip(docnos, (0, 2, None, 3), strict=True):
        for slot in Slot.objects.filter(
            pair__query=opening.query, pair__candidate__document__docno=docno
        ):
            if grade is not None:
                judge(slot, grade)
    return collection, opening.query, docnos


def test_only_pairs_with_a_final_label_are_simulated_over(judged):
    collection, query, docnos = judged
    (pool,) = judged_pools(collection)
    assert pool.query == query.name
    assert pool.lists == {"bm25_title": docnos}
    assert pool.grades == {docnos[0]: 0, docnos[1]: 2, docnos[3]: 3}
    assert pool.without_label == 1


def test_the_table_says_what_each_method_needs(judged):
    collection, query, _ = judged
    lines = simulate_pooling(collection.slug).splitlines()
    assert lines[0] == "Judgments that find 95% of the documents with grade 2 or more"
    assert lines[2].split() == [
        "query", "judged", "relevant", "by_rank", "move_to_front", "max_mean",
    ]  # fmt: skip
    assert lines[3].split() == [query.name, "3", "2", "3", "3", "3"]
    assert ["all", "3", "2", "3", "3", "3"] in [line.split() for line in lines]
    assert lines[-1] == "1 pairs without a final label were passed over."


def test_target_and_lowest_relevant_grade_can_be_chosen(judged):
    collection, query, _ = judged
    assert [query.name, "3", "2", "2", "2", "2"] in [
        line.split() for line in simulate_pooling(collection.slug, "--target", "0.5").splitlines()
    ]
    nothing = simulate_pooling(collection.slug, "--relevant", "4")
    assert "No query has a relevant document" in nothing
    assert [query.name, "3", "0", "none", "none", "none"] in [
        line.split() for line in nothing.splitlines()
    ]


def test_without_final_labels_there_is_nothing_to_simulate():
    collection = a_collection()
    a_query(collection)
    with pytest.raises(CommandError, match="No pair of small has a final label yet"):
        simulate_pooling(collection.slug)


def test_a_wrong_target_and_a_wrong_collection_are_refused(judged):
    collection, _, _ = judged
    with pytest.raises(CommandError, match="The target is 95; give a share"):
        simulate_pooling(collection.slug, "--target", "95")
    with pytest.raises(CommandError, match="No collection 'other'"):
        simulate_pooling("other")
