import uuid
from fractions import Fraction

import pytest

from accounts.models import Role, User
from curation.models import Screening
from curation.samples.paper_types import DEFAULT_TYPES, PaperTypeError, TypePlan, change_paper_types
from curation.samples.services import SamplePlan, draw_sample
from curation.screening.results import screened_papers
from curation.screening.services import (
    ScreeningError,
    Verdict,
    facets_to_screen,
    next_position,
    own_samples,
    passages,
    progress_in,
    save_screening,
)
from jobs.context import DirectRun
from tests.support.curation import a_sample
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.visits import address, client_of, csv_rows

pytestmark = pytest.mark.django_db
FIELDS = {"paper_type": "theoretical", "rating": "4", "facets": ["method"], "reason": "short"}


@pytest.fixture
def sample(collection):
    """Three papers; cora and dan screen them."""
    DocumentFactory.create_batch(3, collection=collection)
    for username in ("cora", "dan"):
        member(collection, Role.CURATOR, username)
    plan = SamplePlan((), 3)
    return draw_sample(collection=collection, name="all", plan=plan, work=DirectRun())


def screen(sample, username, position, paper_type="theoretical", rating=4, *facets):
    return save_screening(
        paper=sample.papers.get(position=position),
        screener=User.objects.get(username=username),
        verdict=Verdict(paper_type, rating, facets),
    )


def paper(position):
    return address("screen-paper", "all", position)


def test_saving_again_replaces_the_own_screening_only(sample):
    screen(sample, "cora", 1, "theoretical", 2, "method", "background")
    screen(sample, "dan", 1, "survey", 1)
    screen(sample, "cora", 1, "resources", 5, "result")

    rows = Screening.objects.values_list(
        "screener__username", "paper_type__key", "facets", "rating"
    )
    assert list(rows.order_by("screener__username")) == [
        ("cora", "resources", ["result"], 5),
        ("dan", "survey", [], 1),
    ]


def test_a_screener_goes_through_the_papers_of_one_sample(sample):
    collection, cora = sample.collection, User.objects.get(username="cora")
    other = a_sample(collection, [paper.document for paper in sample.papers.all()], name="other")
    screen(sample, "cora", 2)
    screen(other, "cora", 1)
    screen(other, "dan", 3)

    assert [next_position(sample, cora, after) for after in (0, 1, 3)] == [1, 3, 1]
    assert next_position(other, cora) == 2
    screen(sample, "dan", 1)
    assert next_position(sample, cora) == 1  # what dan screened, she has not
    assert [tuple(progress_in(each, cora)) for each in (sample, other)] == [(1, 3), (1, 3)]
    assert [each.progress.remaining for each in own_samples(collection, cora)] == [2, 2]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (
            ["objective", "background", "method", "", "other", "method"],
            [("background", 2), ("method", 1), (None, 2), ("method", 1)],
        ),
        ([], [(None, 6)]),
    ],
)
def test_neighbouring_sentences_of_a_facet_are_a_passage(collection, labels, expected):
    sentences = [f"Sentence {number}." for number in range(6)]
    document = DocumentFactory(collection=collection, sentences=sentences, labels=labels)

    found = passages(document, facets_to_screen(collection))

    sizes = [(part.facet and part.facet.key, len(part.sentences)) for part in found]
    assert sizes == expected
    assert [sentence for part in found for sentence in part.sentences] == sentences


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        (Verdict("novel", 3), "'novel' is not in the list"),
        (Verdict("survey", 6), "The rating is 6. Use 1 to 5."),
        (Verdict("survey", 3, ("finding",)), "Unknown facet 'finding'"),
        (Verdict("survey", 3, reason="x" * 201), "201 characters. Use at most 200"),
    ],
)
def test_an_invalid_screening_is_refused(sample, verdict, message):
    with pytest.raises(ScreeningError, match=message):
        save_screening(
            paper=sample.papers.get(position=1),
            screener=User.objects.get(username="cora"),
            verdict=verdict,
        )
    assert not Screening.objects.exists()


def test_a_screener_sees_title_and_abstract_and_no_other_screening(sample):
    screen(sample, "dan", 1, "survey", 1, "result")
    Screening.objects.update(reason="SECRET REASON")

    html = client_of("cora").get(paper(1)).content.decode()

    document = sample.papers.get(position=1).document
    assert document.title in html
    assert document.sentences[1] in html
    for secret in (str(document.year), document.venue, document.authors[0], "SECRET REASON"):
        assert secret not in html
    assert " checked" not in html


def test_plain_forms_lead_through_all_papers_and_back(sample):
    client = client_of("cora")
    assert client.get(address("screen-sample", "all")).url == paper(1)

    refused = client.post(paper(1), {"rating": "3", "reason": "typed"})
    assert (refused.status_code, "Choose the paper type." in text_of_(refused)) == (400, True)
    assert 'value="typed"' in refused.content.decode()
    assert [client.post(paper(position), FIELDS).url for position in (2, 1)] == [paper(3), paper(3)]
    assert client.post(paper(3), FIELDS).url == address("screen-mine", "all")

    mine = text_of_(client.get(address("screen-mine", "all")))
    assert "All 3 papers are screened" in mine
    assert "checked" in client.get(paper(1)).content.decode()


def text_of_(answer):
    return " ".join(answer.content.decode().split())


def test_a_script_gets_the_key_back_and_the_next_address(sample):
    client, key = client_of("cora"), str(uuid.uuid4())
    accept = {"Accept": "application/json"}

    saved = client.post(paper(1), {**FIELDS, "key": key}, headers=accept)
    refused = client.post(paper(1), {**FIELDS, "key": key, "paper_type": "x"}, headers=accept)
    gone = client.post(paper(9), {**FIELDS, "key": key}, headers=accept)

    assert saved.json() == {"key": key, "next": paper(2)}
    assert (refused.status_code, refused.json()["error"]) == (409, "TypeGone")
    assert (gone.status_code, gone.json()["error"]) == (404, "NotYours")


def test_an_admin_who_screens_sees_others_after_the_own_screening(sample, admin):
    screen(sample, "cora", 1, "theoretical", 2)
    screen(sample, "cora", 2, "survey", 1)
    url = address("sample", "all")

    assert [row["rating"] for row in csv_rows(admin.get(url, {"format": "csv"}))] == ["2", "1", ""]
    screen(sample, "admin", 1, "resources", 5)

    page = admin.get(url)
    assert "1 screening of other people is hidden" in text_of_(page)
    rows = csv_rows(admin.get(url, {"format": "csv", "rating": "2"}))
    assert [(row["screener"], row["rating"]) for row in rows] == [("admin", "5"), ("cora", "2")]
    assert [
        row["position"] for row in csv_rows(admin.get(url, {"format": "csv", "differ": "type"}))
    ] == ["1", "1"]


def test_screeners_together_give_type_facets_and_rating(sample):
    screen(sample, "cora", 2, "theoretical", 2, "method", "result")
    screen(sample, "dan", 2, "empirical", 5, "result")

    (together,) = screened_papers(sample)

    assert together.paper_type == "empirical"  # the first in the list, at a tie
    assert (together.facets, together.rating, together.screeners) == (
        ("result",),
        Fraction(7, 2),
        2,
    )


def test_without_facets_no_facet_is_asked_for():
    from corpus.facets import NO_FACETS

    collection = a_collection(facets=NO_FACETS)
    DocumentFactory(collection=collection)
    member(collection, Role.CURATOR, "cora")
    draw_sample(collection=collection, name="all", plan=SamplePlan((), 1), work=DirectRun())

    html = client_of("cora").get(paper(1)).content.decode()

    assert "Facets with substantial content" not in html
    assert client_of("cora").post(paper(1), FIELDS | {"facets": []}).status_code == 302


def test_an_admin_edits_the_list_of_types(sample, admin):
    screen(sample, "cora", 1, "survey", 1)
    fields = {
        f"{name}-{number}": value
        for number, plan in enumerate(DEFAULT_TYPES, start=1)
        for name, value in (("name", plan.name), ("key", plan.key), ("position", number))
    }
    fields |= {"position-5": "1", "excluded-5": "on", "name-2": "", "name-6": "Position paper"}

    admin.post(address("paper-types"), fields)

    types = sample.collection.paper_types.values_list("key", "is_excluded")
    assert list(types) == [
        ("application", False),
        ("survey", True),
        ("resources", False),
        ("theoretical", False),
        ("position-paper", False),
    ]
    refused = admin.post(
        address("paper-types"), {**fields, "name-5": "", "key-6": "position-paper"}
    )
    assert refused.status_code == 422
    assert "Survey cannot be removed, because screeners chose it." in refused.content.decode()


@pytest.mark.parametrize(
    ("plans", "message"),
    [
        ([], "1 to 20 paper types, got 0"),
        ([TypePlan("Survey", is_excluded=True)], "Every paper type is excluded"),
        ([TypePlan("A"), TypePlan("a")], '"a" is there twice|"A" is there twice'),
        ([TypePlan("A", key="unknown")], "Unknown paper type 'unknown'"),
    ],
)
def test_an_impossible_list_of_types_is_refused(collection, plans, message):
    with pytest.raises(PaperTypeError, match=message):
        change_paper_types(collection=collection, plans=plans)
