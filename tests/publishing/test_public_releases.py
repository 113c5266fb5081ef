"""The pages of public releases: who sees them, what they hold, and what they keep to themselves."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import zipfile
from io import BytesIO

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from accounts.models import User
from annotation.models import Slot
from annotation.services import InPublicVersion
from release.files import path_of
from release.models import PublicPeriod, Release
from release.publicity import make_private, make_public
from release.services import publish_release
from tests.support.factories import a_query, an_open_query
from tests.support.release_scenes import QRELS, a_judged_collection
from tests.support.releases import accepting
from tests.support.running import at_once
from tests.support.sittings import judge
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

PAGE = "/releases/small/1.0/"
ZIP = "/releases/small/1.0.zip"


@pytest.fixture(autouse=True)
def _no_downloads_counted():
    cache.clear()


def a_release() -> Release:
    collection = a_judged_collection(description="Papers about parsing & trees.")
    return publish_release(collection=collection, version="1.0")


@once_a_file
def release():
    """Published, not public."""
    return a_release()


@pytest.fixture
def collection(release):
    return release.collection


@pytest.fixture
def public(release):
    make_public(release=release, person=None)
    return release


# Making a release public


def test_a_published_release_is_private_at_first(release, client):
    assert client.get(PAGE).status_code == 404
    assert client.get(ZIP).status_code == 404


def test_making_it_public_asks_first_and_says_who_can_see_what(release):
    admin = client_of("admin")

    page = admin.post(address("make-release-public", "1.0"))

    assert "Everybody on the internet can then read its page" in text_of(page)
    assert PAGE in page.text
    assert not PublicPeriod.objects.exists()


def test_a_confirmed_release_is_public_with_the_person_and_the_time(release, client):
    client_of("admin").post(address("make-release-public", "1.0"), {"confirmed": "yes"})

    assert client.get(PAGE).status_code == 200
    period = PublicPeriod.objects.get()
    assert period.began_by.username == "admin"
    assert (period.ended_at, period.ended_by) == (None, None)


def test_making_it_private_ends_the_period_and_hides_it(public, client):
    admin = client_of("admin")
    asked = admin.post(address("make-release-private", "1.0"))
    assert "Page not found" in asked.text
    assert client.get(PAGE).status_code == 200

    admin.post(address("make-release-private", "1.0"), {"confirmed": "yes"})

    assert client.get(PAGE).status_code == 404
    assert client.get(ZIP).status_code == 404
    assert PublicPeriod.objects.get().ended_by.username == "admin"


def test_making_it_public_twice_changes_nothing(public):
    first = PublicPeriod.objects.get()

    assert make_public(release=public, person=None) == first
    assert PublicPeriod.objects.count() == 1


def test_a_judgment_from_before_a_public_version_stays(release, collection):
    slot = Slot.objects.of(collection).filter(judgment__grade__lt=3).first()
    judge(slot, 3)
    make_public(release=release, person=None)
    make_private(release=release, person=None)
    unjudged = Slot.objects.filter(pair__query=an_open_query(collection).query).first()

    slot.refresh_from_db()
    with pytest.raises(InPublicVersion, match="was made public after you judged"):
        judge(slot, 2)
    judge(unjudged, 1)
    judge(unjudged, 2)

    slot.refresh_from_db()
    assert slot.judgment.grade == 3


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_admins_at_once_make_it_public_once():
    release = a_release()

    results = at_once([lambda: make_public(release=release, person=None)] * 2)

    assert PublicPeriod.objects.get() == results[0] == results[1]


def test_a_release_can_be_public_again_and_the_history_stays(public):
    admin = User.objects.get(username="admin")
    make_private(release=public, person=admin)
    make_public(release=public, person=admin)

    page = text_of(client_of("admin").get(address("release", "1.0")))

    assert PublicPeriod.objects.count() == 2
    assert "View the public page" in page
    assert re.search(r"Public from .* to \d+ \w+ \d{4}", page)


def test_a_damaged_zip_cannot_be_made_public(release):
    path_of("small", "1.0").write_bytes(b"other")

    page = client_of("admin").post(address("make-release-public", "1.0"), {"confirmed": "yes"})

    assert page.status_code == 500
    assert "is not what was published" in page.text
    assert not PublicPeriod.objects.exists()


def test_the_list_of_releases_marks_the_public_one(public):
    assert "public</span>" in client_of("admin").get(address("releases")).text


# Privacy


def test_a_private_version_and_one_that_does_not_exist_look_the_same(public, collection, client):
    publish_release(collection=collection, version="1.1")

    for path in ("/releases/small/{}/", "/releases/small/{}.zip"):
        for method in ("get", "post"):
            private, missing = (getattr(client, method)(path.format(v)) for v in ("1.1", "7.7"))
            assert (private.status_code, missing.status_code) == (404, 404)
            assert private.text == missing.text


def test_no_name_of_a_person_is_on_the_page(public, client):
    User.objects.update(first_name="Maximilian Quux")

    page = client.get(PAGE).text

    for word in ("Maximilian", "ann1", "ann2", "adju", "Hidden Author", "Secret thought"):
        assert not re.search(rf"\b{word}\b", page)


def test_later_changes_of_the_collection_do_not_show(public, collection, client):
    before = client.get(PAGE).text
    a_query(collection)
    collection.name, collection.description, collection.licence = "Other", "Draft", "MIT"
    collection.save()
    publish_release(collection=collection, version="1.1", accept=accepting(["unopened-queries"]))

    assert client.get(PAGE).text == before


def test_the_list_holds_public_releases_only(public, collection, client):
    publish_release(collection=collection, version="1.1")

    page = text_of(client.get(reverse("public-releases")))

    assert PAGE in page
    assert "1.1" not in page


def test_only_public_pages_may_be_listed_by_search_engines(public, client):
    assert client.get(PAGE).headers["X-Robots-Tag"] == "all"
    assert 'name="robots" content="index, follow"' in client.get(PAGE).text
    for other in ("/accounts/login/", "/releases/small/9/", ZIP):
        response = client.get(other)
        response.getvalue()  # a file is closed when it was read
        assert response.headers["X-Robots-Tag"] == "noindex"


# The page


def test_the_page_has_the_numbers_of_the_bundle(public, client):
    page = text_of(client.get(PAGE))

    assert "Papers about parsing &amp; trees." in page
    assert "CC-BY-4.0" in page
    assert "https://spdx.org/licenses/CC-BY-4.0.html" in page
    assert public.sha256 in page
    for name, number in (("Queries", 3), ("Pairs judged twice", 9), ("Judgments", 18)):
        assert re.search(rf"<dt>{name}</dt> <dd>{number}</dd>", page)
    assert re.search(rf"<dt>Final labels</dt> <dd>{len(QRELS.splitlines())}</dd>", page)
    assert re.search(r'<th scope="row">result</th> <td class="number"> 0 of \d </td>', page)


def test_the_agreement_is_that_of_the_bundle(public, client):
    bundle = zipfile.ZipFile(path_of("small", "1.0"))
    rows = json.loads(bundle.read("reports/agreement.json"))["facets"]
    shown = client.get(PAGE).context["page"].agreement

    expected = [(row["facet"], row["queries"], row["pairs"]) for row in rows if row["queries"]]
    assert [(line.facet, line.queries, line.pairs) for line in shown] == expected
    assert {line.stage for line in shown} == {"before", "after"}


def test_the_other_public_versions_are_linked(public, collection, client):
    make_public(release=publish_release(collection=collection, version="1.1"), person=None)
    publish_release(collection=collection, version="1.2")

    page = client.get(PAGE).text

    assert 'href="/releases/small/1.1/"' in page
    assert "1.2" not in page


def test_the_page_takes_the_same_queries_for_any_number_of_versions(public, collection, client):
    before = queries_of(client, PAGE), queries_of(client, "/releases/")
    for number in range(3):
        version = publish_release(collection=collection, version=f"2.{number}")
        make_public(release=version, person=None)

    assert (queries_of(client, PAGE), queries_of(client, "/releases/")) == before
    assert before[0] <= 3


def test_the_page_reads_no_manifest(public, client):
    with CaptureQueriesContext(connection) as captured:
        client.get(PAGE)

    assert not any('"manifest"' in query["sql"] for query in captured)


# Search engines, previews and citations


def linked_data(page: str) -> dict:
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_the_page_describes_itself_as_a_dataset(public, client):
    dataset = linked_data(client.get(PAGE).text)

    assert dataset["@type"] == "Dataset"
    assert dataset["name"] == "Small, version 1.0"
    assert dataset["url"] == f"http://testserver{PAGE}"
    assert dataset["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert len(dataset["description"]) >= 50
    (download,) = dataset["distribution"]
    assert download["contentUrl"] == f"http://testserver{ZIP}"
    assert download["sha256"] == public.sha256


def test_text_cannot_end_the_script_of_the_dataset(collection, client):
    evil = "</script><script>alert(1)</script><!-- & more"
    collection.description = evil
    collection.save()
    make_public(release=publish_release(collection=collection, version="1.1"), person=None)

    page = client.get("/releases/small/1.1/").text

    assert "<script>alert" not in page
    assert evil in linked_data(page)["description"]
    assert escape(evil) in page


def test_links_are_previewed_with_title_and_description(public, client):
    page = client.get(PAGE).text

    assert f'<link rel="canonical" href="http://testserver{PAGE}">' in page
    assert '<meta property="og:title" content="Small, version 1.0">' in page
    assert "Papers about parsing &amp; trees. A test collection for" in page


def test_bibtex_escapes_what_tex_would_read(collection, client):
    collection.name = "50% & {x}_1"
    collection.save()
    make_public(release=publish_release(collection=collection, version="1.1"), person=None)

    entry = client.get("/releases/small/1.1/").context["page"].bibtex

    assert entry.startswith("@misc{small-1-1,")
    assert r"title = {{50\% \& \{x\}\_1, version 1.1}}," in entry
    assert "url = {http://testserver/releases/small/1.1/}," in entry


def test_the_shown_code_reads_files_of_the_zip(public, client):
    commands = client.get(PAGE).context["page"].loading.commands
    names = zipfile.ZipFile(BytesIO(client.get(ZIP).getvalue())).namelist()
    folders = {"/".join(name.split("/")[:-1]) for name in names}

    for command in commands:
        if command.key != "trec-eval":
            compile(command.code, command.key, "exec")
        for path in re.findall(r"small-1\.0/?([^\s\"]*)", command.code):
            assert path in {*names, *folders}, command.key


def test_the_shown_commands_download_compare_and_unpack(public, client, tmp_path):
    (tmp_path / "small-1.0.zip").write_bytes(client.get(ZIP).getvalue())

    download, compare, unpack = client.get(PAGE).context["page"].shell_commands.splitlines()

    assert download == f"curl --fail --output small-1.0.zip http://testserver{ZIP}"
    subprocess.run(compare, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert unpack == "unzip small-1.0.zip -d small-1.0"


# The download


def test_everybody_can_download_the_published_bytes(public, client):
    response = client.get(ZIP)

    assert hashlib.sha256(response.getvalue()).hexdigest() == public.sha256
    assert response.headers["Content-Disposition"] == 'attachment; filename="small-1.0.zip"'


@pytest.mark.django_db(transaction=True)
def test_an_interrupted_download_continues_where_it_stopped(live_server, tmp_path):
    make_public(release=a_release(), person=None)
    content = path_of("small", "1.0").read_bytes()
    file = tmp_path / "small.zip"
    file.write_bytes(content[:1000])
    url = f"{live_server.url}{ZIP}"

    curl = ["curl", "--fail", "--silent", "--continue-at", "-", "--output", str(file), url]
    subprocess.run(curl, check=True)

    assert file.read_bytes() == content


def test_a_part_is_sent_with_the_headers_of_the_whole_and_counts_as_a_download(
    public, client, settings
):
    settings.DOWNLOADS_PER_ADDRESS = 1
    part = client.get(ZIP, headers={"Range": "bytes=-2", "If-Range": f'"{public.sha256}"'})

    assert (part.status_code, len(part.getvalue())) == (206, 2)
    assert part.headers["Cache-Control"] == "public, no-cache"
    assert client.get(ZIP, headers={"Range": "bytes=-2"}).status_code == 429


def test_a_cache_may_keep_the_zip_but_asks_whether_it_is_still_public(public, client):
    first = client.get(ZIP)
    first.getvalue()
    etag = first.headers["ETag"]

    assert first.headers["Cache-Control"] == "public, no-cache"
    assert client.get(ZIP, headers={"If-None-Match": etag}).status_code == 304
    make_private(release=public, person=None)
    assert client.get(ZIP, headers={"If-None-Match": etag}).status_code == 404


def test_pages_of_public_releases_stay_out_of_caches(public, client):
    # The head of the page names the person who is logged in.
    assert "no-store" in client.get(PAGE).headers["Cache-Control"]


def test_one_address_gets_a_limited_number_of_downloads(public, client, settings):
    settings.DOWNLOADS_PER_ADDRESS = 2

    statuses = []
    for _ in range(3):
        response = client.get(ZIP)
        response.getvalue()
        statuses.append(response.status_code)

    assert statuses == [200, 200, 429]
    assert response.headers["Retry-After"] == str(settings.LOGIN_WAIT_SECONDS)
    assert client.get(PAGE).status_code == 200


def test_a_damaged_file_is_not_handed_out_and_tells_no_path(public, client):
    path_of("small", "1.0").write_bytes(b"other")

    response = client.get(ZIP)

    assert response.status_code == 503
    assert "missing or damaged on the server" in response.text
    assert "python manage.py" not in response.text
