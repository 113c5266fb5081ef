"""The page *Datasheet*, the pages *About you*, and what the gate and the files make of them."""

from __future__ import annotations

import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Collection, User
from annotation.consent.services import agree, withdraw, write_consent_text
from bundle.datasheet.questions import QUESTIONS, required_questions
from bundle.names import SETTINGS
from dashboard.settings.archiving import archive_collection
from dashboard.settings.export import export_collection
from release.datasheets.current import missing_answers, published_profiles
from release.datasheets.models import AnnotatorProfile, DatasheetAnswer
from release.datasheets.services import (
    AnswerRefused,
    ProfileRefused,
    ThresholdTooLow,
    change_threshold,
    delete_profile,
    save_answers,
    save_profile,
)
from release.errors import GateClosed
from release.importing.service import import_release
from release.services import build_bundle
from release.snapshot import take_snapshot
from tests.support.api_world import client_of as client_of_api
from tests.support.bundles import write_bundle
from tests.support.datasheets import ANSWERS
from tests.support.factories import a_collection, member
from tests.support.gate_oracle import asked, read
from tests.support.release_scenes import a_judged_collection
from tests.support.released_files import files_of
from tests.support.worlds import once_a_file
from web.errors import UserFacingError

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SCRIPT = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "saved-pay"}


@once_a_file
def collection() -> Collection:
    return a_collection()


def client_of(username: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


@pytest.fixture
def admin(collection) -> Client:
    return client_of("admin")


ADDRESS = "/c/small/releases/-/datasheet/"
PROFILE = "/account/about/small/"


def stored(collection: Collection) -> dict[str, str]:
    return dict(collection.datasheet_answers.values_list("question", "text"))


def save(collection: Collection, **answers: str) -> None:
    save_answers(collection=collection, answers=answers, answered_by=None)


# Answers


def test_answers_are_saved_changed_and_removed(collection):
    save(collection, pay="Unpaid.", contact="x@example.org")
    save(collection, pay="15 EUR", contact=" ")

    assert stored(collection) == {"pay": "15 EUR"}


def test_one_invalid_answer_saves_none(collection):
    with pytest.raises(AnswerRefused, match="released_on: Invalid day"):
        save(collection, pay="Unpaid.", released_on="soon")
    with pytest.raises(AnswerRefused, match=r"weather: No such question\. The questions are"):
        save(collection, weather="fine")

    assert stored(collection) == {}


def test_the_page_has_every_question_with_its_hint_and_counts_the_required_answers(admin):
    page = admin.get(ADDRESS).text

    for question in QUESTIONS.values():
        if question.key != "collection_dates":
            assert f'name="{question.key}"' in page
            assert f'id="hint-{question.key}"' in page
    assert "0 of 13 required answers" in page


def test_the_form_saves_all_answers_at_once(admin, collection):
    admin.post(ADDRESS, ANSWERS)

    assert "13 of 13 required answers" in admin.get(ADDRESS).text
    assert missing_answers(collection) == []
    assert set(collection.datasheet_answers.values_list("answered_by__username", flat=True)) == {
        "admin"
    }


def test_a_script_saves_a_single_answer_and_is_told_the_progress(admin, collection):
    save(collection, contact="x@example.org")

    part = admin.post(ADDRESS, {"pay": "Unpaid."}, **SCRIPT).text

    assert stored(collection) == {"pay": "Unpaid.", "contact": "x@example.org"}
    assert "Saved" in part
    assert "2 of 13 required answers" in part
    assert "<html" not in part


def test_an_invalid_answer_stays_in_the_form_with_its_error(admin, collection):
    answer = admin.post(ADDRESS, {"authors": "A; B; C; D", "pay": "Unpaid."})

    assert answer.status_code == 422
    assert "Nothing was saved." in answer.text
    assert "Line 1 has 4 parts." in answer.text
    assert "A; B; C; D" in answer.text
    assert stored(collection) == {}
    part = admin.post(ADDRESS, {"released_on": "soon"}, **SCRIPT).text
    assert "Not saved. Invalid day" in part


def test_an_old_page_does_not_undo_what_another_admin_wrote(admin, collection):
    save(collection, pay="15 EUR")

    admin.post(ADDRESS, {"pay": "", "initial-pay": "", "contact": "me", "initial-contact": ""})

    assert stored(collection) == {"pay": "15 EUR", "contact": "me"}


def test_an_archived_collection_keeps_its_answers(admin, collection):
    archive_collection(collection=collection)

    with pytest.raises(UserFacingError, match="is archived"):
        save(collection, pay="15 EUR")
    assert "Save the answers" not in admin.get(ADDRESS).text


# The gate


def test_the_gate_names_each_required_question_without_an_answer():
    collection = a_judged_collection()
    collection.datasheet_answers.filter(question__in=["pay", "funding"]).delete()
    names = ("Who paid for the work", "Pay for each hour")

    found = asked(collection)
    assert found == read(collection)
    assert found["datasheet"] == (len(names), names)
    with pytest.raises(GateClosed, match=r"datasheet: .*\(Who paid for the work, Pay for each h"):
        build_bundle(take_snapshot(collection), "1.0", {})
    accepted = build_bundle(take_snapshot(collection), "1.0", {"datasheet": "Later."})
    assert [entry["check"] for entry in accepted.manifest["accepted"]] == ["datasheet"]


def test_the_days_are_asked_where_the_judgments_were_imported(collection):
    save(collection, **{q.key: "Yes." for q in required_questions(dates_known=True)})
    assert missing_answers(collection) == []

    collection.judgment_imports.create(files={"a.csv": "0" * 64}, judgments=1, decisions=0)

    assert missing_answers(collection) == ["When the judgments were made"]


def test_the_demo_answers_every_required_question(settings, tmp_path):
    from demo.datasheet import ANSWERS as OF_DEMO

    assert set(OF_DEMO) >= {question.key for question in required_questions(dates_known=True)}


# About the annotators


def profiled(collection: Collection, **degrees: str) -> None:
    for username, degree in degrees.items():
        person = member(collection, "annotator", username)
        save_profile(collection=collection, person=person, values={"degree": degree})


def test_a_person_answers_with_consent_changes_and_revokes(collection):
    client = client_of("ann1")
    refused = client.post(PROFILE, {"degree": "master"})
    assert (refused.status_code, AnnotatorProfile.objects.count()) == (422, 0)
    assert "Without your consent the answers cannot be saved." in refused.text

    client.post(PROFILE, {"degree": "master", "english": "fluent", "consent": "on"})
    client.post(PROFILE, {"degree": "doctorate", "consent": "on"})
    profile = AnnotatorProfile.objects.get()
    assert (profile.degree, profile.english) == ("doctorate", "")

    client.post(PROFILE, {"revoke": "yes"})
    assert not AnnotatorProfile.objects.exists()


@pytest.mark.parametrize("values", [{}, {"degree": ""}, {"degree": "Dr. Ann"}, {"name": "Ann"}])
def test_nothing_can_be_saved_but_the_coarse_choices(collection, values):
    with pytest.raises(ProfileRefused):
        save_profile(collection=collection, person=User.objects.get(username="ann1"), values=values)


def test_only_those_who_judge_have_the_form(collection):
    person = User.objects.get(username="admin")
    with pytest.raises(ProfileRefused, match="Only annotators and adjudicators"):
        save_profile(collection=collection, person=person, values={"degree": "master"})
    assert client_of("admin").get(PROFILE).status_code == 404


def test_consent_can_be_revoked_without_the_role_and_in_an_archived_collection(collection):
    profiled(collection, ann1="master")
    collection.memberships.filter(user__username="ann1").delete()
    archive_collection(collection=collection)
    client = client_of("ann1")

    assert "Small" in client.get("/account/about/").text
    assert client.post(PROFILE, {"degree": "none", "consent": "on"}).status_code == 422
    assert AnnotatorProfile.objects.get().degree == "master"
    client.post(PROFILE, {"revoke": "yes"})

    assert not AnnotatorProfile.objects.exists()
    assert client.get(PROFILE).status_code == 404


def test_the_admin_sees_groups_and_never_a_single_person(collection, admin):
    profiled(collection, ann1="bachelor", ann2="master", ann3="master")
    assert "Bachelor" not in admin.get(ADDRESS).text
    assert "3 people have answered" in re.sub(r"\s+", " ", admin.get(ADDRESS).text)

    profiled(collection, ann4="master", ann5="bachelor", ann6="bachelor")

    assert published_profiles(collection)[2].groups == (("Bachelor", 3), ("Master", 3))
    page = admin.get(ADDRESS).text
    assert "Bachelor" in page
    assert "ann1" not in page


def test_no_other_person_sees_what_someone_chose(collection):
    profiled(collection, ann1="doctorate")

    assert 'value="doctorate" selected' in client_of("ann1").get(PROFILE).text
    assert 'value="doctorate" selected' not in client_of("ann2").get(PROFILE).text
    assert client_of("ann2").get(ADDRESS).status_code == 404


def test_the_admin_sets_the_smallest_group(collection, admin):
    profiled(collection, ann1="master", ann2="master")
    assert published_profiles(collection)[2].groups == ()

    admin.post(reverse("profile-threshold", args=["small"]), {"least_people": "2"})
    assert published_profiles(collection)[2].groups == (("Master", 2),)

    refused = admin.post(reverse("profile-threshold", args=["small"]), {"least_people": "1"})
    assert refused.status_code == 422
    assert '<div class="dialog-open" id="threshold"' in refused.text
    with pytest.raises(ThresholdTooLow, match="Use at least 2"):
        change_threshold(collection=collection, least_people=1)


def test_the_export_of_an_archived_collection_has_the_answers_but_no_profile(collection):
    profiled(collection, ann1="doctorate")
    save(collection, pay="Unpaid.")
    archive_collection(collection=collection)

    content = b"".join(export_collection(collection))

    assert b"Unpaid." in content
    assert b"doctorate" not in content
    assert b"annotatorprofile" not in content


def test_a_collection_is_deleted_with_its_datasheet(collection):
    profiled(collection, ann1="master")
    save(collection, pay="Unpaid.")
    change_threshold(collection=collection, least_people=4)
    archive_collection(collection=collection)
    list(export_collection(collection))

    call_command("delete_collection", "small", confirm="small")

    assert not DatasheetAnswer.objects.exists()
    assert not AnnotatorProfile.objects.exists()


def test_revoking_twice_changes_nothing(collection):
    profiled(collection, ann1="master")
    person = User.objects.get(username="ann1")

    assert delete_profile(collection=collection, person=person)
    assert not delete_profile(collection=collection, person=person)


# Command and API


def test_the_command_prints_the_questions_and_reads_the_answers(collection, tmp_path, capsys):
    save(collection, pay="Unpaid.")
    call_command("answer_datasheet", "small")
    printed = json.loads(capsys.readouterr().out)
    assert printed.keys() == QUESTIONS.keys() - {"collection_dates"}
    assert printed["pay"] == "Unpaid."

    file = tmp_path / "answers.json"
    file.write_text(json.dumps(printed | ANSWERS | {"contact": ""}))
    call_command("answer_datasheet", "small", str(file))

    assert "Not answered yet: Contact." in capsys.readouterr().out
    assert stored(collection)["purpose"] == ANSWERS["purpose"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "must be one JSON object whose values are texts"),
        ('{"pay": 15}', "must be one JSON object whose values are texts"),
        ("{", "invalid JSON"),
        ('{"weather": "fine"}', "weather: No such question"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_file(collection, tmp_path, content, message):
    file = tmp_path / "answers.json"
    file.write_text(content)

    with pytest.raises(CommandError, match=message):
        call_command("answer_datasheet", "small", str(file))


def test_the_api_shows_and_saves_answers_and_names_what_is_missing(collection):
    client = client_of_api("admin")
    address = "/api/v1/collections/small/datasheet/"

    answer = client.post(address, {"answers": {"pay": "Unpaid.\n"}}, format="json").json()

    assert answer["answers"] == {"pay": "Unpaid."} == client.get(address).json()["answers"]
    assert "pay" not in answer["missing"]
    assert len(answer["missing"]) == 12
    refused = client.post(address, {"answers": {"weather": "fine"}}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (400, "answer_refused")


# Consent


def test_a_release_counts_who_agreed_to_which_version_and_names_no_person(tmp_path):
    collection = a_judged_collection()
    before = files_of(collection)
    assert b"judges agreed" not in before["datasheet.md"]
    assert "consent" not in json.loads(before[SETTINGS])["datasheet"]
    for text in ("We store grades.", "We store more."):
        version = write_consent_text(collection=collection, text=text, written_by=None)
        collection.refresh_from_db()
        for name in ("ann1", "ann2", "adju")[version - 1 :]:  # the last judges nothing
            person = User.objects.get(username=name)
            agree(collection=collection, person=person, version=version)
    withdraw(collection=collection, person=User.objects.get(username="ann2"))

    files = files_of(collection)

    sheet = " ".join(files["datasheet.md"].decode().split())
    assert "Version 1 of the text: 2 of 2 judges agreed. 1 of them withdrew later." in sheet
    assert "Version 2 of the text: 1 of 2 judges agreed. 1 of them withdrew later." in sheet
    assert "agreed to no version" not in sheet
    assert not re.search(rb"\b(ann[12]|adju)\b", files["datasheet.md"] + files[SETTINGS])
    path = write_bundle(tmp_path / "release.zip", files)
    import_release(path=path, slug="copy")
    again = files_of(Collection.objects.get(slug="copy"))
    settings = [json.loads(each[SETTINGS])["datasheet"]["consent"] for each in (files, again)]
    assert settings[0] == settings[1]


def test_judges_who_agreed_to_no_version_are_counted():
    collection = a_judged_collection()
    write_consent_text(collection=collection, text="We store grades.", written_by=None)

    sheet = " ".join(files_of(collection)["datasheet.md"].decode().split())

    assert "Version 1 of the text: 0 of 2 judges agreed. 2 agreed to no version." in sheet
