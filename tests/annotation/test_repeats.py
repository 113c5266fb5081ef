"""Hidden repeats: shown as any pair, answered as any pair, and never counted."""

from __future__ import annotations

import json
import re
import uuid
from itertools import pairwise

import pytest
from django.urls import reverse

from accounts.models import Collection, Role, User
from adjudication.models import Recipient
from annotation import queue
from annotation.guidelines.changes import apply_guideline
from annotation.models import Judgment, PairCount, Repeat, RepeatJudgment, Slot, SlotCount
from annotation.repeats.choice import DISTANCE
from annotation.services import (
    Answer,
    CollectionArchived,
    KeyReused,
    NotYours,
    RevisedMeanwhile,
    WasAdmin,
    WrongPresentation,
    postpone,
    reassign_seat,
    write_guideline,
)
from annotation.slot_sql import REPEATS
from tests.support.factories import a_collection, an_open_query, member
from tests.support.repeats import (
    a_collection_with_repeats,
    an_open_query_with_repeats,
    answer_all,
    answer_next,
    answer_repeat,
    answer_token,
    judge_slot_of,
    repeats_of,
)
from tests.support.sittings import carried, judge, query_url, refer, slots_of
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@once_a_file
def opening():
    return an_open_query_with_repeats(0.5, size=6)


@pytest.fixture
def repeat(opening):
    """Of a judged pair."""
    found = repeats_of(opening)[0]
    judge_slot_of(found, 2)
    return found


@pytest.fixture
def ann1(opening):
    return User.objects.get(username="ann1")


# Rows


def test_each_judge_has_the_share_of_own_pairs_again(opening):
    assert [len(repeats_of(opening, name)) for name in ("ann1", "ann2")] == [3, 3]
    for repeat in repeats_of(opening):
        assert repeat.slot.annotator == repeat.annotator
        assert repeat.token != repeat.slot.pair.token
        assert re.fullmatch("[0-9a-f]{16}", repeat.token)


def test_without_a_share_no_pair_comes_again():
    an_open_query(a_collection("other"))

    assert not Repeat.objects.filter(query__collection__slug="other").exists()


def test_a_change_of_the_share_is_for_queries_opened_later(opening):
    collection = opening.query.collection
    Collection.objects.filter(pk=collection.pk).update(repeat_share=0)

    later = an_open_query(Collection.objects.get(pk=collection.pk), size=6)

    assert (len(repeats_of(opening)), repeats_of(later)) == (3, [])


# Order


def test_a_repeat_comes_after_the_distance_or_at_the_end():
    opening = an_open_query_with_repeats(0.2, size=40)
    repeats = {repeat.token: repeat.slot.pair.token for repeat in repeats_of(opening)}

    tokens = answer_all(opening, "ann1")

    assert len(tokens) == 48
    gaps = [tokens.index(token) - tokens.index(pair) - 1 for token, pair in repeats.items()]
    assert min(gaps) >= DISTANCE
    assert {judgment.distance for judgment in RepeatJudgment.objects.all()} == set(gaps)


def test_the_pairs_ahead_are_the_order_in_which_they_come(ann1):
    opening = an_open_query(a_collection_with_repeats(0.2, slug="long"), size=40)
    query = queue.own_query(opening.query.collection, ann1, opening.query.name)
    ahead = [pair.token for pair in queue.pairs_ahead(query, ann1, count=48)]
    first = ahead[:15]

    later = [pair.token for pair in queue.pairs_ahead(query, ann1, without=first, count=48)]

    assert answer_all(opening, "ann1") == ahead
    assert later == ahead[15:]


def test_a_repeat_can_be_put_off_and_comes_last(opening, ann1):
    for _ in range(6):
        answer_next(opening, ann1)
    first = queue.next_token(opening.query.pk, ann1)
    place = queue.own_slot("small", ann1, opening.query.name, first)

    postpone(slot_id=place.pk, annotator=ann1, rows=place.rows)

    assert place.rows is REPEATS
    assert queue.progress_in(opening.query.pk, ann1).postponed == 1
    assert answer_all(opening, "ann1")[-1] == first


# Answers


def test_an_answer_is_stored_with_the_judgment_that_stood(opening, repeat):
    judge_slot_of(repeat, 3)

    answer = answer_repeat(repeat, 1, seconds=4.5)

    assert answer.compared == Judgment.objects.get(slot=repeat.slot_id, sequence=2)
    assert (answer.grade, answer.seconds, answer.distance, answer.round) == (1, 4.5, 0, 1)
    judge_slot_of(repeat, 0)
    answer.refresh_from_db()
    assert answer.compared.grade == 3


def test_an_answer_to_a_pair_that_was_put_off_is_compared_with_nothing(opening):
    answer = answer_repeat(repeats_of(opening)[0], 1)

    assert (answer.compared, answer.distance) == (None, None)


def test_another_answer_supersedes_the_first(repeat):
    first, second = answer_repeat(repeat, 1), answer_repeat(repeat, 2)

    repeat.refresh_from_db()
    assert repeat.judgment == second
    assert [each.sequence for each in (first, second)] == [1, 2]


def test_the_same_submission_counts_once(repeat):
    key = uuid.uuid4()
    first = answer_repeat(repeat, 1, key=key)

    assert answer_repeat(repeat, 1, key=key, supersedes=None) == first
    with pytest.raises(KeyReused):
        answer_repeat(repeat, 2, key=key, supersedes=None)


def test_an_answer_must_know_the_last_one(repeat):
    answer_repeat(repeat, 1)

    with pytest.raises(RevisedMeanwhile):
        answer_repeat(repeat, 2, supersedes=None)


def test_an_answer_to_another_text_is_refused(repeat):
    with pytest.raises(WrongPresentation):
        answer_repeat(repeat, 1, presentation_digest="0" * 64)


def test_a_repeat_of_another_person_is_not_yours(repeat):
    with pytest.raises(NotYours):
        answer_repeat(repeat, 1, annotator=User.objects.get(username="ann2"))


def test_a_former_admin_answers_no_repeat(repeat):
    repeat.query.collection.given_roles.create(user=repeat.annotator, role=Role.ADMIN)

    with pytest.raises(WasAdmin):
        answer_repeat(repeat, 1)


def test_an_archived_collection_takes_no_answer(opening, repeat, ann1):
    Collection.objects.update(archived_at="2026-01-01T00:00Z")

    with pytest.raises(CollectionArchived):
        answer_repeat(repeat, 1)
    with pytest.raises(CollectionArchived):
        postpone(slot_id=repeat.pk, annotator=ann1, rows=REPEATS)


# What ends it


def test_a_handover_drops_repeats_without_an_answer_and_keeps_the_others(opening):
    answered, due, _ = repeats_of(opening)
    for repeat in (answered, due):
        judge_slot_of(repeat, 2)
    answer_repeat(answered, 1)
    third = member(opening.query.collection, Role.ANNOTATOR, "ann3")

    reassign_seat(opening=opening, number=1, annotator=third)

    assert repeats_of(opening) == [answered]
    new = repeats_of(opening, "ann3")
    assert [repeat.slot.annotator for repeat in new] == [third, third]  # half of four pairs


def test_an_answer_to_a_dropped_repeat_is_not_yours(opening, repeat, ann1):
    stale = {"slot_id": repeat.pk, "presentation_digest": "0" * 64, "supersedes": None}
    reassign_seat(
        opening=opening,
        number=1,
        annotator=member(opening.query.collection, Role.ANNOTATOR, "ann3"),
    )

    assert queue.own_slot("small", ann1, opening.query.name, repeat.token) is None
    from annotation.services import submit_judgment

    with pytest.raises(NotYours):
        submit_judgment(
            annotator=ann1, answer=Answer(grade=1), key=uuid.uuid4(), rows=REPEATS, **stale
        )


def test_a_pair_opened_for_two_judges_again_does_not_come_a_third_time(opening, repeat):
    slot = repeat.slot
    judge(Slot.objects.select_related("pair__query").get(pair=slot.pair_id, number=2), 1)

    refer(slot.pair, Recipient.JUDGES)

    assert repeat not in repeats_of(opening)


def test_an_answer_to_a_pair_opened_again_is_hidden_from_its_author(opening, repeat, ann1):
    answer_repeat(repeat, 1)
    slot = repeat.slot
    judge(Slot.objects.select_related("pair__query").get(pair=slot.pair_id, number=2), 1)
    before = queue.progress_in(opening.query.pk, ann1)

    refer(slot.pair, Recipient.JUDGES)

    assert repeat in repeats_of(opening)
    assert queue.own_slot("small", ann1, opening.query.name, repeat.token) is None
    assert queue.own_judgments(opening.query, ann1) == []
    after = queue.progress_in(opening.query.pk, ann1)
    assert (before.judged, after.judged, after.total) == (2, 0, before.total - 1)


def test_a_new_round_has_repeats_of_its_own(opening, repeat, ann1):
    answer_repeat(repeat, 1)
    guideline = opening.guideline

    apply_guideline(
        collection=opening.query.collection,
        queries=[opening.query.name],
        guideline=guideline,
        reason="Again.",
        judge_again=True,
        made_by=None,
    )

    rounds = [(row.round, row.judgment_id is not None) for row in repeats_of(opening)]
    assert sorted(rounds) == [(1, True), (2, False), (2, False), (2, False)]
    assert queue.progress_in(opening.query.pk, ann1) == (9, 0, 0, 0)
    assert queue.own_slot("small", ann1, opening.query.name, repeat.token) is None


def test_another_guideline_in_the_same_round_keeps_the_repeats(opening, repeat):
    later = write_guideline(facet=opening.query.facet, **_text(opening))
    apply_guideline(
        collection=opening.query.collection,
        queries=[opening.query.name],
        guideline=later,
        reason="Clearer.",
        judge_again=False,
        made_by=None,
    )

    assert len(repeats_of(opening)) == 3


def _text(opening):
    guideline = opening.guideline
    return {"instructions": "Clearer.", "grades": guideline.grades}


# What others see


def test_repeats_change_no_count(opening):
    answer_all(opening, "ann1")

    counts = SlotCount.objects.get(query=opening.query, annotator__username="ann1")
    assert (counts.total, counts.judged) == (6, 6)
    assert PairCount.objects.get(query=opening.query).total == 6
    assert Judgment.objects.count() == 6
    assert RepeatJudgment.objects.count() == 3


# What the judge sees


def page_of(client, opening, token):
    return client.get(reverse("judge-pair", args=["small", opening.query.name, token]))


def shape(answer):
    """The answer without what may differ between two pairs: texts, names of rows and keys."""
    text = re.sub(
        r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|[0-9a-f]{16}", "X", answer.content.decode()
    )
    text = re.sub(r'nonce="[^"]*"|value="[A-Za-z0-9]{64}"', "", text)
    return re.sub(r"\bd\d+\b", "D", text)


def test_the_page_of_a_repeat_is_that_of_an_unjudged_pair(opening, repeat, ann1):
    client = client_of("ann1")
    unjudged = next(slot for slot in slots_of(opening, "ann1") if slot.judgment_id is None)

    assert shape(page_of(client, opening, repeat.token)) == shape(
        page_of(client, opening, unjudged.pair.token)
    )


def test_the_api_answers_for_a_repeat_as_for_an_unjudged_pair(opening, repeat):
    client = client_of("ann1")
    unjudged = next(slot for slot in slots_of(opening, "ann1") if slot.judgment_id is None)

    def answer(token):
        return client.get(reverse("api-pair", args=["small", opening.query.name, token]))

    assert answer(repeat.token).status_code == 200
    assert shape(answer(repeat.token)) == shape(answer(unjudged.pair.token))


def test_the_progress_counts_repeats_on_every_page_of_the_judge(opening, ann1):
    client = client_of("ann1")
    answer_next(opening, ann1)

    assert queue.progress_in(opening.query.pk, ann1)[:2] == (9, 1)
    pages = [
        client.get(query_url(opening)),
        client.get(query_url(opening, "judge-mine")),
        client.get(reverse("judge", args=["small"])),
    ]
    for page in pages:
        text = re.sub(r"<[^>]+>|\s+", " ", page.content.decode())
        assert re.search(r"1 (/|of) +9", re.sub(r"\s+", " ", text)), text


def test_own_judgments_list_a_repeat_once_it_is_answered(opening, repeat, ann1):
    assert len(queue.own_judgments(opening.query, ann1)) == 1

    answer_repeat(repeat, 0)

    assert [row.grade for row in queue.own_judgments(opening.query, ann1)] == [0, 2]
    listed = client_of("ann1").get(reverse("api-judgments", args=["small"])).json()["results"]
    assert [(row["grade"], row["counts"], row["token"]) for row in listed] == [
        (0, True, repeat.token),
        (2, True, repeat.slot.pair.token),
    ]


def test_undo_leads_from_a_repeat_to_the_pair_before_and_back(opening, ann1):
    tokens = answer_all(opening, "ann1")
    query = opening.query

    assert queue.token_before(query, ann1) == tokens[-1]
    for earlier, later in pairwise(tokens):
        assert queue.token_before(query, ann1, later) == earlier
    assert queue.token_before(query, ann1, tokens[0]) is None


def test_a_plain_form_answers_a_repeat_and_goes_on(opening, repeat):
    client = client_of("ann1")
    url = reverse("judge-pair", args=["small", opening.query.name, repeat.token])
    fields = carried(client.get(url).content.decode())

    answer = client.post(url, {**fields, "answer": "1"})

    assert answer.status_code == 302
    assert RepeatJudgment.objects.get().grade == 1


def test_the_script_gets_the_same_json_for_a_repeat(opening, repeat):
    client = client_of("ann1")
    url = reverse("judge-pair", args=["small", opening.query.name, repeat.token])
    fields = carried(client.get(url).content.decode())

    answer = client.post(url, {**fields, "answer": "1"}, HTTP_ACCEPT="application/json")

    assert json.loads(answer.content).keys() >= {"judged", "total", "key"}
    assert answer.json()["judged"] == 2


def test_a_repeat_shows_its_own_answer_and_not_the_first_one(opening, repeat, ann1):
    shown = queue.shown_pair(opening.query, ann1, repeat.token)
    assert (shown.judged, shown.grade, shown.judgment_key) == (False, None, None)

    answer_token(opening, ann1, repeat.token, 0)

    query = queue.own_query(opening.query.collection, ann1, opening.query.name)
    assert queue.shown_pair(query, ann1, repeat.token).grade == 0


def test_the_minutes_of_repeats_are_spent_time(opening, repeat, ann1):
    answer_repeat(repeat, 1, seconds=600)

    assert queue.minutes_spent(opening.query, ann1) == 10
