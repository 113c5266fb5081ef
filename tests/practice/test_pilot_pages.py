import pytest
from django.core.management import CommandError, call_command

from annotation.services import write_guideline
from practice.models import PracticeJudgment, PracticeSet
from practice.services import close_set
from release.proofs.blindness.addresses import AddressBook
from tests.support.factories import a_collection, a_query, annotators
from tests.support.practice_scenes import a_pilot, practise, practise_all
from tests.support.sittings import carried
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PEOPLE = ("--annotator", "ann1", "--annotator", "ann2")


@once_a_file
def collection():
    return a_collection()


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


def test_the_page_of_a_round_takes_as_many_queries_for_many_pairs(collection):
    a_query(collection, size=30)
    small, large = (
        a_pilot(collection, per_query=2),
        a_pilot(collection, per_query=30, named=[collection.queries.get().name]),
    )
    practise_all(small, (0, 3), (1, 0))
    practise_all(large, *[(0, 3)] * 30)
    admin, member = client_of("admin"), client_of("ann1")

    for name in ("pilot", "pilot-meeting"):
        few, many = (queries_of(admin, address(name, number)) for number in (1, 2))
        assert few == many
    for name in ("pilot-1", "pilot-2"):
        assert queries_of(member, address("practice", name)) <= 12


def test_a_round_is_removed_from_its_page(collection, pilot):
    admin = client_of("admin")
    assert "Remove the round" in text_of(admin.get(address("pilot", 1)))

    page = admin.post(address("remove-pilot", 1), follow=True)

    assert "Pilot round 1 was removed" in text_of(page)
    assert not PracticeSet.objects.exists()


def test_the_rounds_show_what_changed_in_the_guideline(collection, pilot):
    guideline = pilot.guidelines.get().guideline
    grades = [grade | {"definition": "New words."} for grade in guideline.grades[:1]]
    write_guideline(
        facet=guideline.facet,
        instructions=guideline.instructions,
        grades=[*grades, *guideline.grades[1:]],
    )
    a_query(collection)
    a_pilot(collection)

    page = text_of(client_of("admin").get(address("pilots")))

    assert "Guideline from pilot round 1 to pilot round 2" in page
    assert "Grade 0: definition" in page
    assert "New words." in page
    assert "Grade 1: definition" not in page


def test_a_member_reads_a_later_version_before_judging(collection, pilot):
    guideline = pilot.guidelines.get().guideline
    write_guideline(facet=guideline.facet, instructions="Second.", grades=guideline.grades)
    a_query(collection)
    second = a_pilot(collection)
    client = client_of("ann1")

    page = client.get(address("practice", second.name) + "?next", follow=True)
    assert "I have read version 2" in page.text
    client.post(address("practice-guideline", second.name, "method"))

    judging = client.get(address("practice", second.name) + "?next", follow=True)
    assert 'id="answer"' in judging.text


def test_a_closed_round_shows_only_the_own_judgments(pilot):
    practise_all(pilot, (0, 3), (1, 0), (None, 2))
    close_set(practice_set=pilot)
    client = client_of("ann1")

    page = client.get(address("practice", "pilot-1"))
    assert "This round is closed" in text_of(page)
    name = pilot.pairs.first().query.name
    mine = client.get(address("practice-query", "pilot-1", name), follow=True)
    assert "All 3 pairs are judged" in text_of(mine)
    assert mine.text.count('class="grade grade-3"') == 1  # in the tally, without a judgment


def test_a_refused_answer_keeps_what_was_typed(pilot):
    client = client_of("ann1")
    pair = pilot.pairs.first()
    url = address("practice-pair", "pilot-1", pair.query.name, pair.token)
    fields = carried(client.get(url).text)

    refused = client.post(url, fields | {"answer": "2", "presentation": "0" * 64, "note": "mine"})

    assert refused.status_code == 409
    assert "The text of this pair changed" in refused.text
    assert ">mine</textarea>" in refused.text
    assert not PracticeJudgment.objects.exists()


def test_undo_goes_back_and_says_when_there_is_nothing(pilot):
    client, pair = client_of("ann1"), pilot.pairs.first()
    undo = address("practice-undo", "pilot-1", pair.query.name)
    assert "Nothing to undo" in text_of(client.get(undo, follow=True))
    practise(pair, annotators(pilot.collection)[0])

    assert client.get(undo).url.endswith(f"/{pair.token}/")


def test_the_overview_names_pilot_rounds_before_queries_are_opened(collection):
    a_query(collection)
    admin = client_of("admin")

    page = text_of(admin.get(address("collection")))

    assert page.index("Start a pilot round") < page.index("Give every query to two annotators")
    a_pilot(collection)
    assert "1 pilot round, not open yet" in text_of(admin.get(address("collection")))


def test_the_command_starts_a_round(collection, capsys):
    a_query(collection)

    call_command("start_pilot", "small", *PEOPLE, "--queries", "1", "--per-query", "2")

    assert "pilot round 1 with 2 pairs for ann1, ann2" in capsys.readouterr().out
    with pytest.raises(CommandError, match="No account 'nemo'"):
        call_command("start_pilot", "small", *PEOPLE, "--annotator", "nemo")


def test_an_exclusion_after_practice_has_no_button_and_is_not_removed(pilot):
    admin, person = client_of("admin"), annotators(pilot.collection)[0]
    exclusion = person.exclusions.get()

    page = admin.get(address("person", person.pk))
    assert "judged in practice, so it stays" in text_of(page)
    assert address("remove-exclusion", exclusion.pk) not in page.text
    refused = admin.post(address("remove-exclusion", exclusion.pk), follow=True)

    assert "so the exclusion stays" in text_of(refused)
    assert person.exclusions.get() == exclusion


def test_the_overview_of_an_annotator_leads_to_an_open_round(pilot):
    client = client_of("ann1")
    link = f'href="{address("practice", "pilot-1")}"'

    assert link in client.get(address("collection")).text
    practise_all(pilot, (0, 0), (1, 1), (2, 2))
    assert link not in client.get(address("collection")).text


def test_the_blindness_check_asks_for_the_pages_of_practice(pilot):
    asked = {route.name for route, _ in AddressBook(pilot.collection).about([])}

    assert asked >= {"practice", "practice-query", "practice-pair", "practice-mine"}
