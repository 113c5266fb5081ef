"""What the two judges looked at, for the adjudicator."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import Role
from annotation.models import Opening
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects, mark, mark_both
from tests.support.factories import member
from tests.support.visits import markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def opening() -> Opening:
    return an_open_query_with_aspects(an_asking_collection())


@pytest.fixture
def adjudicator(client, opening):
    user = member(opening.query.collection, Role.ADJUDICATOR, "adju")
    client.force_login(user)
    return user


def case(client, opening):
    pair = opening.query.pairs.first()
    return client.get(reverse("case", args=["small", opening.query.name, pair.token]))


def marks_by_grade(answer) -> dict[int, str]:
    return {card["grade"]: card["about"] for card in answer.context["cards"]}


def test_the_cards_say_what_each_judge_looked_at(client, opening, adjudicator):
    mark_both(opening.query.pairs.first(), (3, [2]), (1, [3, 5]))
    answer = case(client, opening)
    page = markup(answer.content.decode())

    assert marks_by_grade(answer) == {3: "sentence 2", 1: "sentences 3, 5"}
    assert "Looked at sentence 2" in page
    assert "Looked at sentences 3, 5" in page


def test_the_sentences_of_the_query_say_who_looked_at_them(client, opening, adjudicator):
    mark_both(opening.query.pairs.first(), (3, [2, 5]), (1, [5]))
    answer = case(client, opening)
    letter = {card["grade"]: card["letter"].upper() for card in answer.context["cards"]}
    page = answer.content.decode()

    assert f'data-aspect="2" data-marked-by="{letter[3]}"' in page
    assert 'data-aspect="5" data-marked-by="A B"' in page
    assert 'data-aspect="3"' not in page


def test_named_aspects_are_named(client, adjudicator, opening):
    named = an_open_query_with_aspects(opening.query.collection, names=["speed", "memory"])
    mark_both(named.query.pairs.first(), (3, [1]), (1, [2]))
    answer = case(client, named)

    assert marks_by_grade(answer) == {3: "“speed”", 1: "“memory”"}
    assert "data-aspect" not in answer.content.decode()


def test_a_case_without_marks_says_nothing_of_them(client, opening, adjudicator):
    mark_both(opening.query.pairs.first(), (3, []), (0, []))
    page = case(client, opening).content.decode()

    assert "Looked at" not in page
    assert "data-aspect" not in page


def test_the_api_shows_the_marks_of_both_judgments(opening, adjudicator):
    mark_both(opening.query.pairs.first(), (3, [2]), (1, [3, 5]))
    client = APIClient()
    client.force_authenticate(adjudicator)
    pair = opening.query.pairs.first()
    cases = f"/api/v1/collections/small/cases/{opening.query.name}/pairs/{pair.token}/"
    answer = client.get(cases).json()

    assert {row["grade"]: row["aspects"] for row in answer["judgments"]} == {3: [2], 1: [3, 5]}
    assert answer["aspect_names"] == []


def test_a_pair_with_one_judgment_is_no_case_whatever_is_marked(client, opening, adjudicator):
    mark(opening.query.pairs.first().slots.get(number=1), 3, 2)

    assert case(client, opening).status_code == 404
