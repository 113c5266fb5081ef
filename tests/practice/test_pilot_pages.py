import pytest

from practice.models import PracticeJudgment, PracticeSet
from tests.support.factories import a_query, annotators
from tests.support.practice_scenes import a_pilot, practise_all
from tests.support.sittings import carried
from tests.support.visits import address, client_of, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def pilot(collection) -> PracticeSet:
    return a_pilot(collection)


def test_an_annotator_without_scripts_judges_a_round_from_the_page_judge(pilot):
    client = client_of("ann1")
    judge = client.get(address("judge"))
    assert "Pilot round 1" in text_of(judge)

    page = client.get(address("practice", "pilot-1") + "?next", follow=True)
    for grade in (3, 1, 0):
        fields = carried(page.text)
        action = page.text.split('id="answer" class="grades" method="post" action="')[1]
        page = client.post(
            action.split('"')[0], fields | {"answer": str(grade), "note": "n"}, follow=True
        )

    assert "All 3 pairs are judged" in text_of(page)
    assert sorted(PracticeJudgment.objects.values_list("grade", flat=True)) == [0, 1, 3]


def test_an_admin_starts_follows_closes_and_meets(collection):
    a_query(collection)
    admin = client_of("admin")
    assert "Start a pilot round" in text_of(admin.get(address("pilots")))
    fields = {
        "annotators": [person.pk for person in annotators(collection)],
        "queries": "1",
        "per_query": "3",
    }

    page = admin.post(address("new-pilot"), fields, follow=True)

    assert "Pilot round 1 has begun" in text_of(page)
    practise_all(PracticeSet.objects.get(), (3, 0), (1, 1), (2, None))
    shown = text_of(admin.get(address("pilot", 1)))
    assert "3 of 3 pairs" in shown
    assert "ann1 and ann2" in shown
    meeting = text_of(admin.get(address("pilot-meeting", 1)))
    assert "The round is open" in meeting
    assert "The text is garbled or cut off" in meeting
    closed = text_of(admin.post(address("close-pilot", 1), follow=True))
    assert "Pilot round 1 is closed" in closed
    assert "closed" in text_of(admin.get(address("pilots")))
