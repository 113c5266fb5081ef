"""Pilots and training: many people judge the same pairs, learn from it, and none of it counts."""

from __future__ import annotations

import io

import krippendorff
import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from scipy.stats import spearmanr

from accounts.services import add_member
from adjudication.labels import labelled_pairs, labels_state
from agreement.practice import judged_by_all, pilot_report, trainee_report
from annotation import openings
from annotation.judging import next_pairs
from annotation.models import Pair, PairState, Slot
from annotation.practice import (
    balanced_gold,
    close_practice,
    gold_documents,
    pilot_documents,
    start_practice,
)
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def pooled(collection, papers):
    """d09 under its method, with a frozen pool that nobody judges yet."""
    made = builders.query(collection, papers[9])
    builders.frozen_pool(made, papers[1:7])
    return made


@pytest.fixture
def cem(collection):
    return builders.person("cem", collection, "annotator")


@pytest.fixture
def pilot(collection, pooled, people, cem):
    documents = pilot_documents(collection, [pooled], 4)
    return start_practice(
        collection=collection, name="Pilot 1", documents=documents, people=[people.ann, people.bob, cem], by=None
    )


@pytest.fixture
def training(collection, query, people, cem):
    """cem learns from the labels of what ann and bob judged: d01 is 0, d02 is 1, and so on."""
    builders.judge_all(query, {f"d{number:02}": ((number - 1) % 4,) * 2 for number in range(1, 9)})
    gold = balanced_gold(collection, [query], 4)
    return start_practice(
        collection=collection,
        name="Training",
        documents=gold_documents(collection, gold),
        people=[cem],
        gold=gold,
        by=None,
    )


def judge_practice(practice, grades, people=None):
    """By docno and, in order, person."""
    slots = Slot.objects.filter(pair__opening__practice=practice).select_related("pair__document", "judge")
    for slot in slots.order_by("pk"):
        if people is None or slot.judge in people:
            builders.judge(slot.pair, slot.judge, grades[slot.pair.document.docno][slot.number - 1])


GRADES = [(0, 0, 1), (2, 2, 2), (3, 0, 3), (1, 1, 0)]


def test_everyone_judges_the_same_few_pairs(pilot, pooled, people, cem):
    docnos = {pair.presentation.docno for pair in next_pairs(cem, pooled)}
    assert len(docnos) == 4
    for person in (people.ann, people.bob):
        assert {pair.presentation.docno for pair in next_pairs(person, pooled)} == docnos


def test_a_pilot_shows_agreement_and_the_worst_pairs_as_soon_as_all_have_judged(pilot, people, cem):
    docnos = sorted(Pair.objects.filter(opening__practice=pilot).values_list("document__docno", flat=True))
    grades = dict(zip(docnos, GRADES, strict=True))
    judge_practice(pilot, grades, people=[people.ann, people.bob])
    assert judged_by_all(pilot) == {}
    judge_practice(pilot, grades, people=[cem])
    report = pilot_report(pilot)
    assert report["alpha"].value == pytest.approx(
        krippendorff.alpha(list(zip(*GRADES, strict=True)), level_of_measurement="ordinal")
    )
    by_name = {(row["first"].username, row["second"].username): row for row in report["couples"]}
    expected = spearmanr([0, 2, 3, 1], [1, 2, 3, 0]).statistic
    assert by_name["ann", "cem"]["spearman"].value == pytest.approx(expected)
    assert report["worst"][0]["pair"].document.docno == docnos[2]
    assert len(report["worst"]) == 3, "the pair that all agree on is nothing to talk about"
    add_member(collection=pilot.collection, user=people.ann, roles=["admin", "annotator"])
    with pytest.raises(Conflict, match="as an admin you can see them"):  # and improve the agreement
        judge_practice(pilot, dict.fromkeys(docnos, (1, 1, 1)), people=[people.ann])


def test_nothing_of_a_practice_counts(pilot, collection, people):
    state = labels_state(collection)
    docnos = Pair.objects.filter(opening__practice=pilot).values_list("document__docno", flat=True)
    judge_practice(pilot, dict.fromkeys(docnos, (0, 3, 3)))
    assert {*Pair.objects.filter(opening__practice=pilot).values_list("state", "final")} == {(PairState.OPEN, None)}
    assert labelled_pairs(collection).empty
    assert labels_state(collection) == state, "reports stay up to date"


def test_a_live_pair_never_gets_a_third_judge(query, cem):
    with pytest.raises(IntegrityError, match="two_slots_a_pair"), transaction.atomic():
        Slot.objects.create(pair=query.pairs.first(), number=3, judge=cem, position=1)


def test_practice_never_becomes_live(pilot):
    with pytest.raises(IntegrityError, match="counts_for_good"), transaction.atomic():
        Pair.objects.filter(opening__practice=pilot).update(counts=True)


def test_a_closed_practice_leaves_everybodys_list(pilot, pooled, people, collection, as_):
    close_practice(practice=pilot)
    assert next_pairs(people.ann, pooled) == []
    assert as_("ann").get(f"/c/{collection.slug}/judge/").context["waiting"] == []
    couple = (people.ann, people.bob)
    openings.open_queries(collection=collection, queries=[pooled], couples={pooled.pk: couple}, by=None)
    assert len(next_pairs(people.ann, pooled)) == 6


def test_practice_and_live_judging_of_a_query_do_not_mix(pilot, pooled, query, collection, papers, people, cem):
    couple = {pooled.pk: (people.ann, people.bob)}
    with pytest.raises(Conflict, match="ann still has practice on d09_method"):
        openings.open_queries(collection=collection, queries=[pooled], couples=couple, by=None)
    about = {"collection": collection, "documents": {query: papers[1:3]}, "by": None}
    with pytest.raises(Conflict, match="ann judges d00_method already"):
        start_practice(name="Pilot 2", people=[people.ann, cem], **about)
    with pytest.raises(Conflict, match="another practice on d09_method"):
        start_practice(name="Pilot 2", people=[people.bob, cem], **about | {"documents": {pooled: papers[1:3]}})
    with pytest.raises(BadInput, match="at least two people"):
        start_practice(name="Pilot 2", people=[cem], **about)


def test_answers_are_taken_grade_by_grade(training):
    assert sorted(training.gold["d00_method"].values()) == [0, 1, 2, 3]


def test_a_trainee_sees_the_answers_at_the_end_and_can_no_longer_change_theirs(training, query, cem, as_, collection):
    client, path = as_("cem"), reverse("own-training", args=[collection.slug, training.pk])
    slots = list(Slot.objects.filter(judge=cem).select_related("pair__document").order_by("position"))
    own = [1, 1, 0, 3]
    for slot, grade in zip(slots[:-1], own, strict=False):
        builders.judge(slot.pair, cem, grade)
        assert client.get(path).status_code == 404
    builders.judge(slots[0].pair, cem, 2)
    builders.judge(slots[-1].pair, cem, 3)
    page = client.get(path)
    assert page.status_code == 200
    gold = [training.gold["d00_method"][slot.pair.document.docno] for slot in slots]
    report = trainee_report(training, cem)
    assert report["rho"] == pytest.approx(spearmanr([2, 1, 0, 3], gold).statistic)
    assert sum(map(sum, report["confusion"])) == 4
    assert f"{report['rho']:.2f}".replace("-", "−") in page.content.decode()
    assert path in client.get(f"/c/{collection.slug}/judge/").content.decode()
    with pytest.raises(Conflict, match="finished this training"):
        builders.judge(slots[0].pair, cem, gold[0])


def test_other_annotators_never_see_the_answers(training, as_, collection):
    assert as_("ann").get(reverse("own-training", args=[collection.slug, training.pk])).status_code == 404


def test_a_pilot_has_no_answers(pilot, as_, collection):
    docnos = Pair.objects.filter(opening__practice=pilot).values_list("document__docno", flat=True)
    judge_practice(pilot, dict.fromkeys(docnos, (0, 3, 3)))
    assert as_("ann").get(reverse("own-training", args=[collection.slug, pilot.pk])).status_code == 404


def test_the_pages_start_compare_and_close(collection, pooled, people, as_):
    admin, path = as_("admin"), f"/c/{collection.slug}/practice/"
    values = {"name": "Pilot", "kind": "pilot", "people": [people.ann.pk, people.bob.pk], "number": 3}
    refused = admin.post(f"{path}add/", values)
    assert b"Choose at least one query" in refused.content
    assert admin.post(f"{path}add/", values | {"queries": [pooled.pk]}).status_code == 302
    practice = collection.practices.get()
    docnos = Pair.objects.filter(opening__practice=practice).values_list("document__docno", flat=True)
    assert b"No pair has been judged by everyone" in admin.get(f"{path}{practice.pk}/").content
    judge_practice(practice, dict.fromkeys(docnos, (0, 3)))
    page = admin.get(f"{path}{practice.pk}/").content.decode()
    assert "To talk about" in page
    assert admin.post(f"{path}{practice.pk}/close/").status_code == 302
    assert "closed" in admin.get(path).content.decode()


def upload(text):
    file = io.BytesIO(text.encode())
    file.name = "answers.csv"
    return file


def test_answers_come_from_a_file(collection, papers, cem, as_):
    builders.query(collection, papers[0])
    values = {"name": "Training", "kind": "file", "people": [cem.pk], "number": 3}
    path = f"/c/{collection.slug}/practice/add/"
    text = "query,docno,grade\nd00_method,d01,3\nd00_method,d02,0\n"
    assert as_("admin").post(path, values | {"file": upload(text)}).status_code == 302
    assert collection.practices.get().gold == {"d00_method": {"d01": 3, "d02": 0}}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("d00_method,d01,4", "answers.csv:2: a grade is a number from 0 to 3, got &#x27;4&#x27;"),
        ("d00_method,d01,-1", "answers.csv:2: a grade"),
        (f"d00_method,d01,{'9' * 5000}", "answers.csv:2: a grade"),
        ("d00_method,d01,1\nd00_method,d01,2", "answers.csv:3: d00_method and d01 had another grade"),
        ("d00_result,d01,1", "has no query &#x27;d00_result&#x27;"),
        ("d00_method,d77,1", "has no document &#x27;d77&#x27;"),
        ("", "has no answers"),
    ],
)
def test_wrong_answers_are_refused(collection, papers, cem, as_, rows, words):
    builders.query(collection, papers[0])
    values = {"name": "Training", "kind": "file", "people": [cem.pk], "number": 3}
    page = as_("admin").post(
        f"/c/{collection.slug}/practice/add/", values | {"file": upload(f"query,docno,grade\n{rows}\n")}
    )
    assert words in page.content.decode()
    assert not collection.practices.exists()
