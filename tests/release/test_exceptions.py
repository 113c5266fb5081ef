"""Exceptions are accepted with a reason, which is published, by a person, who is not."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Collection, User
from jobs.models import Job
from jobs.services import run
from release.errors import BadReason, UnknownCheck
from release.files import open_release
from release.gate.acceptance import LONGEST_REASON
from release.models import Release
from release.publicity import make_public
from release.services import publish_release, request_release
from tests.support.factories import a_query
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

REASON = "The licence is on another page."
ACCEPT = {"licence": "  The licence is\non another page. "}


@once_a_file
def judged() -> Collection:
    return a_judged_collection()


@pytest.fixture
def unlicensed(judged) -> Collection:
    Collection.objects.filter(pk=judged.pk).update(licence="")
    judged.refresh_from_db()
    return judged


def readme_of(release: Release) -> str:
    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        return archive.read("README.md").decode()


def test_the_reason_is_published_and_the_person_who_accepted_is_a_row(unlicensed, client):
    person = User.objects.get(username="admin")
    job = request_release(collection=unlicensed, version="1.0", accept=ACCEPT, requested_by=person)
    run(job.pk)
    release = Release.objects.get()
    make_public(release=release, person=None)

    row = release.exceptions.get()
    assert (row.check_name, row.reason, row.accepted_by) == ("licence", REASON, person)
    assert [entry["reason"] for entry in release.manifest["accepted"]] == [REASON]
    line = f"- **licence**: The collection states no licence. Reason: {REASON}"
    assert line in readme_of(release)
    admin = client_of("admin")
    public = client.get("/releases/small/1.0/")
    for page in (public, admin.get(address("release", "1.0"))):
        assert f"Reason: {REASON}" in text_of(page)
        link = r"Accepted by <a href=\"/c/small/people/\d+/\">admin</a>"
        assert bool(re.search(link, text_of(page))) is (page is not public)


def test_a_check_that_passes_is_not_recorded_as_accepted(judged):
    release = publish_release(collection=judged, version="1.0", accept=ACCEPT)

    assert (release.manifest["accepted"], release.exceptions.count()) == ([], 0)


@pytest.mark.parametrize(
    ("accept", "error", "words"),
    [
        ({"licence": " \n"}, BadReason, "'licence' is missing"),
        ({"licence": "x" * (LONGEST_REASON + 1)}, BadReason, "501 characters. Write at most 500"),
        ({"ids": "Why not?"}, UnknownCheck, "Unknown check 'ids'"),
    ],
)
def test_an_exception_needs_a_check_that_can_be_accepted_and_a_reason(
    unlicensed, accept, error, words
):
    for ask in (publish_release, request_release):
        with pytest.raises(error, match=words):
            ask(collection=unlicensed, version="1.0", accept=accept)
    assert not Job.objects.exists()


# The page


@pytest.fixture
def admin(judged):
    return client_of("admin")


@pytest.fixture
def unopened(judged) -> Collection:
    a_query(judged)
    return judged


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "Write why you publish in spite of this finding."),
        ({"reason-unopened-queries": "  "}, "Write why you publish in spite of this finding."),
        ({"reason-unopened-queries": "x" * 501}, "at most 500 characters"),
    ],
)
def test_a_ticked_finding_needs_a_reason(unopened, admin, sent, words):
    ticked = {"version": "1.0", "accept": "unopened-queries", "confirmed": "yes"}
    page = admin.post(address("publish"), {**ticked, **sent})

    assert (page.status_code, words in text_of(page)) == (422, True)
    assert not Job.objects.exists()


def test_a_reason_without_the_tick_accepts_nothing(unopened, admin):
    sent = {"version": "1.0", "reason-unopened-queries": "Later.", "confirmed": "yes"}

    assert admin.post(address("publish"), sent).status_code == 422


# Texts and labels


def test_texts_without_a_licence_stop_a_release_and_ids_do_not(admin):
    Collection.objects.update(corpus_licence="")
    sent = {"version": "1.0", "confirmed": "yes"}

    stopped = text_of(admin.post(address("publish"), sent))
    assert "abstracts of the queries and candidates, and the collection states" in stopped
    assert "Or publish document ids only." in stopped
    assert admin.post(address("publish"), {**sent, "texts": "none"}).status_code == 302
    assert Job.objects.get().parameters["options"] == {"texts": "none", "labels": "judged"}


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ("pooled", "titles and abstracts of the queries and candidates, licence CC-BY-4.0."),
        ("corpus", "titles and abstracts of all documents, licence CC-BY-4.0."),
        ("none", "document ids only, no titles and abstracts."),
    ],
)
def test_the_confirmation_says_which_texts_are_in_the_release(admin, texts, words):
    page = admin.post(address("publish"), {"version": "1.0", "texts": texts})

    assert f"{words} These are 6 documents." in text_of(page)
    assert ("texts", texts) in page.context["kept"]


def test_an_unknown_choice_of_texts_is_refused(admin):
    sent = {"version": "1.0", "texts": "some", "confirmed": "yes"}

    assert admin.post(address("publish"), sent).status_code == 422
    assert not Job.objects.exists()


def test_the_command_takes_reasons_and_options(unlicensed, tmp_path):
    Collection.objects.update(corpus_licence="")
    accept = ("--accept", f"licence={REASON}")

    call_command("publish_release", "small", "1.0", "--docids-only", *accept, "--output", tmp_path)
    call_command(
        *("publish_release", "small", "1.1", "--whole-corpus", *accept, "--output", str(tmp_path)),
        *("--accept", "corpus-licence=1 = 1"),
    )

    ids, whole = Release.objects.order_by("version")
    assert ids.manifest["options"] == {"texts": "none", "labels": "judged"}
    assert whole.manifest["options"] == {"texts": "corpus", "labels": "judged"}
    assert {row.reason: row.accepted_by for row in whole.exceptions.all()} == {
        REASON: None,
        "1 = 1": None,
    }


def test_the_command_asks_for_a_missing_reason(unlicensed, tmp_path):
    with pytest.raises(CommandError, match="The reason to accept 'licence' is missing"):
        call_command("publish_release", "small", "1.0", "--accept", "licence", "--output", tmp_path)


def test_the_api_takes_reasons_and_options(unopened, admin):
    body = {"version": "1.0", "accept": {"unopened-queries": "They follow."}, "texts": "none"}

    def ask(changes):
        sent = json.dumps({**body, **changes})
        where = "/api/v1/collections/small/releases/"
        return admin.post(where, sent, content_type="application/json")

    assert ask({}).status_code == 202
    parameters = Job.objects.get().parameters
    assert parameters["accept"] == {"unopened-queries": "They follow."}
    assert parameters["options"] == {"texts": "none", "labels": "judged"}
    assert ask({"accept": {"unopened-queries": " They  follow. "}}).status_code == 202
    for other in ({"texts": "pooled"}, {"accept": {"unopened-queries": "Another."}}):
        assert (ask(other).status_code, ask(other).json()["code"]) == (409, "busy")
    for wrong in ({"accept": ["unopened-queries"]}, {"texts": "some"}, {"labels": "guessed"}):
        assert ask(wrong).json()["code"] == "invalid"
    assert ask({"accept": {"unopened-queries": ""}}).status_code == 400
