"""The page of what changed between two versions, and the rankings under both."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from accounts.models import Collection
from jobs.models import Job
from jobs.services import run
from release.files import path_of
from release.models import Release
from release.services import publish_release
from release.versions.changes import PAGE_ROWS, page_of_pairs, summary_of
from release.versions.rankings import JOB_KIND, compare_rankings, ranking_change
from retrieval.formats import RankedList
from scoring.models import SystemKind
from scoring.systems.services import save_system
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.sittings import judge
from tests.support.visits import address, client_of, csv_rows, markup, queries_of, text_of
from tests.support.worlds import once_a_file
from web.errors import UserFacingError

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(autouse=True)
def _nothing_cached():
    cache.clear()


def judged() -> Collection:
    """Three versions: in 1.1 a label is new, in 1.2 another has a lower grade."""
    collection = a_judged_collection()
    publish_release(collection=collection, version="1.0")
    relabel(collection, "q2_method", "d4", 2)
    publish_release(collection=collection, version="1.1")
    relabel(collection, "q1_method", "d1", 0)
    publish_release(collection=collection, version="1.2")
    return collection


@once_a_file
def collection() -> Collection:
    return judged()


def relabel(collection: Collection, query: str, docno: str, grade: int) -> None:
    for number in (1, 2):
        judge(slot_of(collection, query, docno, number), grade)


def release(version: str) -> Release:
    return Release.objects.select_related("collection").get(version=version)


def page(query: str = "", version: str = "1.2"):
    return client_of("admin").get(address("release-changes", version) + query)


def a_system(collection: Collection, name: str, *docnos: str) -> None:
    save_system(
        collection=collection,
        name=name,
        kind=SystemKind.FILE,
        lists=[
            (query, RankedList(list(docnos), [float(-rank) for rank in range(len(docnos))]))
            for query in ("q1_method", "q2_method")
        ],
        parameters={"files": [name]},
        report={},
    )


def test_a_version_is_compared_with_the_one_before_or_any_earlier_one(collection):
    before, any_earlier = markup(page().text), markup(page("?since=1.0").text)

    assert "Compared with version 1.1" in before
    assert row("method", 0, 0, 1, 5, 6, 6) in before
    assert row("method", 1, 0, 1, 4, 6, 6) in any_earlier
    assert row("background", 0, 0, 0, 3, 3, 3) in any_earlier


def row(facet: str, *numbers: int) -> str:
    cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
    return f'<th scope="row">{facet}</th>{cells}'


def test_the_grades_before_and_after_are_a_matrix_of_each_facet_that_changed(collection):
    text = text_of(page("?since=1.0"))

    assert "Grades before and after: method" in text
    assert "Grades before and after: background" not in text


def test_the_pairs_that_differ_are_listed_filtered_and_downloaded(collection):
    everything = csv_rows(page("?since=1.0&format=csv"))

    assert [tuple(row.values()) for row in everything] == [
        ("q1_method", "method", "d1", "changed", "3", "0"),
        ("q2_method", "method", "d4", "added", "", "2"),
    ]
    added = page("?since=1.0&kind=added&facet=method").text
    assert ("d4</code>" in added, "d1</code>" in added) == (True, False)
    assert "No pair differs in this way." in text_of(page("?since=1.0&facet=background"))


@pytest.mark.parametrize(
    "query", ["?since=9", "?since=1.2", "?page=x", "?page=²", "?kind=no&facet=no"]
)
def test_what_the_address_asks_wrongly_is_passed_over(collection, query):
    assert page(query).status_code == 200


def test_the_first_version_has_nothing_to_compare_with(collection):
    assert "There is no earlier version" in page(version="1.0").text
    assert address("release-changes", "1.0") not in page(version="1.0").text


def test_the_pages_of_a_long_list_follow_each_other():
    pairs = [("method", number) for number in range(PAGE_ROWS + 3)]

    assert len(page_of_pairs(iter(pairs), 1)) == PAGE_ROWS + 1
    assert page_of_pairs(iter(pairs), 2) == pairs[PAGE_ROWS:]


def test_a_lost_file_is_said_and_the_summary_is_not_computed_twice(collection):
    summary_of(release("1.0"), release("1.2"))
    path_of("small", "1.0").unlink()

    assert summary_of(release("1.0"), release("1.2")).queries_added == (0, [])
    assert "These versions cannot be compared" in page("?since=1.0").text


def test_the_page_takes_the_same_number_of_queries_for_more_changes(collection):
    admin = client_of("admin")
    few = queries_of(admin, address("release-changes", "1.2"))

    assert queries_of(admin, address("release-changes", "1.2") + "?since=1.0") == few


def test_systems_are_ranked_under_both_versions(collection):
    a_system(collection, "first", "d1", "d3", "d2", "d4")
    a_system(collection, "last", "d4", "d2", "d3", "d1")

    found = compare_rankings(collection=collection, since="1.0", version="1.2", measure="AP")

    before, after = found["rankings"]
    assert (before["queries"], after["queries"]) == (3, 3)
    assert [(row["system"], row["rank"]) for row in before["systems"]] == [
        ("first", 1),
        ("last", 2),
    ]
    assert [(row["system"], row["rank"]) for row in after["systems"]] == [("last", 1), ("first", 2)]
    assert (before["correlations"]["tau"], before["correlations"]["tau_ap"]) == (-1.0, -1.0)


def test_without_two_systems_tau_is_undefined_with_a_reason(collection):
    a_system(collection, "only", "d1", "d2")

    found = compare_rankings(collection=collection, since="1.0", version="1.2", measure="AP")

    before, after = found["rankings"]
    assert before["correlations"]["tau"] is None
    assert before["undefined"]["tau"] == "fewer than two systems"
    assert (after["significant"], after["untested"]) == (None, "fewer than two systems")


def test_a_lost_version_cannot_be_ranked(collection):
    path_of("small", "1.0").unlink()

    with pytest.raises(UserFacingError, match="missing or damaged"):
        compare_rankings(collection=collection, since="1.0", version="1.2", measure="AP")


def test_an_admin_ranks_the_systems_and_the_page_shows_the_newest_result(collection):
    a_system(collection, "first", "d1", "d3", "d2", "d4")
    a_system(collection, "last", "d4", "d2", "d3", "d1")

    client_of("admin").post(
        address("rank-under-versions", "1.2"), {"since": "1.0", "measure": "AP"}
    )
    run(Job.objects.get(kind=JOB_KIND).pk)

    _, change = ranking_change(release("1.0"), release("1.2"))
    assert change.tau.value == -1.0
    text = text_of(page("?since=1.0"))
    assert "Of 2 systems, 2 have another rank by mean AP" in text
    assert "Kendall’s τ-b −1.000 and τ_AP −1.000, over 2 systems" in text
    assert "Rank the systems again" not in page().text


def test_an_unknown_measure_is_refused_with_those_that_there_are(collection):
    answer = client_of("admin").post(
        address("rank-under-versions", "1.2"), {"measure": "Best@1"}, follow=True
    )

    assert "NDCG%20" in answer.text
    assert not Job.objects.exists()
