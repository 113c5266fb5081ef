"""What the server has about a person: it is all registered, exported to the person, and erased."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.db import IntegrityError, models, transaction
from django.test import Client
from django.utils import timezone

from accounts.actions.kinds import ActionKind
from accounts.actions.models import RecordedAction
from accounts.invitations.addresses import Invitee
from accounts.invitations.models import Invitation
from accounts.invitations.services import store_invitation
from accounts.mail.files import FileBackend
from accounts.models import Role, User
from accounts.personal_data.erasing import (
    CannotErase,
    WrongUsername,
    _end_sessions,
    erase_person,
    plan_erasure,
    sessions_of,
)
from accounts.personal_data.erasures import Erasure, all_erasures, not_erased
from accounts.personal_data.models import RetentionRun
from accounts.personal_data.registry import left_out, personal_rows
from accounts.personal_data.retention import clear_expired_if_due
from accounts.services import ErasedName, NameTaken, create_person, imported_person
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import create_token
from annotation.models import Judgment
from release.datasheets.services import save_profile
from release.errata.services import report_erratum
from release.files import path_of
from server.checks.results import CheckLevel
from server.checks.work import check_retention
from tests.conftest import ROOT
from tests.support.api_world import (
    EMAIL,
    HALF_NOTE,
    NAMES,
    NOTE,
    RETRIEVER,
    SHADOW_JUDGE,
    World,
)
from tests.support.factories import PASSWORD, UserFactory, member
from tests.support.sittings import judge
from tests.support.visits import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folders(settings, tmp_path):
    settings.DATA_DIR, settings.MAIL_DIR = tmp_path, tmp_path / "mails"


ZEBEDEE = "zebedee@example.org"
SECRET, AGENT = "TOTPSECRET", "Zebedee's browser"


def with_traces(world: World) -> User:
    """ann2, who judged everything, with a row in each place where an account leaves some."""
    person = User.objects.get(username="ann2")
    EmailAddress.objects.create(user=person, email=ZEBEDEE, verified=True, primary=True)
    User.objects.filter(pk=person.pk).update(email=ZEBEDEE)
    client = Client(headers={"User-Agent": AGENT})
    client.post("/accounts/login/", {"login": "ann2", "password": PASSWORD})
    create_token(person=person, name="Zebedee's laptop", scope=TokenScope.READ, days=9)
    Authenticator.objects.create(
        user=person, type="webauthn", data={"name": "Zebedee's key", "credential": SECRET}
    )
    with transaction.atomic():
        store_invitation(world.collection, Invitee(ZEBEDEE, "Zebedee"), Role.ANNOTATOR, None)
    save_profile(collection=world.collection, person=person, values={"degree": "doctorate"})
    report_erratum(
        release=world.release, query=world.query, docno="", problem="Wrong.", email=ZEBEDEE
    )
    FileBackend().send_messages([EmailMessage("Hello", "Text", to=[f"Z <{ZEBEDEE}>"])])
    return User.objects.get(pk=person.pk)


def zip_of(response) -> dict[str, str]:
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    return {name: archive.read(name).decode() for name in archive.namelist()}


def everything_stored() -> str:
    return "\n".join(
        str(list(model._base_manager.values_list()))
        for model in apps.get_models(include_auto_created=True)
    )


class TestRegistry:
    def test_every_column_about_people_is_exported_or_left_out_for_a_reason(self):
        registered = {
            f"{rows.model_label}.{column}" for rows in personal_rows() for column in rows.people
        }
        exported = {
            f"{rows.model_label}.{path}"
            for rows in personal_rows()
            for path in rows.columns.values()
        }
        refer, tell = set(), set()
        for model in apps.get_models(include_auto_created=True):
            for field in model._meta.concrete_fields:
                column = f"{model._meta.label}.{field.name}"
                if field.related_model is User:
                    refer.add(column)
                if isinstance(field, models.EmailField) or field.name in (
                    *("username", "ip", "address", "agent", "user_agent", "network"),
                ):
                    tell.add(column)

        assert refer - registered - set(left_out()) == set()
        assert tell - exported - set(left_out()) == set()
        assert set(left_out()) & registered == set()
        assert all(reason for reason in left_out().values())

    def test_the_docs_list_each_file_with_what_it_has(self):
        page = " ".join((ROOT / "docs/personal_data.md").read_text().split())

        for rows in personal_rows():
            assert f"| `{rows.file}` | {rows.about} |" in page


class TestExport:
    def test_a_person_gets_the_own_data_and_nothing_about_others(self, world):
        files = zip_of(client_of("ann1").post("/account/data/download/"))
        judgments = [json.loads(line) for line in files["judgments.jsonl"].splitlines()]
        whole = "".join(files.values())

        assert {each["grade"] for each in judgments} == {3, 1}
        assert all(each["note"] == "my own note" for each in judgments)
        assert "full_text_studies.jsonl" in files
        for secret in (NOTE, HALF_NOTE, RETRIEVER, SHADOW_JUDGE, EMAIL, *NAMES.values(), "ann2"):
            assert secret not in whole
        (action,) = RecordedAction.objects.filter(kind=ActionKind.PERSON_EXPORTED)
        assert (action.person, action.about) == (User.objects.get(username="ann1"),) * 2
        assert action.details == {}

    def test_it_has_everything_of_the_account_without_secrets(self, world, settings):
        person = with_traces(world)
        token = person.api_tokens.get()
        whole = "".join(zip_of(client_of("ann2").post("/account/data/download/")).values())

        for told in (ZEBEDEE, "Zebedee's laptop", "Zebedee's key", AGENT, NOTE, HALF_NOTE):
            assert told in whole
        for secret in (token.digest, token.start, SECRET, person.password):
            assert secret not in whole

    def test_staff_do_not_get_what_only_the_person_may_see(self, world, tmp_path):
        UserFactory(username="root", is_staff=True)
        root, ann2 = client_of("root"), User.objects.get(username="ann2")

        found = root.post("/personal-data/", {"login": "ann2"})
        assert found.headers["Location"] == f"/personal-data/{ann2.pk}/"
        whole = "".join(zip_of(root.post(f"/personal-data/{ann2.pk}/export/")).values())
        assert NOTE in whole
        assert HALF_NOTE not in whole  # its pair has one judgment

        path = tmp_path / "ann2.zip"
        call_command("export_person", "ann2", str(path))
        assert HALF_NOTE in zipfile.ZipFile(path).read("judgments.jsonl").decode()

        member(world.collection, Role.CURATOR, "root")
        for refused in (
            root.post(f"/personal-data/{ann2.pk}/export/"),
            root.get(f"/personal-data/{ann2.pk}/"),
            root.post(f"/personal-data/{ann2.pk}/", {"typed": "ann2"}),
        ):
            assert refused.headers["Location"] == "/personal-data/"
        assert User.objects.get(pk=ann2.pk).erased_at is None


class TestErasure:
    def test_the_person_goes_and_judgments_and_releases_stay(
        self, world, settings, django_capture_on_commit_callbacks
    ):
        person = with_traces(world)
        release = path_of(world.slug, world.release.version)
        before = hashlib.sha256(release.read_bytes()).hexdigest()
        own = Judgment.objects.filter(annotator=person).order_by("pk")
        grades = list(own.values_list("grade", flat=True))
        assert "Zebedee" in everything_stored()
        UserFactory(username="root", is_staff=True)
        root, page = client_of("root"), f"/personal-data/{person.pk}/"

        assert "judgments.jsonl" in root.get(page).text
        assert root.post(page, {"typed": "ann3"}).status_code == 422
        with django_capture_on_commit_callbacks(execute=True):
            root.post(page, {"typed": "ann2"})

        erased = User.objects.get(pk=person.pk)
        assert erased.username.startswith("erased-")
        stored = everything_stored()
        for trace in ("Zebedee", "zebedee", "ann2", SECRET):
            assert trace not in stored
        assert not Session.objects.filter(session_key__in=_sessions_of(person)).exists()
        assert not list(Path(settings.MAIL_DIR).glob("*.eml"))
        assert list(own.values_list("grade", flat=True)) == grades
        assert hashlib.sha256(release.read_bytes()).hexdigest() == before == world.release.sha256
        call_command("verify_release", str(release))

        action = RecordedAction.objects.get(kind=ActionKind.PERSON_ERASED)
        assert (action.person.username, action.about, action.details) == ("root", erased, {})
        assert all_erasures() == [Erasure(erased.pk, erased.username, erased.erased_at)]
        assert not_erased(all_erasures()) == []
        assert "Erased" in text_of(root.get(page))

    def test_nobody_logs_in_with_the_account_or_revives_its_name(self, world):
        person = with_traces(world)
        client = client_of("ann2")
        erase_person(person=person, typed="ann2")

        assert client.get("/account/").status_code == 302
        for login in ("ann2", ZEBEDEE, User.objects.get(pk=person.pk).username):
            answer = Client().post("/accounts/login/", {"login": login, "password": PASSWORD})
            assert answer.status_code != 302
        for name in ("ann2", "imported-ann2"):
            with pytest.raises(ErasedName):
                imported_person(username=name)
        mara = create_person(
            collection=world.collection, username="mara", name="", role=Role.CURATOR
        )
        assert mara
        erase_person(person=User.objects.get(username="mara@small"), typed="mara@small")
        with pytest.raises(NameTaken):
            create_person(collection=world.collection, username="Mara", name="", role=Role.CURATOR)
        for change in ({"is_active": True}, {"first_name": "Zebedee"}, {"erased_at": None}):
            with pytest.raises(IntegrityError), transaction.atomic():
                User.objects.filter(pk=person.pk).update(**change)

    def test_work_and_collections_are_handed_over_before(self, world):
        ann1, admin = (User.objects.get(username=name) for name in ("ann1", "admin"))
        for person, words in ((ann1, "pairs to judge"), (admin, "the only admin")):
            assert words in " ".join(plan_erasure(person).obstacles)
            with pytest.raises(CannotErase, match=words):
                erase_person(person=person, typed=person.username)
        with pytest.raises(WrongUsername):
            erase_person(person=ann1, typed="Ann1")

        judge(world.slots()[2], 1)
        member(world.collection, Role.ADMIN, "second")
        for person in (ann1, admin):
            erase_person(person=person, typed=person.username)
        assert User.objects.exclude(erased_at=None).count() == 2

    def test_the_command_shows_a_plan_and_wants_the_name(self, world, capsys, tmp_path):
        judge(world.slots()[2], 1)
        call_command("erase_person", "ann1", "--dry-run")
        told = capsys.readouterr().out
        assert "judgments: 3 rows, stays under a pseudonym" in told
        assert "roles: 1 row, removed" in told
        with pytest.raises(CommandError, match="--confirm ann1"):
            call_command("erase_person", "ann1")
        call_command("erase_person", "ann1", "--confirm", "ann1")

        # As after the restore of a backup in which ann2 was not erased.
        ann2 = User.objects.get(username="ann2")
        # The number of an account that the backup lacks went to a person who came later.
        later = UserFactory(username="later", date_joined=timezone.now() + timedelta(days=1))
        people = [
            {"id": person.pk, "pseudonym": pseudonym, "erased_at": str(timezone.now())}
            for person, pseudonym in ((ann2, "erased-0123456789ab"), (later, "erased-1"))
        ]
        copy = tmp_path / "copy" / "erasures.jsonl"
        copy.parent.mkdir()
        copy.write_text("".join(f"{json.dumps(person)}\n" for person in people))
        call_command("erase_again", str(copy))
        call_command("erase_again", str(copy.parent))
        assert User.objects.get(pk=ann2.pk).username == "erased-0123456789ab"
        assert User.objects.get(pk=later.pk).username == "later"
        assert "2 people in the list, all erased here." in capsys.readouterr().out
        for wrong in ("nowhere", "wrong.json"):
            (tmp_path / "wrong.json").write_text("{}")
            with pytest.raises(CommandError, match="is no list of erasures"):
                call_command("erase_again", str(tmp_path / wrong))

    def test_sessions_are_found_before_the_locks_and_checked_under_them(self, world):
        person = User.objects.get(username="adju")
        unlisted, other = client_of("adju"), client_of("ann1")
        found = sessions_of(person)
        assert found == [unlisted.session.session_key]

        # Between the search and the locks, one becomes another person's, and one begins.
        taken = Session.objects.get(pk=other.session.session_key)
        late = client_of("adju")
        UserSession.objects.create(
            user=person, ip="198.51.100.7", session_key=late.session.session_key, data={}
        )
        with transaction.atomic():
            _end_sessions(person, [*found, taken.pk])

        left = set(Session.objects.values_list("pk", flat=True))
        assert taken.pk in left
        assert not left & {*found, late.session.session_key}


class TestRetention:
    def test_what_is_past_its_time_is_cleared_once_an_hour(self, collection, settings):
        person, now = UserFactory(username="mara"), timezone.now()
        long_ago = now - timedelta(days=settings.ENDED_TOKEN_DAYS + 1)
        for name, ended in (("old", long_ago), ("new", now)):
            token = {"scope": "read", "start": "", "digest": name, "revoked_at": ended}
            person.api_tokens.create(name=name, **token)
        for name, days in (("old", settings.UNUSED_INVITATION_DAYS + 1), ("new", 1)):
            Invitation.objects.create(
                collection=collection,
                email=f"{name}@example.org",
                role=Role.CURATOR,
                token_digest=name,
                expires_at=now - timedelta(days=days),
            )
        UserSession.objects.create(
            user=person, ip="198.51.100.7", session_key="gone", data={}, user_agent="Firefox"
        )
        Session.objects.create(session_key="ended", session_data="", expire_date=long_ago)
        folder = Path(settings.MAIL_DIR)
        folder.mkdir(exist_ok=True)
        for day in (long_ago, now):
            (folder / f"{day:%Y%m%d-%H%M%S-%f}-00000000.eml").write_text("To: a@example.org")
        kept = client_of("admin")

        clear_expired_if_due()

        assert [token.name for token in person.api_tokens.all()] == ["new"]
        assert [each.email for each in Invitation.objects.all()] == ["new@example.org"]
        assert not UserSession.objects.filter(user=person).exists()
        assert not Session.objects.filter(session_key="ended").exists()
        assert len(list(folder.glob("*.eml"))) == 1
        assert kept.get("/account/").status_code == 200

        person.api_tokens.update(revoked_at=long_ago)
        clear_expired_if_due()  # within the hour
        assert person.api_tokens.exists()
        assert check_retention().level == CheckLevel.OK
        RetentionRun.objects.update(cleared_at=now - timedelta(days=2))
        assert check_retention().level == CheckLevel.WARNING
        clear_expired_if_due()
        assert not person.api_tokens.exists()

    def test_the_privacy_page_has_the_times_of_this_server_in_three_languages(
        self, client, settings
    ):
        settings.ACTION_ADDRESS_DAYS, settings.LOG_DAYS = 41, 0
        settings.SERVER_CONTACT = "help@example.org"
        for language, words in (
            ("en", "record of actions: 41 days"),
            ("de", "Protokoll der Aktionen: 41 Tage"),
            ("es", "registro de acciones: 41 días"),
        ):
            page = text_of(client.get("/privacy/", headers={"Accept-Language": language}))
            assert words in page
            assert "help@example.org" in page
        settings.ACTION_ADDRESS_DAYS, settings.LOG_DAYS = 0, 7
        page = text_of(client.get("/privacy/"))
        assert "record of actions: not stored" in page
        assert "Logs: 7 days" in page
        assert 'href="/privacy/"' in client.get("/accounts/login/").text


def _sessions_of(person: User) -> list[str]:
    return [
        session.pk
        for session in Session.objects.all()
        if session.get_decoded().get("_auth_user_id") == str(person.pk)
    ]
