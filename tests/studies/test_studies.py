import uuid

import pytest
from django.db import transaction

from accounts.locking import CollectionArchived
from accounts.models import Role, User
from adjudication.labels import labelled_pairs
from agreement.revision import revision_of
from annotation.models import Slot
from annotation.services import Answer, ReadInFull, open_query
from corpus.models import FullText
from corpus.services import create_query
from dashboard.settings.archiving import archive_collection, begin_deletion
from dashboard.settings.deletion import delete_collection
from dashboard.settings.export import export_collection
from studies.models import Study, StudyRating
from studies.services import (
    BadRating,
    BadStudy,
    NotYourStudy,
    RatedMeanwhile,
    RatingKeyReused,
    StudyEnded,
    StudyNameTaken,
    WrongFullText,
    end_study,
)
from tests.support.factories import a_collection, an_open_query, annotators, member
from tests.support.sittings import judge, judge_both
from tests.support.study_scenes import a_labelled_query, a_study, attach_full_texts, rate
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def collection():
    return a_collection()


def person(username: str) -> User:
    return User.objects.get(username=username)


@pytest.fixture
def study(collection) -> Study:
    a_labelled_query(collection, 3, 1, 0)
    return a_study(collection)


def test_pairs_without_label_or_full_text_are_left_out_with_the_reason(collection):
    a_labelled_query(collection, 3, 1, 0, 2)
    without_texts = an_open_query(collection)
    judge_both(without_texts, (1, 1))
    differing = an_open_query(collection, 1)
    judge_both(differing, (0, 3))
    for pair in differing.query.pairs.select_related("candidate__document"):
        attach_full_texts(differing.query.query_paper.document, pair.candidate.document)

    study = a_study(collection)

    assert study.left_out == {
        "the query paper has no full text": 3,
        "no final label": 1,
        "more than the study needs": 1,
    }


def test_a_rater_who_still_judges_the_query_paper_cannot_rate_it(collection):
    paper = a_labelled_query(collection, 3, 1, 0).query.query_paper
    other = create_query(collection=collection, docno=paper.name, facet_key="result")
    open_query(query=other, annotators=annotators(collection), opened_by=None)

    with pytest.raises(BadStudy) as error:
        a_study(collection)

    assert "Only 0 queries have 3 pairs" in str(error.value)
    assert "3: the rater still judges" in str(error.value)
    assert "3: no final label" in str(error.value)


def test_texts_with_nothing_but_the_abstract_are_not_chosen(collection):
    a_labelled_query(collection, 3, 1, 0, 2)
    # Only the texts of chosen pairs are read, and the names of the documents decide the choice.
    before = transaction.savepoint()
    document = a_study(collection).pairs.earliest("position").pair.candidate.document
    transaction.savepoint_rollback(before)
    sections = [{"heading": "", "paragraphs": [document.abstract]}]
    FullText.objects.filter(document=document).update(sections=sections)

    study = a_study(collection)

    assert study.left_out == {"a full text has nothing but the abstract": 1}
    assert not study.pairs.filter(pair__candidate__document=document).exists()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "Full Text"}, "Invalid name"),
        ({"queries": 0}, "queries must be from 1 to 200, got 0"),
        ({"per_query": 51}, "must be from 1 to 50, got 51"),
        ({"named": ["nonsense"]}, "no query nonsense"),
        ({"rater": "admin"}, "admin is not an annotator"),
        ({"rater": "both"}, "both is also an adjudicator"),
    ],
)
def test_a_study_that_cannot_be_made_says_why(collection, changes, reason):
    a_labelled_query(collection, 3, 1, 0)
    for role in (Role.ANNOTATOR, Role.ADJUDICATOR):
        member(collection, role, "both")
    if "rater" in changes:
        changes = {"rater": person(changes["rater"])}

    with pytest.raises(BadStudy, match=reason):
        a_study(collection, **changes)

    assert not Study.objects.exists()


def test_a_name_is_taken_once(study):
    with pytest.raises(StudyNameTaken):
        a_study(study.collection)


def test_a_rating_is_superseded_and_the_same_submission_counts_once(study):
    key = uuid.uuid4()
    for _ in range(2):
        rate(study, 1, grade=2, key=key, supersedes=None)
    rate(study, 1, grade=3)

    ratings = StudyRating.objects.values_list("sequence", "grade")
    assert list(ratings) == [(1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (WrongFullText, {"presentation_digest": "0" * 64}),
        (RatedMeanwhile, {"supersedes": None}),
        (BadRating, {"answer": Answer(grade=4)}),
        (BadRating, {"answer": Answer(reason="other")}),
        (NotYourStudy, {"rater": "ann2"}),
        (NotYourStudy, {"rater": "admin"}),
    ],
)
def test_a_rating_that_cannot_be_saved_changes_nothing(study, error, changes):
    rate(study, 1, grade=2)
    if "rater" in changes:
        changes = {"rater": person(changes["rater"])}

    with pytest.raises(error):
        rate(study, 1, grade=1, **changes)

    assert StudyRating.objects.get().grade == 2


def test_one_key_cannot_rate_two_pairs(study):
    first = rate(study, 1, grade=2)

    with pytest.raises(RatingKeyReused):
        rate(study, 2, grade=2, key=first.key)


def test_a_rater_who_was_an_adjudicator_meanwhile_can_rate_no_more(study):
    member(study.collection, Role.ADJUDICATOR, "ann1")
    with pytest.raises(NotYourStudy):
        rate(study, 1, grade=2)

    study.collection.memberships.get(user=study.rater, role=Role.ADJUDICATOR).delete()

    with pytest.raises(NotYourStudy):
        rate(study, 1, grade=2)
    with pytest.raises(BadStudy, match="ann1 was an adjudicator"):
        a_study(study.collection, name="again")


def test_an_ended_study_and_an_archived_collection_take_no_rating(study):
    end_study(study=study)
    with pytest.raises(StudyEnded):
        rate(study, 1, grade=2)
    archive_collection(collection=study.collection)
    with pytest.raises(CollectionArchived):
        rate(study, 1, grade=2)


def test_ratings_are_no_judgments(study):
    collection = study.collection
    before = list(labelled_pairs(collection)), revision_of(collection)

    for position, grade in enumerate((2, 0, None), start=1):
        rate(study, position, grade=grade)

    assert (list(labelled_pairs(collection)), revision_of(collection)) == before


def test_the_rater_cannot_change_a_judgment_after_the_full_text(study):
    slots = Slot.objects.filter(pair__study_pairs__study=study)

    with pytest.raises(ReadInFull):
        judge(slots.get(annotator=study.rater, pair=study.pairs.first().pair), 2)
    judge(slots.get(annotator__username="ann2", pair=study.pairs.first().pair), 2)


def test_a_study_is_exported_and_deleted_with_its_collection(study):
    rate(study, 1, grade=2)
    collection = study.collection
    archive_collection(collection=collection)

    exported = b"".join(export_collection(collection))
    begin_deletion(collection=collection, name=collection.slug)
    delete_collection(collection=collection)

    for name in (
        b"studies.study",
        b"studies.studypair",
        b"studies.studyrating",
        b"corpus.fulltext",
    ):
        assert name + b".jsonl" in exported
    assert not StudyRating.objects.exists()
    assert not FullText.objects.exists()
