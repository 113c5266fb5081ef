"""Saving a judgment: what counts, what is refused, and what becomes of the pair."""

from __future__ import annotations

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.urls import reverse

from accounts.services import add_member, set_roles
from annotation import openings
from annotation.guidelines import save_guideline
from annotation.judging import next_pairs, put_off, shown_pair, state_of
from annotation.models import Judgment, Pair, PairState, Slot
from corpus.models import Document
from tests import builders
from tests.builders import judge
from web.errors import BadInput, Conflict, NotFound

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(query):
    return Pair.objects.filter(query=query).order_by("pk").first()


def test_equal_grades_settle_a_pair(pair, people):
    judge(pair, people.ann, 2)
    pair.refresh_from_db()
    assert (pair.state, pair.final) == (PairState.OPEN, None)
    judge(pair, people.bob, 2)
    pair.refresh_from_db()
    assert (pair.state, pair.final) == (PairState.AGREED, 2)


@pytest.mark.parametrize("other", [3, None])
def test_different_grades_or_a_missing_one_make_a_case(pair, people, other):
    judge(pair, people.ann, 2)
    judge(pair, people.bob, other)
    pair.refresh_from_db()
    assert (pair.state, pair.final) == (PairState.CASE, None)


def test_a_submission_sent_twice_counts_once(pair, people):
    key = uuid.uuid4()
    first = judge(pair, people.ann, 2, key=key)
    again = judge(pair, people.ann, 2, key=key, replaces=None)
    assert first == again
    assert Judgment.objects.count() == 1


def test_a_key_serves_one_judgment_only(pair, people):
    key = uuid.uuid4()
    judge(pair, people.ann, 2, key=key)
    with pytest.raises(Conflict):
        judge(pair, people.ann, 3, key=key)


def test_the_latest_judgment_counts_and_the_earlier_ones_stay(pair, people):
    judge(pair, people.ann, 1)
    judge(pair, people.bob, 2)
    judge(pair, people.ann, 2)
    pair.refresh_from_db()
    assert (pair.state, pair.final) == (PairState.AGREED, 2)
    assert [each.grade for each in Judgment.objects.filter(judge=people.ann).order_by("pk")] == [1, 2]


def test_what_was_judged_in_another_window_is_not_overwritten(pair, people):
    judge(pair, people.ann, 1)
    with pytest.raises(Conflict, match="another window"):
        judge(pair, people.ann, 3, replaces=None)


def test_a_judgment_of_another_text_is_refused(pair, people):
    shown = shown_pair(people.ann, pair.query, pair.token)
    pair.document.sentences = ["Something else."]
    pair.document.save()
    with pytest.raises(Conflict, match="changed"):
        judge(pair, people.ann, 1, digest=shown.presentation.digest)


def test_a_judgment_knows_its_guideline(pair, people, collection):
    shown = shown_pair(people.ann, pair.query, pair.token)
    save_guideline(collection=collection, facet="method", text="New.", grades=[{}] * 4, change="", by=None)
    with pytest.raises(Conflict):
        judge(pair, people.ann, 1, digest=shown.presentation.digest)
    assert judge(pair, people.ann, 1).guideline_version == 1


def test_nobody_judges_a_pair_of_others(pair, people, collection):
    add_member(collection=collection, user=people.ada, roles=["annotator"])
    with pytest.raises(NotFound):
        judge(pair, people.ada, 1)


def test_a_closed_query_takes_no_judgments(query, people, collection):
    with pytest.raises(Conflict, match="missing"):
        openings.close_queries(collection=collection, queries=[query])
    pairs = list(query.pairs.all())
    for each in pairs:
        judge(each, people.ann, 1)
        judge(each, people.bob, 1)
    assert openings.close_queries(collection=collection, queries=[query]) == 1
    with pytest.raises(Conflict, match="closed"):
        judge(pairs[0], people.ann, 2)


def test_an_admin_who_judges_cannot_revise_once_both_are_in(query, people, collection):
    add_member(collection=collection, user=people.ann, roles=["admin"])
    pair = query.pairs.first()
    judge(pair, people.ann, 1)
    judge(pair, people.ann, 2)  # the other grade is not in yet
    judge(pair, people.bob, 1)
    with pytest.raises(Conflict, match="admin"):
        judge(pair, people.ann, 1)
    set_roles(membership=collection.memberships.get(user=people.ann), roles=["annotator"])
    with pytest.raises(Conflict, match="admin"):  # who gave up the role has seen both grades
        judge(pair, people.ann, 1)
    judge(pair, people.bob, 2)  # no admin: may revise


@pytest.mark.parametrize(
    ("grade", "reason", "note", "error"),
    [
        (4, "", "", "0 to 3"),
        (-1, "", "", "0 to 3"),
        (None, "", "", "a reason"),
        (2, "text", "", "a reason"),
        (None, "weather", "", "one of"),
        (None, "other", " ", "note"),
        (1, "", "x" * 2001, "2,000"),
    ],
)
def test_what_is_no_judgment_is_refused_in_words(pair, people, grade, reason, note, error):
    with pytest.raises(BadInput, match=error):
        judge(pair, people.ann, grade, reason=reason, note=note)
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("grade", [0, 3])
def test_the_lowest_and_the_highest_grade_and_the_longest_note_are_taken(pair, people, grade):
    judgment = judge(pair, people.ann, grade, note="x" * 2000)
    assert (judgment.grade, len(judgment.note)) == (grade, 2000)


@pytest.mark.parametrize(("sent", "kept"), [(None, None), (-3.0, 0.0), (0.5, 0.5), (90_000.0, 86_400.0)])
def test_seconds_are_at_least_0_and_at_most_a_day(pair, people, sent, kept):
    assert judge(pair, people.ann, 1, seconds=sent).seconds == kept


def test_judgments_are_never_changed_or_deleted(pair, people):
    judgment = judge(pair, people.ann, 1)
    for change in (lambda: Judgment.objects.update(grade=3), judgment.delete, Slot.objects.all().delete):
        with pytest.raises((IntegrityError, ProtectedError)), transaction.atomic():
            change()
    judgment.refresh_from_db()
    assert judgment.grade == 1


def test_a_judged_slot_keeps_its_judge(pair, people):
    judge(pair, people.ann, 1)
    slot = Slot.objects.get(pair=pair, judge=people.ann)
    with pytest.raises(IntegrityError), transaction.atomic():
        Slot.objects.filter(pk=slot.pk).update(judge=people.ada)


def test_what_is_put_off_comes_last(query, people):
    first = next_pairs(people.ann, query)[0]
    put_off(judge=people.ann, query=query, token=first.token)
    assert next_pairs(people.ann, query)[-1].token == first.token


def test_states_derived_anew_equal_the_columns(query, people):
    for number, pair in enumerate(query.pairs.order_by("pk")):
        judge(pair, people.ann, number % 4)
        if number % 3:
            judge(pair, people.bob, [number % 4, (number + 1) % 4][number % 2])
    for pair in query.pairs.all():
        derived = state_of([slot.judgment for slot in pair.slots.order_by("number")], pair.referred)
        assert derived == (pair.state, pair.final)


def test_the_page_judges_without_scripts(as_, query, people):
    client = as_("ann")
    url = reverse("workspace", args=[query.collection.slug, query.pk])
    shown = client.get(url).context["shown"]
    answer = {"grade": 2, "key": uuid.uuid4(), "replaces": "", "digest": shown.presentation.digest}
    judge_url = reverse("judge-pair", args=[query.collection.slug, query.pk, shown.token])
    assert client.post(judge_url, answer, headers={"accept": "text/html"}).status_code == 302
    assert client.get(url).context["shown"].token != shown.token


def test_without_scripts_a_refusal_shows_the_pair_again(as_, query, people, collection):
    shown = next_pairs(people.ann, query)[0]
    url = reverse("judge-pair", args=[collection.slug, query.pk, shown.token])
    answer = {"grade": 2, "key": uuid.uuid4(), "digest": "of another text"}
    page = as_("ann").post(url, answer, headers={"accept": "text/html"})
    assert (page.status_code, page.context["shown"].token) == (409, shown.token)
    assert "changed after the page was loaded" in page.content.decode()
    add_member(collection=collection, user=people.ada, roles=["annotator"])
    assert as_("ada").post(url, answer, headers={"accept": "text/html"}).status_code == 404  # not ada's to judge


def test_a_script_gets_the_next_pairs_and_goes_back_through_ones_own(as_, query, people):
    client, more = as_("ann"), reverse("judge-more", args=[query.collection.slug, query.pk])

    def tokens(**parameters: str) -> list[str]:
        return [shown.token for shown in client.get(more, parameters).context["pairs"]]

    first, second, third, *rest = tokens()
    for token in (first, second):
        judge(query.pairs.get(token=token), people.ann, 1)
    judge(query.pairs.get(token=third), people.bob, 1)
    assert tokens(without=f"{third},") == rest
    assert tokens(before="") == tokens(before=third) == [second]
    assert tokens(before=second) == [first]
    assert tokens(before=first) == []
    workspace = reverse("workspace", args=[query.collection.slug, query.pk])
    shown = client.get(workspace, {"before": second}).context["shown"]
    assert (shown.token, shown.judgment.grade) == (first, 1)


def test_a_query_leads_to_the_next_that_is_not_done(as_, query, collection, papers, people):
    other = builders.query(collection, papers[9])
    builders.opened(other, papers[1:2], people.ann, people.bob)
    client, url = as_("ann"), reverse("workspace", args=[collection.slug, query.pk])
    assert client.get(url).context["next_query"] == other
    judge(other.pairs.get(), people.ann, 1)
    assert client.get(url).context["next_query"] is None
    page = client.get(reverse("work", args=[collection.slug])).context
    assert [[row["query"] for row in page[name]] for name in ("waiting", "finished")] == [[query], [other]]
    assert page["lead"].startswith("8 pairs to judge")


def test_time_left_is_at_ones_own_pace_from_five_judgments_on(as_, query, people):
    client, url = as_("ann"), reverse("workspace", args=[query.collection.slug, query.pk])

    def shown() -> tuple[float, int]:
        page = client.get(url).context
        return page["pace"], page["minutes_left"]

    pairs = list(query.pairs.all())
    for pair in pairs[:4]:
        judge(pair, people.ann, 1, seconds=1200.0)
    assert shown() == (15.0, 1)  # four pairs are left
    judge(pairs[4], people.ann, 1, seconds=1200.0)
    assert shown() == (1200.0, 60)


def test_a_script_is_told_the_key_it_sent(as_, query, people):
    client = as_("ann")
    shown = next_pairs(people.ann, query)[0]
    judge_url = reverse("judge-pair", args=[query.collection.slug, query.pk, shown.token])
    key = str(uuid.uuid4())
    answer = {"grade": 2, "key": key, "digest": "of another text"}
    refused = client.post(judge_url, answer, headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["error"], refused.json()["key"]) == (409, "Conflict", key)
    answer["digest"] = shown.presentation.digest
    saved = client.post(judge_url, answer, headers={"accept": "application/json"})
    assert saved.json() == {"key": key}


def test_own_judgments_are_those_that_count(as_, query, people):
    first, second = query.pairs.order_by("document__docno")[:2]
    for pair, who, grade in ((first, people.ann, 1), (first, people.ann, 2), (first, people.bob, 3)):
        judge(pair, who, grade)
    judge(second, people.ann, None, reason="text")

    def lines(**filters: object) -> list[str]:
        found = as_("ann").get(reverse("review", args=[query.collection.slug]), filters | {"format": "csv"})
        return [line.rpartition(",")[0] for line in found.getvalue().decode().splitlines()[1:]]  # without the time

    of_first, of_second = "On d01,d00_method,2", "On d02,d00_method,"
    assert lines(sort="slot__pair__query__name") == [of_first, of_second]
    assert lines(sort="grade") == lines(query=query.pk, sort="grade") == [of_first, of_second]
    assert lines(grade=2) == [of_first]
    assert lines(reason="text") == [of_second]


def test_an_answer_kept_by_someone_else_is_not_saved_for_me(as_, query, people):
    shown = next_pairs(people.ann, query)[0]
    judge_url = reverse("judge-pair", args=[query.collection.slug, query.pk, shown.token])
    answer = {"grade": 2, "key": uuid.uuid4(), "digest": shown.presentation.digest, "person": people.bob.pk}
    refused = as_("ann").post(judge_url, answer, headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["error"]) == (403, "OtherPerson")
    assert not Judgment.objects.exists()


def test_a_document_without_any_text_is_given_to_nobody(collection, people, papers):
    blank = builders.document(collection, "blank", sentences=[], labels=[])
    Document.objects.filter(pk=blank.pk).update(title="")
    only_title = builders.document(collection, "titled", sentences=[], labels=[])
    query = builders.query(collection, papers[0])
    builders.opened(query, [blank, only_title], people.ann, people.bob)
    assert [pair.document for pair in query.pairs.all()] == [only_title]


def test_a_definition_beside_its_key_is_plain_text(query, people, as_):
    grades = [{"definition": "**Any** <i>match</i> & *more*."}] * 4
    save_guideline(collection=query.collection, facet="method", text="", grades=grades, change="", by=None)
    page = as_("ann").get(reverse("workspace", args=[query.collection.slug, query.pk]))
    assert page.content.decode().count('<span class="definition">Any ') == 4
    assert "**" not in page.content.decode()
