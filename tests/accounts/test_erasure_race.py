"""An erasure while the person judges, while a release is published, and while a backup runs."""

from __future__ import annotations

import pytest
from django.conf import settings as live_settings
from django.core.management import call_command

from accounts.models import Collection, User
from accounts.personal_data.erasing import erase_person
from accounts.personal_data.erasures import erasures_in, folder, not_erased
from annotation.models import Judgment
from annotation.services import NotYours
from bundle.options import DEFAULT_OPTIONS
from release.files import open_release
from release.services import build_bundle, check_request, publish_release
from release.snapshot import take_snapshot
from tests.backups.test_backups import an_empty_server, backup_in, in_a_thread, restored_from
from tests.database.test_lock_order import Interrupted, held_open
from tests.support.factories import UserFactory, a_collection, an_open_query
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge, judge_both, slots_of

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def erased(name: str) -> None:
    person = User.objects.get(username=name)
    erase_person(person=person, typed=name)


@pytest.mark.parametrize("judged_first", [True, False])
def test_a_judgment_on_its_way_is_saved_under_the_pseudonym_or_refused(
    on_postgresql, judged_first: bool
):
    opening = an_open_query(a_collection(), size=1)
    slot = judge_both(opening, (1, 1))[0]

    calls = [lambda: judge(slot, 2) and None, lambda: erased("ann1")]
    outcomes = held_open(*(calls if judged_first else reversed(calls)))

    of_judgment, of_erasure = outcomes if judged_first else reversed(outcomes)
    assert of_erasure is None
    assert of_judgment is None or isinstance(of_judgment, NotYours)
    own = Judgment.objects.filter(slot=slot).order_by("sequence")
    assert [each.grade for each in own] == ([1] if of_judgment else [1, 2])
    assert not User.objects.filter(username="ann1").exists()
    assert {each.annotator.username[:7] for each in own} == {"erased-"}
    assert not slots_of(opening, "ann1")


@pytest.mark.parametrize("erased_first", [True, False])
def test_a_release_has_the_same_bytes_whenever_a_judge_is_erased(on_postgresql, erased_first: bool):
    collection = a_judged_collection()
    before = unpublished(collection)
    options = {"collection": collection, "version": "1.0", "accept": EVERY_EXCEPTION}

    if erased_first:  # it has locked the collection, and the release reads meanwhile
        outcomes = held_open(lambda: erased("ann1"), lambda: publish_release(**options) and None)
    else:  # after the release has read the rows, and before it is published
        work = Interrupted(lambda: erased("ann1"))
        publish_release(**options, work=work)
        outcomes = [None, work.outcome]

    assert outcomes == [None, None]
    with open_release(collection.releases.get()) as file:
        assert file.read() == before


def unpublished(collection: Collection) -> bytes:
    """The zip that `publish_release` would write now."""
    accepted = check_request(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    bundle = build_bundle(take_snapshot(collection, DEFAULT_OPTIONS), "1.0", accepted)
    with bundle.reader() as file:
        return file.read()


@pytest.mark.by_day(2)
def test_a_backup_made_meanwhile_has_the_person_whole_and_the_list_names_the_account(
    tmp_path, settings
):
    person = UserFactory(username="mara", first_name="Zebedee")

    def erase_at_the_moment(text: str) -> None:
        if text == "Reading the tables":
            in_a_thread(lambda: erased("mara"))

    file = backup_in(tmp_path / "out", report=erase_at_the_moment)
    pseudonym = User.objects.get(pk=person.pk).username
    copy = folder()
    with an_empty_server(tmp_path / "empty", settings):
        restored_from(file)
        assert User.objects.get(pk=person.pk).first_name == "Zebedee"
        assert [each.pseudonym for each in not_erased(erasures_in(copy))] == [pseudonym]
        call_command("erase_again", str(copy))

        assert User.objects.get(pk=person.pk).username == pseudonym
        assert tmp_path != live_settings.DATA_DIR
        assert not_erased(erasures_in(folder())) == []
