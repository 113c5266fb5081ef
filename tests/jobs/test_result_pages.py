"""Every kind of job leads to what it made; one that reads files, to the form that uploads them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from jobs import registry
from jobs.models import Job, State
from jobs.wording import form_url, parameters, result_url
from tests.support.factories import a_collection
from tests.support.visits import client_of, text_of


def a_job(kind, collection, **fields):
    return Job(kind=kind, collection=collection, **fields)


# Other tests register kinds of their own, such as "tests.stuck".
KINDS = sorted(name for name in registry.kinds() if not name.startswith("tests."))


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_page_for_its_result_and_a_form_for_its_files(name):
    kind = registry.kind(name)

    assert reverse(kind.page, args=["small"])
    if kind.result:
        url_name, *values = kind.result
        assert reverse(url_name, args=["small", *values])
    assert bool(kind.form) == bool(kind.reads)
    if kind.form:
        assert reverse(kind.form, args=["small"])


@pytest.mark.django_db
def test_the_result_of_a_job_is_the_thing_that_it_made():
    collection = a_collection()
    made = a_job("publish_release", collection, parameters={"version": "1.0"})
    checked = a_job("import_run", collection, parameters={"name": "bm25", "dry_run": True})

    assert result_url(made) == reverse("release", args=[collection.slug, "1.0"])
    assert result_url(checked) == reverse("runs", args=[collection.slug])
    assert form_url(checked) == reverse("import-run", args=[collection.slug])


@pytest.mark.django_db
def test_what_was_asked_for_is_in_words_without_paths():
    job = a_job(
        "import_documents",
        a_collection(),
        parameters={"path": "a/b", "filename": "a.jsonl", "plan": {"depth": 100}, "on_error": ""},
    )

    assert [(line.name, line.value) for line in parameters(job)] == [("depth", "100")]


@pytest.mark.django_db
@pytest.mark.one_database
def test_the_page_of_a_bad_file_offers_another_upload_and_one_of_a_release_the_version():
    collection = a_collection()
    admin = client_of("admin")
    bad = a_job("import_run", collection, key="a", state=State.FAILED, error="run.txt:3: bad")
    bad.save()
    done = a_job("publish_release", collection, key="b", state=State.SUCCEEDED)
    done.parameters = done.result = {"version": "1.0"}
    done.save()

    failed = text_of(admin.get(reverse("job", args=[collection.slug, bad.pk])))
    succeeded = admin.get(reverse("job", args=[collection.slug, done.pk])).text
    listed = admin.get(reverse("jobs", args=[collection.slug])).text

    assert "Upload another file" in failed
    assert "Retry job" not in failed
    for page in (succeeded, listed):
        assert f'href="{reverse("release", args=[collection.slug, "1.0"])}"' in page
