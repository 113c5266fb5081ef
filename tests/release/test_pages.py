"""The admin's pages about releases."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Collection
from bundle.label_changes import Difference, compare, read_labels
from bundle.options import ReleaseOptions, Texts
from jobs.models import Job
from release.datasheets.models import DatasheetAnswer
from release.files import path_of
from release.forms import next_version
from release.gate.checks import CHECKS
from release.services import publish_release
from tests.support.factories import a_collection, a_query, an_open_query
from tests.support.release_scenes import RULINGS, a_judged_collection, decide_pair, slot_of
from tests.support.releases import EVERY_EXCEPTION, USUAL_CHECKS
from tests.support.sittings import judge, judge_both
from tests.support.visits import address, client_of, markup, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def judged():
    """Judged, decided and published as 1.0."""
    collection = a_judged_collection()
    publish_release(collection=collection, version="1.0")
    return collection


@once_a_file
def collection():
    return judged()


# The gate


def test_every_check_of_the_gate_has_a_page_where_it_is_mended(admin):
    for check in CHECKS.values():
        assert reverse(check.fixed_on.url_name, args=["small"])


def test_a_gate_in_order_says_so(admin):
    assert f"All {len(USUAL_CHECKS)} checks passed." in text_of(admin.get(address("releases")))


def test_a_fault_says_what_where_and_how_and_can_be_accepted(collection, admin):
    name = a_query(collection).name

    page = admin.get(address("releases"))

    assert "Queries never opened for judging: 1." in page.text
    assert name in page.text
    assert f'href="{address("board")}"' in page.text
    assert 'name="accept" value="unopened-queries"' in markup(page.text)


def test_what_cannot_be_accepted_offers_no_box_and_stops_publishing():
    a_collection("bare")

    page = client_of("admin").get(address("releases", slug="bare"))

    assert 'value="empty"' not in page.text
    assert "disabled" in page.text


# Publishing


def test_publishing_asks_first(admin):
    page = admin.post(address("publish"), {"version": "1.1"})

    assert "Publish version 1.1?" in page.text
    assert ("version", "1.1") in page.context["kept"]
    assert not Job.objects.exists()


def test_a_confirmed_version_is_queued(admin):
    response = admin.post(address("publish"), {"version": "1.1", "confirmed": "yes"})

    assert response.status_code == 302
    job = Job.objects.get()
    assert (job.kind, job.parameters) == (
        "publish_release",
        {"version": "1.1", "accept": {}, "options": ReleaseOptions().as_json()},
    )
    assert job.requested_by.username == "admin"


def test_a_finding_neither_mended_nor_accepted_stops_it(collection, admin):
    a_query(collection)

    page = admin.post(address("publish"), {"version": "my-1.1", "confirmed": "yes"})

    assert page.status_code == 422
    assert "Nothing was published: 1 finding above is neither fixed nor accepted." in page.text
    assert 'value="my-1.1"' in page.text
    assert not Job.objects.exists()


def test_an_accepted_finding_goes_into_the_job(collection, admin):
    a_query(collection)
    sent = {
        "version": "1.1",
        "accept": ["unopened-queries"],
        "reason-unopened-queries": "They follow in 2.0.",
    }

    page = admin.post(address("publish"), sent)
    assert "these exceptions were accepted" in page.text
    assert "Reason: They follow in 2.0." in page.text
    admin.post(address("publish"), {**sent, "confirmed": "yes"})

    assert Job.objects.get().parameters["accept"] == {"unopened-queries": "They follow in 2.0."}


def test_what_must_be_mended_cannot_be_accepted():
    a_collection("bare")
    client = client_of("admin")

    page = client.post(
        address("publish", slug="bare"),
        {"version": "1.0", "accept": list(CHECKS), "confirmed": "yes"},
    )

    assert page.status_code == 422
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("version", "what"),
    [
        ("", "Enter a version"),
        ("1.0", "Version 1.0 is published already"),
        ("../up", "Invalid version"),
    ],
)
def test_a_wrong_version_says_why(admin, version, what):
    page = admin.post(address("publish"), {"version": version, "confirmed": "yes"})

    assert page.status_code == 422
    assert what in page.text
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("newest", "suggested"), [("", "1.0"), ("1.0", "1.1"), ("v2.9", "v2.10"), ("final", "1.0")]
)
def test_the_next_version_is_suggested(newest, suggested):
    assert next_version(newest) == suggested


def test_the_next_version_starts_from_the_choices_and_reasons_of_the_last(collection, admin):
    a_query(collection)
    publish_release(
        collection=collection,
        version="2.0",
        accept={"unopened-queries": "They follow later."},
        options=ReleaseOptions(texts=Texts.NONE),
    )

    page = admin.get(address("releases"))

    form = page.context["form"]
    assert "The choices and reasons below are those of version 2.0." in text_of(page)
    assert (form["version"].value(), form["texts"].value()) == ("2.1", "none")
    assert form["reason-unopened-queries"].value() == "They follow later."
    assert 'name="accept" value="unopened-queries" checked' in markup(page.text)
    assert not Job.objects.exists()
    unticked = admin.post(address("publish"), {"version": "2.1", "confirmed": "yes"})
    assert unticked.status_code == 422
    assert 'value="unopened-queries" checked' not in markup(unticked.text)


# Versions


def test_the_versions_have_checksum_size_and_counts(collection, admin):
    release = collection.releases.get()

    page = text_of(admin.get(address("releases")))

    assert release.sha256 in page
    assert "the first version" in page
    assert f'<td class="number">{release.manifest["counts"]["labels"]}</td>' in page


def change_labels(collection):
    """One label added by revision of a garbled pair, one changed, one gone."""
    judge(slot_of(collection, "q1_background", "d2", 1), 1)
    judge(slot_of(collection, "q1_background", "d2", 2), 1)
    judge(slot_of(collection, "q2_method", "d4", 1), 3)
    judge(slot_of(collection, "q2_method", "d4", 2), 3)
    judge(slot_of(collection, "q2_method", "d3", 1), None)
    decide_pair(collection, "q2_method", "d3", RULINGS["q2_method", "d4"])


def test_the_difference_to_the_version_before_is_counted(collection, admin):
    change_labels(collection)
    publish_release(collection=collection, version="1.1", accept=EVERY_EXCEPTION)

    page = text_of(admin.get(address("releases")))

    assert "1 added" in page
    assert "1 removed" in page
    assert "1 changed" in page
    assert "1 labels added, 1 removed, 1 with another grade" in text_of(
        admin.get(address("release", "1.1"))
    )


def test_the_same_labels_are_called_the_same(collection, admin):
    publish_release(collection=collection, version="1.1")

    assert "same labels" in admin.get(address("releases")).text


def test_a_difference_to_a_file_that_was_lost_is_not_known(collection, admin):
    change_labels(collection)
    path_of("small", "1.0").unlink()
    publish_release(collection=collection, version="1.1", accept=EVERY_EXCEPTION)

    assert "unknown" in admin.get(address("releases")).text


def test_labels_are_compared_pair_by_pair():
    before = read_labels([b"q 0 a 1\n", b"q 0 b 2\n", b"q 0 c 3\n"])
    after = read_labels([b"q 0 b 2\n", b"q 0 c 0\n", b"q 0 d 1\n"])

    assert compare("1.0", before, after) == Difference("1.0", added=1, removed=1, changed=1)


def test_the_page_of_a_version_shows_its_readme_and_files(collection, admin):
    page = admin.get(address("release", "1.0"))

    assert "<h3>Small, version 1.0</h3>" in page.text
    for name, file in collection.releases.get().manifest["files"].items():
        assert name.rpartition("/")[2] in page.text
        assert file["sha256"] in page.text


def test_an_unknown_version_is_not_found(admin):
    assert admin.get(address("release", "9")).status_code == 404
    assert admin.get(address("release-download", "9")).status_code == 404


# As they stand in an address: a superscript two, NUL, the bytes of a lone surrogate, a space.
NO_VERSIONS = ["%C2%B2", "1.0%00", "%00", "%ED%A0%80", "1%200", "x" * 41]


@pytest.mark.parametrize("version", NO_VERSIONS)
@pytest.mark.parametrize("end", ["/", ".zip"])
def test_what_can_be_no_version_is_a_bad_request(admin, version, end):
    admin.raise_request_exception = False

    assert admin.get(f"/c/small/releases/{version}{end}").status_code == 400


@pytest.mark.parametrize("version", NO_VERSIONS)
@pytest.mark.parametrize("end", ["/", "/bundle.zip"])
def test_what_can_be_no_version_is_a_bad_request_in_the_api(admin, version, end):
    response = admin.get(f"/api/v1/collections/small/releases/{version}{end}")

    assert response.status_code == 400
    assert response.json()["detail"]


@pytest.mark.parametrize("version", ["²", "1\0", "\ud800", "1 0"])
def test_what_can_be_no_version_cannot_be_asked_for(collection, admin, version):
    page = admin.post(address("publish"), {"version": version.encode(errors="replace").decode()})
    body = json.dumps({"version": version})
    asked = "/api/v1/collections/small/releases/"

    assert page.status_code in (400, 422)
    assert admin.post(asked, body, content_type="application/json").status_code == 400
    assert not Job.objects.exists()


@pytest.mark.parametrize("check", ["²", "licence\0", "\ud800"])
def test_what_can_be_no_check_cannot_be_accepted(collection, admin, check):
    body = json.dumps({"version": "1.1", "accept": {check: "Why not?"}})
    asked = "/api/v1/collections/small/releases/"

    assert admin.post(asked, body, content_type="application/json").status_code == 400
    assert not Job.objects.exists()


def test_the_download_is_what_was_published(collection, admin):
    response = admin.get(address("release-download", "1.0"))
    content = response.getvalue()

    assert hashlib.sha256(content).hexdigest() == collection.releases.get().sha256
    assert 'filename="small-1.0.zip"' in response["Content-Disposition"]


def test_the_admins_downloads_continue_where_they_stopped(collection, admin):
    content = path_of("small", "1.0").read_bytes()
    bundle = "/api/v1/collections/small/releases/1.0/bundle.zip"

    for url in (address("release-download", "1.0"), bundle):
        etag = admin.get(url).headers["ETag"]
        rest = admin.get(url, headers={"Range": "bytes=1000-", "If-Range": etag})
        assert (rest.status_code, rest.getvalue()) == (206, content[1000:])
        beyond = admin.get(url, headers={"Range": f"bytes={len(content)}-"})
        assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(content)}")


@pytest.mark.parametrize("harm", ["gone", "changed"])
def test_a_lost_or_changed_file_is_not_handed_out(collection, admin, harm):
    path = path_of("small", "1.0")
    path.unlink() if harm == "gone" else path.write_bytes(b"something else")

    response = admin.get(address("release-download", "1.0"))

    assert response.status_code == 500
    assert "Restore 1.0.zip from a backup of the release folder" in text_of(response)
    assert "cannot be shown" in admin.get(address("release", "1.0")).text


def test_more_versions_cost_the_page_no_more_questions(
    collection, admin, django_assert_num_queries
):
    def publish(number: int) -> None:
        like = {"sha256": first.sha256, "size": first.size, "manifest": first.manifest}
        collection.releases.create(version=f"1.{number}", summary=first.summary, **like)

    first = collection.releases.get()
    publish(1)
    url = address("releases")
    admin.get(url)
    with CaptureQueriesContext(connection) as captured:
        admin.get(url)
        expected = len(captured)
    for number in range(2, 5):
        publish(number)

    with django_assert_num_queries(expected):
        admin.get(url)


def test_more_queries_pairs_and_faults_cost_the_page_no_more_questions(collection, admin):
    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert admin.get(address("releases")).status_code == 200
        return len(captured)

    def more(size: int) -> None:
        a_query(collection, size=size)
        an_open_query(collection, size=size)
        judge_both(an_open_query(collection, size=size, facet="result"), (1, 2), (3, 3))

    asked()  # what a process reads once
    more(2)
    before = asked()
    more(30)
    more(5)

    assert asked() == before


def test_the_versions_are_shown_by_fifty_the_newest_first(collection, admin):
    first = collection.releases.get()
    for number in range(60):
        collection.releases.create(
            version=f"2.{number}", sha256="0" * 64, size=1, manifest=first.manifest
        )

    page = admin.get(address("releases"))
    older = admin.get(address("releases"), {"after": page.context["page"].after})

    versions = [release.version for release in page.context["page"].rows]
    assert versions == [f"2.{number}" for number in range(59, 9, -1)]
    assert [release.version for release in older.context["page"].rows][-2:] == ["2.0", "1.0"]
    assert "the first version" in older.text
    assert "the first version" not in page.text


def test_an_address_of_no_page_of_versions_shows_the_first(collection, admin):
    for place in ("x", "-", "1", "-1-", "-99999999999999999999", "\0"):
        page = admin.get(address("releases"), {"after": place})
        assert page.status_code in (200, 400), place
        if page.status_code == 200:
            rows = page.context["page"].rows
            assert [release.version for release in rows] == ["1.0"], place


def test_the_page_reads_no_manifest_and_no_bundle(collection, admin):
    path_of("small", "1.0").unlink()

    with CaptureQueriesContext(connection) as captured:
        admin.get(address("releases"))

    assert not any('"release_release"."manifest"' in query["sql"] for query in captured)


# One page, and what became a part of it


def test_a_finding_links_what_it_names_and_the_part_that_fixes_it(collection, admin):
    query = a_query(collection)
    Collection.objects.filter(pk=collection.pk).update(licence="")

    page = admin.get(address("releases"))

    fixes = {fault.finding.check: fault.fix_url for fault in page.context["faults"]}
    assert fixes["licence"] == f"{address('collection-settings')}#id_licence"
    assert f'href="{address("query", query.name)}"' in page.text
    assert f"{len(USUAL_CHECKS) - len(fixes)} checks passed</summary>" in markup(page.text)


@pytest.mark.parametrize(
    ("old", "url_name", "end"),
    [("errata", "releases", "#errata"), ("datasheet", "datasheet", "")],
)
def test_old_addresses_lead_to_the_part(admin, old, url_name, end):
    response = admin.get(f"/c/small/{old}/?words=spam")

    assert (response.status_code, response.url) == (301, f"{address(url_name)}?words=spam{end}")


def test_a_reload_after_a_refused_version_shows_the_page(admin):
    assert admin.get(address("publish")).url == address("releases")


def test_the_versions_are_a_csv_file_too(collection, admin):
    lines = admin.get(address("releases"), {"format": "csv"}).getvalue().decode().splitlines()

    release = collection.releases.get()
    assert lines[0] == "version,labels,since,added,removed,changed,bytes,sha256,published_at"
    assert lines[1].startswith(f"1.0,{release.summary['labels']},,,,,{release.size},")


def test_the_datasheet_marks_the_first_question_without_an_answer(collection, admin):
    DatasheetAnswer.objects.filter(collection=collection, question="funding").delete()

    release, datasheet = admin.get(address("releases")), admin.get(address("datasheet"))

    assert f'href="{address("datasheet")}#missing"' in release.text
    assert '<span id="missing"></span><div class="field" id="funding">' in markup(datasheet.text)
