"""CHANGELOG.md: what it says of labels, pools, settings and errata, and what it is made from."""

from __future__ import annotations

import pytest

from accounts.models import Collection
from adjudication.models import Recipient
from adjudication.services import Ruling
from annotation.guidelines.changes import apply_guideline
from annotation.models import Opening
from annotation.services import write_guideline
from bundle.formats.records import write_pools
from bundle.label_changes import LabelPair, aligned, summarise
from bundle.layouts.changelog import read_candidates
from bundle.records import PooledDocument
from release.errata.services import report_erratum, settle_erratum
from release.files import path_of
from release.models import Release
from release.services import publish_release
from release.versions.published_files import read_member
from tests.support.release_scenes import a_judged_collection, decide_pair, slot_of
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge, refer
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection() -> Collection:
    return a_judged_collection()


def publish(collection: Collection, version: str) -> Release:
    return publish_release(collection=collection, version=version)


def changelog(release: Release) -> str:
    return read_member(release, "CHANGELOG.md").decode()


def relabel(collection: Collection, query: str, docno: str, grade: int | None) -> None:
    for number in (1, 2):
        judge(slot_of(collection, query, docno, number), grade)


def settled(release: Release, docno: str, *, accept: bool = True):
    erratum = report_erratum(
        release=release, query="q1_method", docno=docno, problem="Ann2 is wrong.", email="r@x.org"
    )
    return settle_erratum(erratum=erratum, accept=accept, answer=f"About {docno}.", settled_by=None)


def test_the_first_version_says_so(collection):
    assert "This is the first version." in changelog(publish(collection, "1.0"))


def test_the_same_labels_have_no_list(collection):
    publish(collection, "1.0")

    text = changelog(publish(collection, "1.1"))

    assert "| method | 0 | 0 | 0 | 5 |" in text
    assert "Candidates of query papers: 0 added, 0 removed." in text
    assert "another grade:" not in text
    assert "## Settings" not in text


def test_changed_labels_are_counted_by_facet_and_listed(collection):
    publish(collection, "1.0")
    relabel(collection, "q1_method", "d1", 0)
    relabel(collection, "q2_method", "d4", 2)

    text = changelog(publish(collection, "1.1"))

    assert "| background | 0 | 0 | 0 | 3 |" in text
    assert "| method | 1 | 0 | 1 | 4 |" in text
    assert "| `q1_method` | `d1` | 3 | 0 |" in text


def test_changed_settings_and_options_are_listed(collection):
    publish(collection, "1.0")
    Collection.objects.update(licence="CC0-1.0", description="Two\nlines | and a bar")

    text = changelog(publish(collection, "1.1"))

    assert "| licence of the labels | CC-BY-4.0 | CC0-1.0 |" in text
    assert "| description | none | Two lines &#124; and a bar |" in text
    assert "| name |" not in text


def test_settled_errata_are_in_the_next_version_only_and_name_no_reader(collection):
    first = publish(collection, "1.0")
    settled(first, "d1")
    settled(first, "d2", accept=False)
    report_erratum(release=first, query="q1_method", docno="d3", problem="Still open.")

    text = changelog(publish(collection, "1.1"))

    assert "| 1.0-1 | `q1_method` | `d1` | About d1. |" in text
    assert "Declined:\n\n| report | query | document | answer |\n| --- " in text
    assert "| 1.0-2 | `q1_method` | `d2` | About d2. |" in text
    assert not [word for word in ("1.0-3", "Ann2", "r@x.org", "open") if word in text]
    assert "Errata" not in changelog(publish(collection, "1.2"))


def test_a_lost_file_of_the_version_before_is_said(collection):
    first = publish(collection, "1.0")
    path_of("small", "1.0").unlink()

    second = publish(collection, "1.1")

    assert "The file of version 1.0 could not be read" in changelog(second)
    assert second.manifest["previous"] == {
        "version": "1.0",
        "sha256": first.sha256,
        "compared": False,
    }


def test_pairs_that_were_settled_again_are_in_the_next_version_with_reason_and_labels(collection):
    """Each release here is also verified and imported again, which must give the same labels."""
    publish(collection, "1.0")
    sent = slot_of(collection, "q1_method", "d1", 1).pair  # its two grades are 3
    opened = slot_of(collection, "q2_method", "d3", 1).pair  # its two grades are 2
    refer(sent, Recipient.ADJUDICATOR, reason="It is a | duplicate.")
    refer(opened, Recipient.JUDGES, reason="Report 1.0-2.")
    waiting = publish_release(collection=collection, version="1.1", accept=EVERY_EXCEPTION)
    decide_pair(collection, "q1_method", "d1", Ruling(grade=0))
    relabel(collection, "q2_method", "d3", 1)
    refer(slot_of(collection, "q1_background", "d2", 1).pair, Recipient.ADJUDICATOR)
    decide_pair(collection, "q1_background", "d2", Ruling(grade=1))

    decided = publish_release(collection=collection, version="1.2", accept=EVERY_EXCEPTION)

    text = changelog(decided)
    ends = "document | settled again by | reason | grade in 1.0 | grade now |"
    assert ends in changelog(waiting)
    assert "| the adjudicator | It is a &#124; duplicate. | 3 | none |" in changelog(waiting)
    assert "| `q2_method` | `d3` | two judges | Report 1.0-2. | 2 | none |" in changelog(waiting)
    assert "duplicate" not in text
    assert "| `q1_background` | `d2` | the adjudicator | A reader found an error. | 2 | 1 |" in text
    later = publish_release(collection=collection, version="1.3", accept=EVERY_EXCEPTION)
    assert "settled again" not in changelog(later)


def test_changed_guidelines_and_new_rounds_are_in_the_next_version_only(collection):
    publish(collection, "1.0")
    first = Opening.objects.get(query__name="q1_method").guideline
    again = {"queries": ["q1_method"], "judge_again": True}
    apply_guideline(
        collection=collection, guideline=first, reason="Judge anew.", made_by=None, **again
    )
    second = write_guideline(facet=first.facet, instructions="Clearer.", grades=first.grades)
    apply_guideline(
        collection=collection,
        queries=["q2_method"],
        guideline=second,
        reason="Clearer.",
        judge_again=False,
        made_by=None,
    )

    changed = publish_release(collection=collection, version="1.1", accept=EVERY_EXCEPTION)

    assert "| `q1_method` | 1 | 1 | 2 (new) | Judge anew. |" in changelog(changed)
    assert "| `q2_method` | 1 | 2 | 1 | Clearer. |" in changelog(changed)
    assert changed.manifest["guideline_changes"] == {"first": 1, "last": 2}
    later = publish_release(collection=collection, version="1.2", accept=EVERY_EXCEPTION)
    assert "Guidelines" not in changelog(later)


def test_candidates_are_read_from_lines_with_and_without_escapes():
    ids = [("q 1", 'd"1'), ("q1", "d1"), ("q\\2", "ü")]
    documents = [PooledDocument(paper, docno, 1, "", ()) for paper, docno in ids]
    content = write_pools(documents)

    assert sorted(read_candidates(content.splitlines)) == sorted(ids)


def test_labels_are_aligned_in_the_order_of_their_files():
    before = [(("q1", "d1"), "1"), (("q1", "d2"), "0"), (("q2", "d1"), "3")]
    after = [(("q1", "d2"), "2"), (("q2", "d1"), "3"), (("q3", "d1"), "1")]

    pairs = list(aligned(before, after))
    summary = summarise(pairs, {"q1": "method"}, shown=1)

    assert [pair.kind for pair in pairs] == ["removed", "changed", "same", "added"]
    assert summary.facets["method"].count("changed") == 1
    assert summary.facets[""].grades == {("3", "3"): 1, (None, "1"): 1}
    assert summary.queries_added == ["q3"]
    assert summary.first_changed == [LabelPair("q1", "d2", "0", "2")]
