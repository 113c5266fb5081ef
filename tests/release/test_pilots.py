import pytest

from annotation.services import Answer
from tests.support.factories import a_query
from tests.support.practice_scenes import a_pilot, practise
from tests.support.release_scenes import a_judged_collection
from tests.support.released_files import files_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_a_release_counts_pilot_rounds_and_has_none_of_their_judgments():
    collection = a_judged_collection()
    query = a_query(collection)
    pilot = a_pilot(collection, named=[query.name])
    for member in pilot.members.all():
        practise(pilot.pairs.first(), member.annotator, Answer(grade=3, note="a pilot note"))
    a_pilot(collection, named=[query.name])

    files = files_of(collection)

    assert "1 pilot round before live judging, with 1 pair and 2 annotators" in (
        files["README.md"].decode()
    )
    others = {name: text for name, text in files.items() if name != "README.md"}
    assert not any(b"pilot" in text for name, text in others.items() if "ratings" in name)
    assert not any(b"a pilot note" in text for text in files.values())
    assert not any(query.name.encode() in text for name, text in others.items() if "qrels" in name)
