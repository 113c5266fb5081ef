"""Machines that share no folder: uploads and releases are in a storage that speaks S3."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import TestCase, override_settings
from django.utils import timezone

from accounts.models import User
from accounts.personal_data.erasing import erase_person
from accounts.personal_data.erasures import all_erasures, not_erased
from accounts.personal_data.retention import clear_expired
from dashboard.settings.archiving import archive_collection, begin_deletion
from dashboard.settings.deletion import contents_of, delete_collection
from dashboard.settings.export import export_collection
from jobs import services
from jobs.models import State
from jobs.uploads import enqueue_upload
from release.errors import ReleaseDamaged
from release.files import open_release, path_of
from release.models import Release
from release.services import publish_release
from server.checks.files import check_bucket
from tests.support.factories import UserFactory
from tests.support.release_scenes import a_judged_collection
from tests.support.shared_storage import STORAGE_FIXTURES, keys, storage_out_of_reach
from web.stored_files import StorageFailed

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

endpoint, use_bucket, bucket = STORAGE_FIXTURES


@contextmanager
def on_another_machine(settings, tmp_path):
    """With another DATA_DIR, as the web processes or workers of another machine."""
    folder = tmp_path / "other"
    folders = {
        "DATA_DIR": folder,
        "RELEASE_DIR": folder / "releases",
        "UPLOAD_DIR": folder / "uploads",
        "ARTEFACT_DIR": folder / "artefacts",
    }
    with override_settings(**folders):
        yield


def files_in(folder) -> list[Path]:
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def test_a_release_of_one_machine_is_read_exported_and_deleted_on_another(
    bucket, settings, tmp_path
):
    collection = a_judged_collection()
    with storage_out_of_reach(settings), pytest.raises(StorageFailed, match="Nothing was changed"):
        publish_release(collection=collection, version="1.0", published_by=None)
    assert not Release.objects.exists()

    release = publish_release(collection=collection, version="1.0", published_by=None)
    assert keys(bucket) == [f"some/prefix/releases/{collection.slug}/1.0.zip"]
    assert files_in(settings.RELEASE_DIR) == []
    with on_another_machine(settings, tmp_path):
        with open_release(release) as file:
            content = file.read()
        assert len(content) == release.size
        assert files_in(settings.RELEASE_DIR) == []
        assert contents_of(collection).size == release.size
        archive_collection(collection=collection)
        collection.refresh_from_db()
        export = io.BytesIO(b"".join(export_collection(collection)))
        assert zipfile.ZipFile(export).read("releases/1.0.zip") == content

        bucket.put_object(Key=keys(bucket)[0], Body=content[:-1])
        with pytest.raises(ReleaseDamaged, match="differs"):
            open_release(release)
        bucket.objects.delete()
        assert keys(bucket) == []
        with pytest.raises(ReleaseDamaged, match="missing"):
            open_release(release)

        path_of(collection.slug, "1.0").write_bytes(content)
        call_command("share_files", "--dry-run")
        assert keys(bucket) == []
        call_command("share_files")
        assert keys(bucket) == [f"some/prefix/releases/{collection.slug}/1.0.zip"]
        begin_deletion(collection=collection, name=collection.slug)
        delete_collection(collection=collection)
    assert keys(bucket) == []


def test_an_upload_of_one_machine_is_imported_on_another(bucket, settings, tmp_path, collection):
    lines = b'{"docno": "d1", "title": "A title", "sentences": ["A sentence."]}\n'
    file = SimpleUploadedFile("documents.jsonl", lines)
    asked = {"kind": "import_documents", "parameters": {}, "requested_by": None}
    with storage_out_of_reach(settings), pytest.raises(StorageFailed):
        enqueue_upload(collection=collection, files={"path": file}, **asked)
    assert not collection.jobs.exists()
    file.seek(0)
    job = enqueue_upload(collection=collection, files={"path": file}, **asked)
    assert len(keys(bucket)) == 1
    assert files_in(settings.UPLOAD_DIR) == []
    with on_another_machine(settings, tmp_path):
        services.run(job.pk)
        job.refresh_from_db()
        assert (job.state, job.error) == (State.SUCCEEDED, "")
        assert files_in(settings.UPLOAD_DIR) == []
    assert collection.documents.get().title == "A title"
    assert keys(bucket) == []


def test_the_doctor_says_whether_the_storage_works(bucket, settings):
    assert check_bucket().level == "ok"
    assert keys(bucket) == []
    with storage_out_of_reach(settings), pytest.raises(StorageFailed, match="FILES_ENDPOINT"):
        check_bucket()
    settings.FILES_BUCKET = ""
    assert "DATA_DIR" in check_bucket().found
    with pytest.raises(CommandError, match="Set FILES_BUCKET"):
        call_command("share_files")


def test_the_list_of_erasures_is_one_for_all_machines(bucket, settings, tmp_path, capsys):
    """Also after the storage failed, and after a restore on a machine that erased no person."""
    settings.DATA_DIR = tmp_path / "first"
    first, second, third = (UserFactory(username=name) for name in ("first", "second", "third"))
    erase(first)
    with on_another_machine(settings, tmp_path):
        erase(second)
    # In the order of text, in which 10 comes before 9.
    noted = sorted(f"some/prefix/erasures/{each.pk}.json" for each in (first, second))
    assert keys(bucket) == noted
    assert files_in(tmp_path) == []

    with storage_out_of_reach(settings):
        erase(third)
        with pytest.raises(StorageFailed):
            all_erasures()
    assert len(keys(bucket)) == 2
    assert [each.person for each in all_erasures()] == [first.pk, second.pk, third.pk]
    clear_expired()
    assert len(keys(bucket)) == 3
    assert files_in(tmp_path) == []

    # As in a database of the backup, in which this person has a name.
    back = UserFactory(username="back", date_joined=third.date_joined)
    line = {"id": back.pk, "pseudonym": "erased-before", "erased_at": str(timezone.now())}
    bucket.put_object(Key=f"some/prefix/erasures/{back.pk}.json", Body=json.dumps(line))
    with on_another_machine(settings, tmp_path / "restored"):
        assert [each.pseudonym for each in not_erased(all_erasures())] == ["erased-before"]
        call_command("erase_again")
    assert User.objects.get(pk=back.pk).username == "erased-before"
    assert "erased-before: erased again." in capsys.readouterr().out


def erase(person: User) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        erase_person(person=person, typed=person.username)
