import pytest

from annotation.services import open_query, presentation_of
from bundle.findings import Finding
from bundle.readme.exceptions import EXCEPTIONS
from corpus.models import Document
from corpus.services import create_query
from pooling.models import Contribution
from release.errors import GateClosed
from release.gate.checks import ACCEPTABLE, CHECKS, blocking_findings
from release.services import build_bundle, find_faults
from release.snapshot import take_snapshot
from tests.support.factories import DocumentFactory, a_collection, a_pool, a_query, annotators
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    judge_all,
    slot_of,
)
from tests.support.releases import USUAL_CHECKS, accepting
from tests.support.rules import rule_suspended
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_judged_collection()


def finding(collection, check) -> Finding:
    return next(finding for finding in find_faults(collection=collection) if finding.check == check)


def test_a_finished_collection_passes_every_check(collection):
    findings = find_faults(collection=collection)

    assert [finding.check for finding in findings] == USUAL_CHECKS
    assert all(finding.ok for finding in findings)


def test_a_collection_without_a_final_label_can_never_be_released():
    empty = finding(a_collection(), "empty")

    assert not empty.ok
    assert not empty.can_accept
    assert blocking_findings([empty], {"empty"}) == (empty,)


def test_a_due_case_is_unresolved():
    collection = an_opened_collection()
    judge_all(collection, GRADES)
    decide_all(collection, {key: RULINGS[key] for key in list(RULINGS)[1:]})

    unresolved = finding(collection, "unresolved")

    assert (unresolved.ok, unresolved.count) == (False, 1)
    assert unresolved.items == ("q1_background d3",)
    assert unresolved.how_to_fix


def test_a_revised_judgment_makes_its_case_due_again(collection):
    judge(slot_of(collection, "q1_method", "d2", 1), 0)

    assert finding(collection, "unresolved").items == ("q1_method d2",)


def test_a_pair_with_one_judgment_is_unjudged():
    collection = an_opened_collection()
    judge_all(collection, {key: both for key, both in GRADES.items() if key != ("q1_method", "d1")})
    judge(slot_of(collection, "q1_method", "d1", 1), 3)

    assert finding(collection, "unjudged-pairs").items == ("q1_method d1",)


def test_a_query_that_was_never_opened_is_named(collection):
    create_query(collection=collection, docno="q2", facet_key="result")

    unopened = finding(collection, "unopened-queries")

    assert (unopened.ok, unopened.items) == (False, ("q2_result",))


def test_a_collection_without_a_licence_is_stopped():
    assert not finding(a_judged_collection(licence=" "), "licence").ok


def test_a_query_paper_in_its_own_qrels_is_named(collection):
    paper = DocumentFactory(collection=collection, docno="q9")
    query = create_query(collection=collection, docno="q9", facet_key="method")
    a_pool(query.query_paper, [paper])
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_all(collection, {("q9_method", "q9"): (3, 3)})

    assert finding(collection, "self-retrieved").items == ("q9_method",)


def test_a_query_paper_in_its_own_pool_but_never_labelled_is_in_order(collection):
    query = a_query(collection, size=1)
    query.query_paper.pool.candidates.create(
        document=query.query_paper.document, position=2, excluded="never-judged"
    )

    assert finding(collection, "self-retrieved").ok


def test_a_label_without_a_source_is_named():
    collection = a_collection(licence="CC0-1.0")
    query = a_query(collection, size=1)
    Contribution.objects.filter(candidate__pool=query.query_paper.pool).delete()
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    docno = query.query_paper.pool.candidates.get().document.docno
    judge_all(collection, {(query.name, docno): (3, 3)})

    assert finding(collection, "provenance").items == (f"{query.name} {docno}",)


def change_the_text_behind_the_programs_back(docno: str) -> None:
    with rule_suspended("document_text_in_frozen_pool", "corpus_document"):
        Document.objects.filter(docno=docno).update(title="Another paper")


def test_a_text_that_changed_after_it_was_judged_is_named_with_its_pairs(collection):
    change_the_text_behind_the_programs_back("d4")

    changed = finding(collection, "changed-texts")

    assert (changed.ok, changed.can_accept, changed.items) == (False, True, ("q2_method d4",))
    assert "confirm or change their grades" in changed.how_to_fix


def test_a_query_papers_own_text_counts_too(collection):
    change_the_text_behind_the_programs_back("q2")

    assert finding(collection, "changed-texts").items == (
        "q2_method d1",
        "q2_method d3",
        "q2_method d4",
    )


def test_a_facet_with_other_labels_marks_other_sentences(collection):
    with rule_suspended("facet_stays_once_opened", "corpus_facet"):
        collection.facets.filter(key="background").update(labels=["result"])

    assert finding(collection, "changed-texts").items == (
        "q1_background d1",
        "q1_background d2",
        "q1_background d3",
    )


@pytest.mark.parametrize("slot", [1, 2])
def test_one_judgment_of_another_text_is_enough(collection, slot):
    change_the_text_behind_the_programs_back("d4")
    judge(slot_of(collection, "q2_method", "d4", slot), 1)

    assert finding(collection, "changed-texts").items == ("q2_method d4",)


def test_a_judgment_without_a_digest_is_named(collection):
    slot = slot_of(collection, "q2_method", "d4", 1)
    slot.judgment = slot.judgments.create(
        sequence=2, annotator=slot.annotator, grade=1, guideline_version=1, key="0" * 32
    )
    slot.save(update_fields=["judgment"])

    assert finding(collection, "changed-texts").items == ("q2_method d4",)


def test_judging_the_changed_text_puts_the_pair_in_order(collection):
    change_the_text_behind_the_programs_back("d4")
    for slot in (1, 2):
        judge(slot_of(collection, "q2_method", "d4", slot), 1)

    assert finding(collection, "changed-texts").ok


def test_a_pair_judged_once_says_nothing_of_its_text():
    collection = an_opened_collection()
    judge(slot_of(collection, "q1_method", "d1", 1), 3)
    change_the_text_behind_the_programs_back("d1")

    assert finding(collection, "changed-texts").ok


def test_every_acceptable_finding_has_its_sentence_in_the_readme():
    assert set(EXCEPTIONS) == set(ACCEPTABLE)


def test_a_changed_text_is_released_with_the_digest_of_what_was_judged(collection):
    pair = slot_of(collection, "q2_method", "d4", 1).pair
    judged = presentation_of(pair, 1).digest
    change_the_text_behind_the_programs_back("d4")

    snapshot = take_snapshot(collection)

    assert {rating.presentation_digest for rating in snapshot.ratings if rating.docno == "d4"} == {
        judged
    }
    with pytest.raises(GateClosed, match="changed-texts"):
        build_bundle(snapshot, "1.0", {})
    accepted = build_bundle(snapshot, "1.0", accepting(["changed-texts"])).manifest["accepted"]
    assert accepted == [
        {
            "check": "changed-texts",
            "count": 1,
            "items": ["q2_method d4"],
            "reason": "Tried in a test.",
        }
    ]


def test_an_id_with_white_space_can_never_be_released():
    collection = a_collection()
    paper = DocumentFactory(collection=collection)
    query = create_query(collection=collection, docno=paper.docno, facet_key="method")
    a_pool(query.query_paper, [DocumentFactory(collection=collection, docno="two words")])
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_all(collection, {(query.name, "two words"): (3, 3)})

    ids = finding(collection, "ids")

    assert (ids.ok, ids.can_accept, ids.items) == (False, False, ("'two words'",))


def test_a_facet_named_like_the_file_of_all_facets_is_refused(collection):
    with rule_suspended("facet_stays_once_opened", "corpus_facet"):
        collection.facets.filter(key="result").update(key="all")

    assert finding(collection, "ids").items == ("facet all",)


def test_many_faults_are_counted_and_the_first_are_named():
    collection = an_opened_collection()
    query = a_query(collection, size=25)
    open_query(query=query, annotators=annotators(collection), opened_by=None)

    unjudged = finding(collection, "unjudged-pairs")

    assert (unjudged.count, len(unjudged.items)) == (34, 20)


def test_only_the_accepted_findings_step_aside():
    licence = Finding("licence", ok=False, message="none")
    unresolved = Finding("unresolved", ok=False, message="some")

    assert blocking_findings([licence, unresolved], {"licence"}) == (unresolved,)


def test_check_names_are_stable():
    """They are in people's scripts and in published manifests."""
    assert set(ACCEPTABLE) == {
        "licence",
        "corpus-licence",
        "unresolved",
        "unjudged-pairs",
        "unopened-queries",
        "unopened-candidates",
        "no-relevant",
        "self-retrieved",
        "duplicates",
        "provenance",
        "changed-texts",
        "datasheet",
        "old-reports",
        "made-folds",
    }
    assert set(CHECKS) - set(ACCEPTABLE) == {
        "empty",
        "ids",
        "owner-annotators",
        "model-labels",
    }
