"""Publishing versions: what a version is, that it never changes, and what the next one says of it."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from jobs.work import run_now
from release.models import Release
from release.publishing import KIND, request_release
from release.tables import consistent_read, read_tables
from tests import builders
from tests.release.helpers import ACCEPT_ALL, files_of, pair_of
from tests.transactions import together
from web.errors import BadInput, Conflict


def publish(collection, version: str, **values) -> Release:
    run_now(KIND, collection=collection, version=version, **{"accept": ACCEPT_ALL, "with_texts": False} | values)
    return collection.releases.get(version=version)


@pytest.mark.django_db
def test_a_version_is_a_file_with_its_manifest(judged):
    release = publish(judged, "1.0", notes="The first.")
    with release.file.open() as file:
        content = file.read()
    assert (release.size, release.file.name) == (len(content), "releases/papers/papers-1.0.zip")
    assert release.manifest["counts"]["labels"] == 6
    assert {each["check"] for each in release.manifest["exceptions"]} >= {"unresolved", "unjudged-pairs"}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {*release.manifest["files"], "MANIFEST.json"}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.django_db
def test_a_published_version_never_changes(judged):
    release = publish(judged, "1.0")
    fields = {field.attname: getattr(release, field.attname) for field in Release._meta.fields}
    for name in fields.keys() - {"is_public"}:
        with pytest.raises(IntegrityError), transaction.atomic():
            Release.objects.update(**{name: fields[name]})
    with pytest.raises(IntegrityError), transaction.atomic():
        release.delete()
    with pytest.raises(Conflict, match="never changes"):
        publish(judged, "1.0")


@pytest.mark.django_db
@pytest.mark.parametrize("version", ["", "1", "v1.0", "1.0 ", "1.0/../2", "1.0\n", "1.0-RC1", "1.2.3.4"])
def test_a_version_is_two_or_three_numbers(judged, version):
    with pytest.raises(BadInput, match="two or three numbers"):
        publish(judged, version)


@pytest.mark.django_db
def test_a_fault_that_is_not_accepted_stops_it_and_keeps_nothing(judged, people):
    accept = {key: reason for key, reason in ACCEPT_ALL.items() if key != "unresolved"}
    with pytest.raises(Conflict, match="unresolved"):
        publish(judged, "1.0", accept=accept)
    with pytest.raises(Conflict, match="unresolved"):
        request_release(collection=judged, by=people.admin, version="1.0", accept=accept, with_texts=False, notes="")
    assert not Release.objects.exists()


@pytest.mark.django_db
def test_the_next_version_says_what_changed(judged, people):
    publish(judged, "1.0")
    method = judged.queries.get(name="d00_method")
    builders.decide(pair_of(method, "d04"), people.ada, 1)  # added
    builders.decide(pair_of(method, "d02"), people.ada, 0)  # changed
    builders.judge(pair_of(method, "d01"), people.ann, 1)  # no label any more
    release = publish(judged, "1.1")
    changes = release.manifest["changes"]
    assert {key: changes[key] for key in ("since", "added", "changed", "removed", "same")} == {
        "since": "1.0",
        "added": 1,
        "changed": 1,
        "removed": 1,
        "same": 4,
    }
    assert [(row["before"], row["after"]) for row in changes["grades"]] == [(None, 1), (2, None), (3, 0)]
    with release.file.open() as file:
        rows = list(csv.reader(io.StringIO(files_of(file.read())["CHANGES.csv"])))
    assert rows[1:] == [["d00_method", "d01", "2", ""], ["d00_method", "d02", "3", "0"], ["d00_method", "d04", "", "1"]]
    assert publish(judged, "1.2").manifest["changes"]["same"] == 6


@pytest.mark.django_db
def test_a_version_before_that_is_gone_is_asked_for(judged):
    release = publish(judged, "1.0")
    release.file.storage.delete(release.file.name)
    with pytest.raises(Conflict, match=r"1\.0"):
        publish(judged, "1.1")


@pytest.mark.django_db
def test_the_command_publishes_and_writes_the_zip_for_another_server(judged, tmp_path, capsys):
    accept = [f"--accept={key}={reason}" for key, reason in ACCEPT_ALL.items()]
    call_command("publish_release", "papers", "1.0", f"--output={tmp_path}", *accept)
    release = judged.releases.get()
    assert release.sha256 in capsys.readouterr().out
    call_command("import_release", str(tmp_path / "papers-1.0.zip"), "again")
    for wrong in (["papers", "1.0"], ["others", "1.0"], ["papers", "1.1", "--accept=duplicates"], ["papers", "1.1"]):
        with pytest.raises(CommandError):
            call_command("publish_release", *wrong)


EVERYWHERE = pytest.mark.parametrize("database", ["this one", pytest.param("PostgreSQL", marks=pytest.mark.postgresql)])


@pytest.mark.django_db(transaction=True)
@EVERYWHERE
def test_judgments_and_decisions_that_come_meanwhile_are_not_half_in_a_release(judged, people, database):
    method = judged.queries.get(name="d00_method")
    with consistent_read():
        before = read_tables(judged, with_texts=False)
        together(lambda: builders.judge(pair_of(method, "d05"), people.bob, 1))
        together(lambda: builders.decide(pair_of(method, "d04"), people.ada, 2))
        again = read_tables(judged, with_texts=False)
    assert (again.labels, again.ratings, again.decisions) == (before.labels, before.ratings, before.decisions)
    with consistent_read():
        assert len(read_tables(judged, with_texts=False).qrels) == len(before.qrels) + 2


@pytest.mark.django_db(transaction=True)
@EVERYWHERE
def test_of_two_who_publish_a_version_at_once_one_wins(judged, database):
    outcomes = together(lambda: publish(judged, "1.0"), lambda: publish(judged, "1.0"))
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "Release"]
    assert Release.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@EVERYWHERE
def test_a_version_says_what_changed_since_the_one_just_before_it(judged, database):
    together(lambda: publish(judged, "1.0"), lambda: publish(judged, "2.0"))
    versions = list(Release.objects.order_by("pk"))
    assert [each.manifest["changes"].get("since") for each in versions[1:]] == [each.version for each in versions[:-1]]
