"""The report from the rows, its page, files and API answer."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from adjudication.models import Recipient
from agreement.consistency.reading import answers_of_people, comparable_repeats
from agreement.consistency.report import ConsistencyReport
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.readings import record_reading
from annotation.models import Judgment, RepeatJudgment, Slot
from annotation.services import write_guideline
from reports.services import changed_since, compute_report, request_report
from tests.support.factories import a_collection, an_open_query
from tests.support.repeats import an_open_query_with_repeats, answer_all, answer_repeat, repeats_of
from tests.support.rules import rule_suspended
from tests.support.sittings import judge, refer, slots_of
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@once_a_file
def opening():
    """Both judged all, ann1 answered one of three repeats, and ann2 none."""
    opening = an_open_query_with_repeats(0.5, size=6)
    for username in ("ann1", "ann2"):
        for place, slot in enumerate(slots_of(opening, username)):
            judge(slot, place % 3)
    answer_repeat(repeats_of(opening)[0], 3, seconds=4)
    return opening


@pytest.fixture
def collection(opening):
    return opening.query.collection


def compared(collection):
    found = comparable_repeats(collection)[1]
    return [(each.first, each.second) for each in found.repeats], found.left_out


def first_grade(opening):
    return Slot.objects.get(pk=repeats_of(opening)[0].slot_id).judgment.grade


# Repeats


def test_a_repeat_is_compared_with_the_judgment_that_stood(opening, collection):
    first = first_grade(opening)
    judge(Slot.objects.select_related("pair__query").get(pk=repeats_of(opening)[0].slot_id), 3)

    assert compared(collection) == ([(first, 3)], 0)


def test_a_repeat_of_a_pair_with_one_judgment_is_left_out(opening, collection):
    slot = repeats_of(opening)[0].slot

    refer(slot.pair, Recipient.JUDGES)

    assert compared(collection) == ([], 1)


def test_a_repeat_without_a_grade_is_left_out(opening, collection):
    answer_repeat(repeats_of(opening)[1], None)

    assert compared(collection)[1] == 1


def test_a_repeat_under_another_guideline_is_left_out(opening, collection):
    later = write_guideline(
        facet=opening.query.facet, instructions="Clearer.", grades=opening.guideline.grades
    )
    apply_guideline(
        collection=collection,
        queries=[opening.query.name],
        guideline=later,
        reason="Clearer.",
        judge_again=False,
        made_by=None,
    )
    record_reading(later, User.objects.get(username="ann1"))
    repeat = repeats_of(opening)[1]
    repeat.slot.pair.query.opening.refresh_from_db()
    answer_repeat(repeat, 1, presentation_digest=digest_now(repeat))

    assert compared(collection)[1] == 1


def digest_now(repeat):
    from annotation.models import Pair

    return Pair.objects.values_list("presentation_digest", flat=True).get(pk=repeat.slot.pair_id)


@pytest.mark.parametrize(("minutes", "second"), [(9, 1), (11, 3)])
def test_a_correction_counts_for_ten_minutes(opening, collection, minutes, second):
    answer_repeat(repeats_of(opening)[0], 1)
    with rule_suspended("repeat_judgment_never_edited", "annotation_repeatjudgment"):
        RepeatJudgment.objects.filter(sequence=2).update(
            created_at=RepeatJudgment.objects.get(sequence=1).created_at
            + timedelta(minutes=minutes)
        )

    assert compared(collection)[0] == [(first_grade(opening), second)]


# Answers


def people(collection):
    return {
        User.objects.get(pk=pk).username: person for pk, person in answers_of_people(collection)
    }


def test_the_places_of_a_sitting_count_repeats_but_their_grades_do_not(collection):
    ann1, ann2 = (people(collection)[name] for name in ("ann1", "ann2"))

    assert (ann1.lengths, ann2.lengths) == ([7], [6])
    assert (ann1.grades.size, ann1.times.size) == (6, 7)


def test_the_first_answer_to_a_pair_is_that_of_its_place(opening, collection):
    slot = slots_of(opening, "ann1")[0]
    judge(slot, 3)

    person = people(collection)["ann1"]
    assert person.grades.values.tolist()[0] == 0
    assert person.grades.size == 6


def test_pairs_with_one_judgment_have_a_place_but_no_grade(collection):
    other = an_open_query(a_collection("other"), size=3)
    for slot in slots_of(other, "ann1"):
        judge(slot, 2)

    person = people(other.query.collection)["ann1"]

    assert (person.lengths, person.grades.size, person.times.size) == ([3], 0, 3)


def test_answers_without_a_time_are_left_out(opening):
    other = an_open_query(a_collection("other"), size=3)
    for slot in slots_of(other, "ann1"):
        judge(slot, 2, seconds=None)

    assert people(other.query.collection) == {}


def test_only_pairs_with_a_final_label_say_whether_a_grade_equals_it(collection):
    agreed = sum(
        len(set(grades)) == 1
        for grades in zip(
            *(
                Slot.objects.filter(number=number)
                .order_by("pair")
                .values_list("judgment__grade", flat=True)
                for number in (1, 2)
            ),
            strict=True,
        )
    )

    assert people(collection)["ann1"].equal.tolist() == [True] * agreed


def test_a_sitting_ends_with_a_pause(opening, collection):
    late = Judgment.objects.filter(annotator__username="ann2").order_by("-pk")[:2]
    with rule_suspended("annotation_judgment_never_edited", "annotation_judgment"):
        Judgment.objects.filter(pk__in=[row.pk for row in late]).update(
            created_at=timezone.now() + timedelta(hours=1)
        )

    assert people(collection)["ann2"].lengths == [4, 2]


# The stored report


def test_the_report_has_everybody_and_all_together(collection):
    report = compute_report(ConsistencyReport(), collection=collection)

    assert [row["annotator"] for row in report.payload["annotators"]] == sorted(
        User.objects.filter(username__in=["ann1", "ann2"]).values_list("pk", flat=True)
    )
    assert report.payload["overall"]["drift"]["answers"] == 13
    assert report.payload["overall"]["consistency"]["repeats"] == 1


def test_a_judgment_or_an_answer_to_a_repeat_makes_it_out_of_date(opening, collection):
    report = compute_report(ConsistencyReport(), collection=collection)
    assert changed_since(report) == ""

    answer_repeat(repeats_of(opening)[1], 1)
    assert changed_since(report) == "the answers to repeats"

    judge(slots_of(opening, "ann1")[0], 3)
    assert "the judgments or decisions" in changed_since(report)


def test_a_collection_without_judgments_has_a_report_of_nothing():
    report = compute_report(ConsistencyReport(), collection=a_collection("other"))

    assert report.payload["annotators"] == []
    assert report.payload["overall"]["drift"]["change"]["undefined"] == "fewer than 30 pairs"


def test_the_report_takes_the_same_few_queries_however_many_pairs(
    collection, django_assert_max_num_queries
):
    for size in (3, 12):
        other = an_open_query(a_collection(f"of{size}"), size=size)
        for username in ("ann1", "ann2"):
            answer_all(other, username)
        with django_assert_max_num_queries(4):
            ConsistencyReport().content(other.query.collection, _Quiet())


class _Quiet:
    def progress(self, *_):
        pass


# The page


@pytest.fixture
def page(collection):
    compute_report(ConsistencyReport(), collection=collection)
    return reverse("consistency", args=[collection.slug])


def test_the_page_says_what_the_figures_support(page):
    text = client_of("admin").get(page).content.decode()

    assert "The same grade was given to" in text
    assert "cannot be said: fewer than 30 pairs." in text
    assert "The report is up to date." in text


def test_without_a_report_the_page_offers_it(collection):
    page = client_of("admin").get(reverse("consistency", args=[collection.slug]))

    assert "Compute the report" in page.content.decode()


def test_the_button_requests_the_report(collection):
    client_of("admin").post(reverse("compute-consistency", args=[collection.slug]))

    assert collection.jobs.get().kind == "compute_consistency"


def test_the_file_has_a_line_for_all_and_for_each(page):
    content = client_of("admin").get(page, {"format": "csv"}).getvalue().decode("utf-8-sig")

    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["annotator"] for row in rows] == ["", "ann1", "ann2"]
    assert [row["repeats"] for row in rows] == ["1", "1", "0"]
    assert rows[2]["same_undefined"] == "no repeats"
    assert rows[0]["answers"] == "13"


def test_the_api_names_the_annotators(page):
    answer = client_of("admin").get(reverse("api-consistency", args=["small"])).json()

    assert [row["annotator"] for row in answer["annotators"]] == ["ann1", "ann2"]
    assert answer["overall"]["consistency"]["same"]["n"] == 1


def test_a_request_for_a_report_in_progress_is_the_same_job(collection):
    first = request_report(ConsistencyReport(), collection=collection)

    assert request_report(ConsistencyReport(), collection=collection) == first
