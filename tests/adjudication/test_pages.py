"""What the pages of adjudicators and admins show, and to whom."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from adjudication.decisions import reopen_pair
from adjudication.models import Decision, Reopening, sides
from tests import builders
from tests.builders import decide, judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(query, pairs):
    def of(name, *args):
        return reverse(name, args=[query.collection.slug, *args])

    return of


def shown(client, address, query) -> list[str]:
    """Titles of the cases in the order they come, as the page's script gets them."""
    cases = client.get(address("case-more", query.pk)).context["cases"]
    return [case.candidate.title for case in cases]


def answer(pair, grade, **fields) -> dict[str, object]:
    keys = " ".join(str(key) for key in pair.slots.values_list("judgment__key", flat=True))
    return {"grade": grade, "key": str(uuid.uuid4()), "judgments": keys, "replaces": "", **fields}


def test_the_largest_difference_comes_first_and_a_missing_grade_before_all(as_, address, query, pairs, people):
    reopen_pair(admin=people.admin, pair=pairs["d01"], reason="The guideline changed.")  # difference 0
    titles = shown(as_("ada"), address, query)
    assert titles[:2] == ["On d04", "On d03"]
    assert set(titles[2:4]) == {"On d05", "On d06"}
    assert set(titles[4:6]) == {"On d02", "On d07"}
    assert titles[6:] == ["On d01"]


def test_the_queue_begins_with_the_largest_difference_and_goes_on_where_one_was(
    as_, address, collection, papers, query, people
):
    other = builders.query(collection, papers[9], "background")
    builders.opened(other, papers[1:4], people.ann, people.bob)
    builders.judge_all(other, {"d01": (0, 3), "d02": (1, 1), "d03": (1, 2)})
    page = as_("ada").get(address("queue"))
    assert [(row["query"], row["left"], row["decided"], row["total"]) for row in page.context["waiting"]] == [
        (query, 6, 0, 6),  # one of them is a missing grade
        (other, 2, 0, 2),
    ]
    assert page.context["next_query"] == query
    decide(other.pairs.get(document__docno="d01"), people.ada, 3)
    assert as_("ada").get(address("queue")).context["next_query"] == other


def test_sides_are_random_and_stay():
    letters = [[sides("seed", "q", f"d{number}", "first", "second").a for number in range(20)] for _ in range(2)]
    assert letters[0] == letters[1]
    assert set(letters[0]) == {"first", "second"}


def test_a_case_shows_both_judgments_without_names_and_nothing_about_sources(as_, address, query, pairs, papers):
    papers[3].authors, papers[3].venue, papers[3].year = ["Secretauthor"], "Secretvenue", 1987
    papers[3].save()
    judge(pairs["d03"], builders.person("bob"), 3, note="The second sentence.")
    page = as_("ada").get(address("case", query.pk, pairs["d03"].token))
    text = page.content.decode()
    assert "The second sentence." in text
    for secret in ("ann", "bob", "Secretauthor", "Secretvenue", "1987", "cited"):
        assert f">{secret}" not in text
        assert f'"{secret}' not in text
    assert {page.context["shown"].a.grade, page.context["shown"].b.grade} == {0, 3}


def test_a_case_is_decided_without_scripts_and_undone(as_, address, query, pairs):
    ada = as_("ada")
    work = address("case-work", query.pk)
    first = ada.get(work).context["shown"]
    pair = query.pairs.get(token=first.token)
    url = address("case", query.pk, first.token)
    html = {"accept": "text/html"}
    refused = ada.post(url, answer(pair, 3), headers=html)  # one said 2, one could not judge
    assert refused.status_code == 400
    assert b"Neither judge" in refused.content
    assert ada.post(url, answer(pair, 3, note="Near identical."), headers=html).url == work
    assert ada.get(work).context["shown"].token != first.token
    back = ada.get(f"{work}?before={ada.get(work).context['shown'].token}").context["shown"]
    assert (back.token, back.decision.grade) == (first.token, 3)


def test_a_script_is_told_the_key_it_sent(as_, address, query, pairs, people):
    ada, url, json = as_("ada"), address("case", query.pk, pairs["d04"].token), {"accept": "application/json"}
    for grade in ("", "four", "2.5"):  # a form without a grade sets nothing aside
        sent = answer(pairs["d04"], grade, note="A note.")
        assert ada.post(url, sent, headers=json).json()["key"] == sent["key"]
    assert not Decision.objects.exists()
    sent = answer(pairs["d04"], "none", person=people.ada.pk, seconds="12.5")
    for _ in range(2):
        assert ada.post(url, sent, headers=json).json() == {"key": sent["key"]}
    assert [(each.grade, each.seconds) for each in Decision.objects.all()] == [(None, 12.5)]
    refused = ada.post(url, answer(pairs["d04"], 2), headers=json)
    assert (refused.status_code, refused.json()["error"]) == (409, "Conflict")
    other = ada.post(url, answer(pairs["d04"], 2, person=people.bob.pk), headers=json)
    assert (other.status_code, other.json()["error"]) == (403, "OtherPerson")


def test_a_script_goes_back_through_ones_own_decisions(as_, address, query, pairs, people, eve):
    for docno, who in (("d03", people.ada), ("d05", people.ada), ("d06", eve)):
        decide(pairs[docno], who, 3, note="A note.")

    def before(token: str) -> list[str]:
        cases = as_("ada").get(address("case-more", query.pk), {"before": token}).context["cases"]
        return [case.token for case in cases]

    assert before("") == [pairs["d05"].token]
    assert before(pairs["d05"].token) == [pairs["d03"].token]
    assert before(pairs["d03"].token) == []


def test_time_left_is_at_ones_own_pace_from_five_decisions_on(as_, address, query, pairs, people):
    def shown() -> tuple[float, int]:
        page = as_("ada").get(address("case-work", query.pk)).context
        return page["pace"], page["minutes_left"]

    for docno in ("d02", "d03", "d04", "d05"):
        decide(pairs[docno], people.ada, 3, note="A note.", seconds=3600.0)
    assert shown() == (30.0, 1)  # two cases are left
    decide(pairs["d06"], people.ada, 3, seconds=3600.0)
    assert shown() == (3600.0, 60)


def test_cases_of_pairs_that_one_judges_do_not_exist(as_, address, collection, papers, query, pairs, people):
    """That the server sends the same whatever became of them is in tests/test_blindness.py."""
    dan = builders.person("dan", collection, "annotator", "adjudicator")
    own = builders.query(collection, papers[9], "background")
    builders.opened(own, papers[1:4], people.ann, dan)
    builders.judge_all(own, {"d01": (0, 3), "d02": (1, 2), "d03": (1, 1)})
    decide(own.pairs.get(document__docno="d01"), people.ada, 3)
    client = as_("dan")
    page = client.get(address("queue"))
    assert [(row["query"], row["left"]) for row in page.context["waiting"]] == [(query, 6)]
    assert page.context["finished"] == []
    assert client.get(address("case-work", own.pk)).url == address("queue")
    assert shown(client, address, own) == []
    assert not client.get(address("case-work", own.pk), headers={"hx-target": "anchors"}).context["anchors"]
    assert {client.get(address("case", own.pk, pair.token)).status_code for pair in own.pairs.all()} == {404}


def test_a_case_that_another_decided_is_no_longer_there(as_, address, query, pairs, people, eve):
    decide(pairs["d04"], people.ada, 2)
    client = as_("eve")
    assert client.get(address("case", query.pk, pairs["d04"].token)).status_code == 404
    assert "On d04" not in shown(client, address, query)
    assert client.get(address("decisions")).context["table"].page.paginator.count == 0
    anchors = client.get(address("case-work", query.pk), headers={"hx-target": "anchors"}).context["anchors"]
    assert [(each.pair, each.grade) for each in anchors] == [(pairs["d04"], 2)]


def test_own_decisions_are_those_that_count(as_, address, query, pairs, people):
    decide(pairs["d03"], people.ada, 0)
    decide(pairs["d03"], people.ada, 3)
    decide(pairs["d05"], people.ada, 1)
    decide(pairs["d02"], people.ada, 0)
    judge(pairs["d02"], people.bob, 0)
    reopen_pair(admin=people.admin, pair=pairs["d05"], reason="The guideline changed.")
    page = as_("ada").get(address("decisions"))
    assert [(row.pair, row.grade) for row in page.context["table"].page] == [(pairs["d03"], 3)]
    case = as_("ada").get(address("case", query.pk, pairs["d03"].token)).context["shown"]
    assert page.context["table"].page[0].sides == (case.a, case.b)


def test_a_query_that_is_done_leads_to_the_next(as_, address, collection, papers, query, pairs, people):
    other = builders.query(collection, papers[9], "background")
    builders.opened(other, papers[1:2], people.ann, people.bob)
    builders.judge_all(other, {"d01": (0, 3)})
    ada = as_("ada")
    assert ada.get(address("case-work", query.pk)).context["next_query"] == other
    decide(other.pairs.get(), people.ada, 0)
    assert ada.get(address("case-work", query.pk)).context["next_query"] is None
    assert ada.get(address("case-work", other.pk)).context["shown"].decision.grade == 0
    assert as_("eve").get(address("case-work", other.pk)).status_code == 404  # not a member
    builders.person("eve", collection, "adjudicator")
    assert as_("eve").get(address("case-work", other.pk)).url == address("queue")


def test_an_admin_sees_all_cases_and_no_pair_that_waits_for_a_judge(as_, address, query, pairs, people):
    decide(pairs["d03"], people.ada, 2, note="Neither.")
    decide(pairs["d04"], people.ada, 2)
    decide(pairs["d05"], people.ada, None, note="=broken")
    admin = as_("admin")
    page = admin.get(address("cases") + "?outcome=overruled")
    assert [row.document.docno for row in page.context["table"].page] == ["d03"]
    lines = admin.get(address("cases") + "?format=csv&sort=document__docno").getvalue().decode().splitlines()
    assert lines[1:] == [
        f"{query.name},d02,0,1,,case,,",
        f"{query.name},d03,0,3,2,overruled,ada,Neither.",
        f"{query.name},d04,,2,2,accepted,ada,",
        f"{query.name},d05,1,3,,aside,ada,'=broken",
        f"{query.name},d06,3,1,,case,,",
        f"{query.name},d07,1,2,,case,,",
    ]


def test_an_admin_reopens_a_settled_pair_and_the_adjudicator_reads_why(as_, address, query, pairs, people):
    admin, url = as_("admin"), address("reopen-pair", pairs["d01"].pk)
    assert admin.get(url).status_code == 200
    assert admin.post(url, {"reason": " "}).status_code == 200
    assert not Reopening.objects.exists()
    assert admin.post(url, {"reason": "The guideline changed."}).status_code == 302
    assert b"The guideline changed." in as_("ada").get(address("case", query.pk, pairs["d01"].token)).content
    for docno in ("d01", "d08"):  # a case now, one that a judge has not judged
        assert admin.get(address("reopen-pair", pairs[docno].pk)).status_code == 404
