"""What the pages of adjudicators and admins show, and to whom."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from accounts.services import add_member
from adjudication.decisions import reopen_pair
from adjudication.models import Decision, Reopening
from annotation.models import PairState
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


def test_the_queue_has_the_query_with_the_largest_difference_first(as_, address, collection, papers, query, people):
    other = builders.query(collection, papers[9], "background")
    builders.opened(other, papers[1:3], people.ann, people.bob)
    builders.judge_all(other, {"d01": (0, 3), "d02": (1, 1)})
    rows = as_("ada").get(address("queue")).context["waiting"]
    assert [(row["query"], row["left"], row["decided"], row["total"]) for row in rows] == [
        (query, 6, 0, 6),  # one of them is a missing grade
        (other, 1, 0, 1),
    ]


def test_the_button_goes_on_with_the_query_that_was_decided_last(
    as_, address, collection, papers, query, pairs, people
):
    other = builders.query(collection, papers[9], "background")
    builders.opened(other, papers[1:4], people.ann, people.bob)
    builders.judge_all(other, {"d01": (0, 3), "d02": (1, 2), "d03": (1, 2)})
    ada = as_("ada")
    assert ada.get(address("queue")).context["next_query"] == query
    decide(other.pairs.get(document__docno="d01"), people.ada, 3)
    assert ada.get(address("queue")).context["next_query"] == other


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


def test_sides_are_random_and_stay(as_, address, query, pairs):
    ada = as_("ada")
    firsts = set()
    for docno, pair in pairs.items():
        if docno in ("d01", "d08"):
            continue
        pages = [ada.get(address("case", query.pk, pair.token)).context["shown"] for _ in range(2)]
        assert pages[0].a == pages[1].a
        firsts.add(pages[0].a.judge.username)
    assert firsts == {"ann", "bob"}


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


def test_a_form_without_a_grade_sets_nothing_aside(as_, address, query, pairs):
    for grade in ("", "four", "2.5"):
        sent = answer(pairs["d04"], grade, note="A note.")
        refused = as_("ada").post(
            address("case", query.pk, pairs["d04"].token), sent, headers={"accept": "application/json"}
        )
        assert (refused.status_code, refused.json()["key"]) == (400, sent["key"])
    assert not Decision.objects.exists()


def test_a_script_is_told_the_key_it_sent(as_, address, query, pairs, people):
    ada, url = as_("ada"), address("case", query.pk, pairs["d04"].token)
    sent = answer(pairs["d04"], "none", person=people.ada.pk, seconds="12.5")
    for _ in range(2):
        assert ada.post(url, sent, headers={"accept": "application/json"}).json() == {"key": sent["key"]}
    assert [(each.grade, each.seconds) for each in Decision.objects.all()] == [(None, 12.5)]
    refused = ada.post(url, answer(pairs["d04"], 2), headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["error"]) == (409, "Conflict")
    other = ada.post(url, answer(pairs["d04"], 2, person=people.bob.pk), headers={"accept": "application/json"})
    assert (other.status_code, other.json()["error"]) == (403, "OtherPerson")


def test_who_judges_a_pair_learns_nothing_of_its_case(as_, address, collection, query, pairs, people):
    """Ann judged all pairs of the query: as an adjudicator she sees the same whatever became of them."""
    add_member(collection=collection, user=people.ann, roles=["adjudicator"])
    ann = as_("ann")

    def seen() -> list[object]:
        pages = [ann.get(address("queue")), ann.get(address("decisions")), ann.get(address("case-more", query.pk))]
        work = ann.get(address("case-work", query.pk))
        anchors = ann.get(address("case-work", query.pk), headers={"hx-target": "anchors"})
        cases = [ann.get(address("case", query.pk, pair.token)) for pair in pairs.values()]
        answers = [*pages, work, anchors, *cases]
        return [(each.status_code, without_csrf(each.content)) for each in answers]

    before = seen()
    decide(pairs["d03"], people.ada, 0)
    judge(pairs["d02"], people.bob, 0)  # agrees now
    judge(pairs["d08"], people.bob, 3)  # a case now
    assert seen() == before
    assert {status for status, _ in before[-len(pairs) :]} == {404}


def without_csrf(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines() if b"csrf" not in line.lower()]


def test_an_adjudicator_who_judges_one_query_decides_another(as_, address, collection, papers, query, pairs, people):
    dan = builders.person("dan", collection, "annotator", "adjudicator")
    own = builders.query(collection, papers[9], "background")
    builders.opened(own, papers[1:3], people.ann, dan)
    builders.judge_all(own, {"d01": (0, 3), "d02": (1, 2)})
    page = as_("dan").get(address("queue"))
    assert [(row["query"], row["left"]) for row in page.context["waiting"]] == [(query, 6)]


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


def test_a_reopened_case_says_why(as_, address, query, pairs, people):
    reopen_pair(admin=people.admin, pair=pairs["d01"], reason="Both missed the harbour.")
    assert b"Both missed the harbour." in as_("ada").get(address("case", query.pk, pairs["d01"].token)).content


def test_an_admin_sees_all_cases_and_no_pair_that_waits_for_a_judge(as_, address, query, pairs, people):
    decide(pairs["d03"], people.ada, 2, note="Neither.")
    decide(pairs["d04"], people.ada, 2)
    decide(pairs["d05"], people.ada, None, note="=broken")
    admin = as_("admin")
    rows = {row.document.docno: row for row in admin.get(address("cases")).context["table"].page}
    assert {docno: row.outcome for docno, row in rows.items()} == {
        "d02": "case",
        "d03": "overruled",
        "d04": "accepted",
        "d05": "aside",
        "d06": "case",
        "d07": "case",
    }
    assert (rows["d03"].first_grade, rows["d03"].second_grade, rows["d03"].adjudicator) == (0, 3, "ada")
    page = admin.get(address("cases") + "?outcome=overruled")
    assert [row.document.docno for row in page.context["table"].page] == ["d03"]
    lines = admin.get(address("cases") + "?format=csv&sort=document__docno").getvalue().decode().splitlines()
    assert lines[1:5] == [
        f"{query.name},d02,0,1,,case,,",
        f"{query.name},d03,0,3,2,overruled,ada,Neither.",
        f"{query.name},d04,,2,2,accepted,ada,",
        f"{query.name},d05,1,3,,aside,ada,'=broken",
    ]


def test_an_admin_reopens_a_settled_pair_from_its_page(as_, address, query, pairs, people):
    admin, url = as_("admin"), address("reopen-pair", pairs["d01"].pk)
    assert admin.get(url).status_code == 200
    assert admin.post(url, {"reason": " "}).status_code == 200
    assert not Reopening.objects.exists()
    assert admin.post(url, {"reason": "The guideline changed."}).status_code == 302
    pairs["d01"].refresh_from_db()
    assert pairs["d01"].state == PairState.CASE
    for docno in ("d01", "d08"):  # a case now, one that a judge has not judged
        assert admin.get(address("reopen-pair", pairs[docno].pk)).status_code == 404
