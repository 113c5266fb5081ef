"""Archive, export and delete a collection."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import IntegrityError, models, transaction
from django.urls import reverse

from accounts.actions.kinds import ActionKind
from accounts.actions.models import RecordedAction
from accounts.locking import CollectionArchived
from accounts.models import ApiToken, Collection, Role, User
from accounts.services import add_membership
from adjudication.models import Case
from adjudication.services import Ruling
from annotation.models import Judgment
from annotation.services import open_query, postpone
from corpus.documents.importing import import_documents
from corpus.services import create_query
from dashboard.services import change_settings
from dashboard.settings.archiving import (
    DELETION_KIND,
    DeletionBegan,
    ExportIncomplete,
    JobsInProgress,
    NotArchived,
    NotExported,
    WrongName,
    archive_collection,
    begin_deletion,
    request_deletion,
    unarchive_collection,
)
from dashboard.settings.deletion import NotBeingDeleted, delete_collection, files_of
from dashboard.settings.export import export_collection
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling.services import PoolPlan, build_pools, request_pools
from release.importing.collection_rows import tables_below
from release.publicity import make_private, make_public
from tests.support.api_world import World, a_world, client_of
from tests.support.factories import DocumentFactory, annotators
from tests.support.pooling_scenes import a_listed_run, built
from tests.support.sittings import decide_case, judge
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
PLAN = PoolPlan(runs=("up", "down"), parameters={"n": 2})


def a_full_world(slug: str) -> World:
    """With a public release, drafts of pools and a file in each folder; without a live job."""
    world = a_world(slug)
    collection = world.collection
    collection.jobs.update(state=State.SUCCEEDED)
    make_public(release=world.release, person=None)
    DocumentFactory(collection=collection, docno=f"draft-{slug}")
    query = create_query(collection=collection, docno=f"draft-{slug}", facet_key="method")
    query.query_paper.exclusions.create(annotator=User.objects.get(username="adju"))
    docnos = world.run.rankings.get().docnos
    for name in ("up", "down"):
        a_listed_run(collection, name, {query.query_paper.name: docnos})
    built(collection)
    for folder in (settings.ARTEFACT_DIR, settings.UPLOAD_DIR):
        path = Path(folder, slug, "indexes", "file")
        path.parent.mkdir(parents=True)
        path.write_text("content")
    return world


@once_a_file
def world() -> World:
    return a_full_world("small")


def all_rows() -> dict[str, list[tuple]]:
    """Every row of every table, but those of accounts and of the record, which stay."""
    accounts = {User, Session, ApiToken, RecordedAction}
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values_list())
        for model in apps.get_models()
        if model not in accounts and not model._meta.proxy
    }


def archived(world: World) -> Collection:
    archive_collection(collection=world.collection)
    world.collection.refresh_from_db()
    return world.collection


def exported(collection: Collection) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"".join(export_collection(collection))))


def test_nothing_in_an_archived_collection_changes_until_it_is_unarchived(world, tmp_path):
    collection = archived(world)
    slot = world.slots()[2]
    query = collection.queries.get(opening=None)
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps({"docno": "more", "title": "More", "sentences": ["More."]}))
    case = Case.objects.cases().get(query__collection=collection)
    adjudicator = User.objects.get(username="adju")
    release = world.release
    before = all_rows()

    for change in (
        lambda: judge(slot, 1),
        lambda: postpone(slot_id=slot.pk, annotator=slot.annotator),
        lambda: decide_case(case, adjudicator, Ruling(grade=2)),
        lambda: open_query(query=query, annotators=annotators(collection), opened_by=None),
        lambda: import_documents(collection=collection, path=file, work=DirectRun()),
        lambda: build_pools(collection=collection, plan=PLAN, work=DirectRun()),
        lambda: request_pools(collection=collection, plan=PLAN, requested_by=None),
        lambda: add_membership(collection=collection, user=adjudicator, role=Role.ADMIN),
        lambda: make_private(release=release, person=None),
        lambda: change_settings(
            collection=collection,
            name="Other",
            description="",
            licence="",
            corpus_licence="",
            seconds_per_judgment=1,
            seed=collection.seed,
            analysis="",
            document_language="en",
        ),
    ):
        with pytest.raises(
            CollectionArchived, match="unarchive it in its settings, or with archive_collection"
        ):
            change()

    assert all_rows() == before
    call_command("archive_collection", "small", "--undo")
    assert judge(slot, 1).grade == 1


def test_a_collection_with_jobs_in_progress_is_not_archived(world, client):
    client.force_login(User.objects.get(username="admin"))
    jobs.enqueue(kind="build_pools", collection=world.collection, parameters={})

    page = client.post(reverse("archive-collection", args=["small"]))

    assert page.status_code == 409
    assert "jobs in progress: Build the pools." in page.content.decode()
    with pytest.raises(JobsInProgress):
        archive_collection(collection=world.collection)
    with pytest.raises(CommandError, match="Wait until they end, or cancel them"):
        call_command("archive_collection", "small")


def test_the_pages_of_an_archived_collection_can_be_read_and_say_so(world, client):
    client.force_login(User.objects.get(username="admin"))
    client.post(reverse("archive-collection", args=["small"]))

    home = client.get(reverse("home")).content.decode()
    menu = client.get(reverse("my-collections"), headers={"HX-Request": "true"}).content.decode()
    refused = client.post(
        reverse("freeze-pools", args=["small"]), {"confirmed": "yes"}, follow=True
    )

    assert "<summary>Archived" in home
    assert "Small</a>" not in menu
    assert refused.status_code == 200
    text = " ".join(refused.content.decode().split())
    assert text.count("is archived") == 2  # the banner and the error
    api = client_of("admin").post("/api/v1/collections/small/facets/", {}, format="json")
    assert (api.status_code, api.json()["code"]) == (409, "collection_archived")
    assert client_of("admin").delete("/api/v1/collections/small/archive/").status_code == 200
    client.force_login(User.objects.get(username="ann1"))
    assert client.get(reverse("judge", args=["small"])).status_code == 200


def test_the_export_has_every_row_but_judgments_that_are_still_blind(world, settings):
    with pytest.raises(NotArchived):
        export_collection(world.collection)
    collection = archived(world)

    first, second = (b"".join(export_collection(collection)) for _ in range(2))

    assert first == second
    archive = zipfile.ZipFile(io.BytesIO(first))
    assert archive.testzip() is None
    rows = {
        name: [json.loads(line) for line in archive.read(name).splitlines()]
        for name in archive.namelist()
        if name.startswith("rows/")
    }
    assert [row["slug"] for row in rows["rows/accounts.collection.jsonl"]] == ["small"]
    assert len(rows["rows/corpus.document.jsonl"]) == collection.documents.count()
    # ann1 and ann2 judged two pairs; ann2 alone judged the third.
    assert (Judgment.objects.count(), len(rows["rows/annotation.judgment.jsonl"])) == (5, 4)
    assert "UNFINISHED NOTE" not in first.decode(errors="ignore")
    manifest = json.loads(archive.read("manifest.json"))
    assert manifest["judgments_left_out"] == 1
    assert manifest["rows"]["corpus.query"] == collection.queries.count()
    assert "password" not in archive.read("rows/accounts.user.jsonl").decode()
    release = Path(settings.RELEASE_DIR, "small", "1.0.zip").read_bytes()
    assert archive.read("releases/1.0.zip") == release
    listed = [json.loads(line)["path"] for line in archive.read("files.jsonl").splitlines()]
    assert listed == ["artefacts/small/indexes/file", "uploads/small/indexes/file"]


def test_a_download_counts_only_if_the_collection_stayed_archived(world):
    collection = archived(world)
    download = export_collection(collection)
    next(download)
    unarchive_collection(collection=collection)
    archive_collection(collection=collection)

    with pytest.raises(NotArchived):
        list(download)

    assert Collection.objects.get(pk=collection.pk).exported_at is None


def test_only_an_exported_collection_whose_name_is_typed_is_deleted(world, client):
    client.force_login(User.objects.get(username="admin"))
    where = reverse("delete-collection", args=["small"])
    with pytest.raises(NotArchived):
        begin_deletion(collection=world.collection, name="small")
    collection = archived(world)
    with pytest.raises(NotExported):
        begin_deletion(collection=collection, name="small")
    client.post(reverse("export-collection", args=["small"])).getvalue()
    with pytest.raises(WrongName):
        begin_deletion(collection=collection, name="Small")
    with pytest.raises(NotBeingDeleted):
        delete_collection(collection=collection)

    page = client.get(where).content.decode()
    wrong = client.post(where, {"name": "Small"})

    assert "Published versions are deleted" in page
    assert "1 of them is public" in " ".join(page.split())
    assert wrong.status_code == 422
    assert not Job.objects.filter(kind=DELETION_KIND).exists()
    assert client.post(where, {"name": "small"}).status_code == 302
    with pytest.raises(DeletionBegan):
        unarchive_collection(collection=collection)
    with pytest.raises(IntegrityError, match="deletion_never_undone"), transaction.atomic():
        Collection.objects.filter(pk=collection.pk).update(deletion_began_at=None)


class Killed(Exception):
    pass


class KilledAfter(DirectRun):
    """Work that is killed after some of its transactions."""

    def __init__(self, transactions: int) -> None:
        super().__init__()
        self.transactions = transactions

    @contextmanager
    def fenced(self):
        if not self.transactions:
            raise Killed
        self.transactions -= 1
        with super().fenced():
            yield


def test_a_row_that_the_download_lacks_stops_the_deletion(world):
    collection = archived(world)
    exported(collection)
    DocumentFactory(collection=collection, docno="late")
    with pytest.raises(
        ExportIncomplete, match=r"changed since it was downloaded: corpus\.document"
    ):
        begin_deletion(collection=collection, name="small")
    assert Collection.objects.get(pk=collection.pk).deletion_began_at is None
    exported(collection)

    begin_deletion(collection=collection, name="small")
    DocumentFactory(collection=collection, docno="later")
    begin_deletion(collection=collection, name="small")  # a deletion that began is asked for again


def test_a_deletion_leaves_no_row_and_no_file_and_other_collections_as_they_were(world, settings):
    rows, files = all_rows(), files_of(world.collection)
    doomed = a_full_world("doomed")
    collection = archived(doomed)
    exported(collection)

    job = request_deletion(collection=collection, name="doomed", requested_by=None)
    for transactions in (1, 2, 4):  # a worker is killed, and the next one continues
        with pytest.raises(Killed):
            delete_collection(collection=collection, work=KilledAfter(transactions))
        assert Collection.objects.filter(slug="doomed").exists()
    jobs.run(job.pk)

    assert all_rows() == rows
    assert files_of(world.collection) == files
    record = RecordedAction.objects.filter(collection_slug="doomed").order_by("pk")
    assert [action.kind for action in record][-3:] == [
        ActionKind.COLLECTION_EXPORTED,
        ActionKind.DELETION_BEGUN,
        ActionKind.COLLECTION_DELETED,
    ]
    for folder in (settings.ARTEFACT_DIR, settings.RELEASE_DIR, settings.UPLOAD_DIR):
        assert [path.name for path in Path(folder).iterdir() if path.name[0] != "."] == ["small"]
    assert User.objects.filter(username="adju").exists()


def test_the_commands_export_and_delete(world, tmp_path, capsys):
    call_command("archive_collection", "small")
    with pytest.raises(CommandError, match="Download everything first"):
        call_command("delete_collection", "small", "--confirm", "small")
    call_command("export_collection", "small", str(tmp_path / "all.zip"))
    call_command("delete_collection", "small", "--confirm", "small")

    assert zipfile.is_zipfile(tmp_path / "all.zip")
    assert not Collection.objects.exists()


@pytest.mark.one_database
def test_every_table_that_refers_to_a_collection_is_found():
    tables = {Collection, *(table.model for table in tables_below())}

    for model in apps.get_models():
        keys = [
            field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey)
        ]
        if any(key.related_model in tables for key in keys) and model is not RecordedAction:
            assert model in tables or model._meta.proxy, model
