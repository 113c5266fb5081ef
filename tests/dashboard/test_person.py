"""The page of a person."""

from __future__ import annotations

import pytest

from accounts.models import Role, User
from adjudication.models import Case
from adjudication.services import Ruling
from annotation.models import Exclusion
from annotation.services import Answer
from dashboard.people.co_judges import co_judges, grade_shares, together
from tests.support.factories import UserFactory, a_collection, an_open_query, member
from tests.support.sittings import decide_case, judge, judge_both, slots_of
from tests.support.visits import address, client_of, csv_rows, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def admin(collection):
    return client_of("admin")


def the(username):
    return User.objects.get(username=username)


def page_of(client, username):
    return client.get(address("person", the(username).pk))


def test_a_person_is_compared_with_the_co_judge_on_pairs_with_both_judgments(collection):
    opening = an_open_query(collection, size=5)
    judge_both(opening, (0, 0), (2, 1), (1, 3))
    judge(slots_of(opening, "ann1")[3], 3)

    (judge_2,) = co_judges(collection, the("ann1"))
    (judge_1,) = co_judges(collection, the("ann2"))

    assert (judge_2.user, judge_2.pairs) == (the("ann2"), 3)
    assert (judge_2.higher, judge_2.lower) == (judge_1.lower, judge_1.higher) == (1, 1)
    shares = grade_shares(together(the("ann1"), [judge_2]), [0, 1, 2, 3])
    assert [tuple(share) for share in shares] == [(0, 1, 1), (1, 1, 1), (2, 1, 0), (3, 0, 1)]


@pytest.mark.parametrize("answer", [0, 3, Answer(reason="garbled")])
def test_the_page_is_the_same_whatever_a_first_judgment_says(collection, admin, answer):
    opening = an_open_query(collection, size=2)
    judge(slots_of(opening, "ann1")[0], answer)

    for username in ("ann1", "ann2"):
        page = page_of(admin, username)
        assert page.context["judges"].rows == []
        assert "Agreement with co-judges" not in page.text


def test_an_undefined_coefficient_has_its_reason(collection, admin):
    judge_both(an_open_query(collection, size=2), (1, 1), (1, 1))

    page = page_of(admin, "ann1")

    assert "both judges gave every pair the same grade" in page.text
    assert "undefined" in page.text


def test_a_pair_without_a_grade_is_counted_apart(collection):
    judge_both(an_open_query(collection, size=2), (1, 1), (Answer(reason="garbled"), 2))

    (co_judge,) = co_judges(collection, the("ann1"))

    assert (co_judge.pairs, co_judge.ungraded) == (1, 1)


def test_the_page_shows_the_work_and_links_query_and_co_judge(collection, admin):
    opening = an_open_query(collection, size=3)
    judge(slots_of(opening, "ann1")[0], 1, seconds=30)

    page = page_of(admin, "ann1")

    assert "1 <span>of 3 pairs</span>" in text_of(page)
    assert "at 30 s a pair" in text_of(page)
    assert address("query", opening.query.name) in page.text
    assert address("person", the("ann2").pk) in page.text


def test_an_adjudicator_s_page_counts_the_cases(collection, admin):
    judge_both(an_open_query(collection, size=2), (0, 3), (1, 2))
    decide_case(Case.objects.due().first(), the("adju"), Ruling(grade=2))

    page = page_of(admin, "adju")

    assert "1 case to decide" in text_of(page)
    assert page.context["decided"].cases == 1


def test_the_queries_of_a_person_are_a_file(collection, admin):
    judge(slots_of(an_open_query(collection, size=3), "ann1")[0], 1)
    an_open_query(collection, size=4)

    rows = csv_rows(admin.get(address("person", the("ann1").pk), {"format": "csv"}))

    assert [(row["judged"], row["assigned"], row["co_judges"]) for row in rows] == [
        ("0", "4", "ann2"),
        ("1", "3", "ann2"),
    ]


def test_more_work_costs_the_page_no_more_questions(collection, admin, django_assert_num_queries):
    judge_both(an_open_query(collection), (0, 1))
    url = address("person", the("ann1").pk)
    expected = queries_of(admin, url)
    for _ in range(3):
        judge_both(an_open_query(collection), (0, 1))
    member(collection, Role.ANNOTATOR, "ann3")

    assert expected <= 29
    with django_assert_num_queries(expected):
        admin.get(url)


def test_a_person_of_another_collection_has_no_page_here(collection, admin):
    stranger = UserFactory(username="stranger")

    assert admin.get(address("person", stranger.pk)).status_code == 404


@pytest.mark.parametrize("username", ["ann1", "adju"])
def test_only_an_admin_sees_a_page_of_a_person(collection, username):
    client = client_of(username)

    assert {page_of(client, name).status_code for name in ("ann1", "ann2", "adju")} == {404}


def test_a_person_who_left_keeps_the_page(collection, admin):
    judge_both(an_open_query(collection, size=1), (1, 1))
    collection.memberships.filter(user__username="ann1").delete()

    assert "no role here now" in text_of(page_of(admin, "ann1"))


def test_a_role_is_added_and_removed_on_the_page(collection, admin):
    person = the("ann1")
    form = {"give-person": "ann1", "give-role": "curator"}

    assert admin.post(address("add-role"), form).url == address("person", person.pk)
    membership = collection.memberships.get(user=person, role=Role.CURATOR)
    assert admin.post(address("remove-role", membership.pk)).url == address("person", person.pk)
    assert not collection.memberships.filter(pk=membership.pk).exists()


def test_a_person_is_excluded_on_the_page(collection, admin):
    opening = an_open_query(collection, size=1)
    docno = opening.query.query_paper.name
    person = member(collection, Role.ANNOTATOR, "ann3")
    form = {"annotator": person.pk, "docno": docno, "page": "person"}

    assert admin.post(address("add-exclusion"), form).url == address("person", person.pk)
    page = text_of(page_of(admin, "ann3"))
    assert "Exclusions: 1" in page
    assert docno in page

    exclusion = Exclusion.objects.get()
    admin.post(address("remove-exclusion", exclusion.pk), {"page": "person"})
    assert not Exclusion.objects.exists()
