"""People are invited by email, and each link works once."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.invitations import services
from accounts.invitations.addresses import MOST, InvalidLines, Invitee, read_invitees
from accounts.invitations.models import Invitation
from accounts.invitations.services import InvitationNotValid, accept, invitation_of, invite
from accounts.models import Role, User
from tests.support.api_world import client_of
from tests.support.factories import UserFactory, a_collection, member
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
NEW = {
    "username": "mara",
    "name": "Mara Lind",
    "password": "another horse battery",
    "password_again": "another horse battery",
}


@once_a_file
def collection():
    return a_collection()


def the(username: str) -> User:
    return User.objects.get(username=username)


def admin_client() -> Client:
    client = Client()
    client.force_login(the("admin"))
    return client


def logged_in(username: str) -> Client:
    client = Client()
    client.force_login(the(username))
    return client


def invited(collection, email="mara@example.org", role=Role.ANNOTATOR) -> str:
    """The path of the link in the mail."""
    people = [Invitee(email)]
    by = the("admin")
    (sent,) = invite(
        collection=collection, invitees=people, role=role, invited_by=by, base_url="http://x"
    )
    assert not sent.error
    return link_in(mail.outbox[-1].body)


def link_in(text: str) -> str:
    (link,) = re.findall(r"http\S+(/invitations/\S+)", text)
    return link


def token_in(link: str) -> str:
    return link.split("/")[-2]


def ask_again(collection, what="send-invitation-again"):
    invitation = collection.invitations.get()
    Invitation.objects.update(last_sent_at=None)
    return admin_client().post(reverse(what, args=[collection.slug, invitation.pk]), follow=True)


class TestPastedLists:
    def test_each_line_is_a_person(self):
        text = "mara@example.org\n\n  Ada Lovelace <ADA@example.org>,\nmara@EXAMPLE.org\n"

        assert read_invitees(text) == [
            Invitee("mara@example.org"),
            Invitee("ada@example.org", "Ada Lovelace"),
        ]

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("mara@example.org\nno email", "Line 2: 'no email' has no valid email"),
            ("mara@example.org, ada@example.org", "Line 1: "),
            (" \n", "Enter at least one email."),
            ("\n".join(f"p{i}@example.org" for i in range(MOST + 1)), f"at most {MOST}"),
        ],
    )
    def test_a_list_with_a_fault_names_it(self, text, fault):
        with pytest.raises(InvalidLines, match=fault):
            read_invitees(text)


def test_a_pasted_list_is_invited_or_refused_as_a_whole(collection):
    client, address = admin_client(), reverse("invite-people", args=[collection.slug])
    form = {"invite-people": "mara@example.org\nnot", "invite-role": "annotator"}

    refused = client.post(address, form)
    assert (refused.status_code, Invitation.objects.count()) == (422, 0)
    assert "Line 2" in refused.text

    form["invite-people"] = "Mara <mara@example.org>\nada@example.org"
    page = client.post(address, form, follow=True)

    assert "Sent 2 invitations" in page.text
    assert [message.to for message in mail.outbox] == [["mara@example.org"], ["ada@example.org"]]
    assert "Hello Mara," in mail.outbox[0].body
    assert "admin invites you to be an annotator" in mail.outbox[0].body


def test_a_new_account_has_the_role_and_a_confirmed_email_and_is_logged_in(collection):
    link = invited(collection)
    browser = Client()
    before = browser.get(link)
    key = browser.session.session_key
    assert "You have no account" in before.text
    assert browser.head(link).status_code == 200

    done = browser.post(link, NEW, follow=True)

    person = the("mara@small")
    assert done.request["PATH_INFO"] == f"/c/{collection.slug}/"
    assert "You are an annotator of" in done.text
    assert browser.session.session_key != key
    address = EmailAddress.objects.get()
    assert (address.email, address.user, address.verified, address.primary) == (
        "mara@example.org",
        person,
        True,
        True,
    )
    assert list(person.memberships.values_list("role", flat=True)) == ["annotator"]
    invitation = Invitation.objects.get()
    assert (invitation.accepted_by, invitation.sent_count) == (person, 1)
    assert token_in(link) not in str(invitation.__dict__)
    login = {"login": "MARA@example.org", "password": NEW["password"]}
    assert Client().post(reverse("login"), login).status_code == 302
    again = Client().post(link, NEW | {"username": "eve"})
    assert (again.status_code, User.objects.filter(username="eve@small").exists()) == (404, False)


def test_an_account_accepts_only_by_pressing_the_button(collection):
    UserFactory(username="known")
    link = invited(collection)
    browser = logged_in("known")

    page = browser.get(link)
    assert "Accept as known" in page.text
    assert "is not a confirmed email of this account" in page.text
    assert not the("known").memberships.exists()
    browser.post(link)

    assert the("known").memberships.get().role == "annotator"
    assert not EmailAddress.objects.exists()


def test_the_login_leads_back_to_the_invitation(collection):
    link = invited(collection)

    assert f"{reverse('login')}?next={link}".replace("/", "%2F") in Client().get(link).text.replace(
        "/", "%2F"
    )


def _expire(collection):
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def _revoke(collection):
    assert "no longer works" in ask_again(collection, "revoke-invitation").text


def _send_again(collection):
    assert "Sent 1 invitation" in ask_again(collection).text


def _archive(collection):
    type(collection).objects.update(archived_at=timezone.now())


@pytest.mark.parametrize("end", [_expire, _revoke, _send_again, _archive])
def test_a_link_that_ended_gives_nothing(collection, end):
    link = invited(collection)
    end(collection)
    UserFactory(username="known")

    for client in (Client(), logged_in("known")):
        for answer in (client.get(link), client.post(link, NEW)):
            assert answer.status_code == 404
            assert "This invitation does not work" in answer.text
    assert not User.objects.filter(username="mara@small").exists()
    assert not the("known").memberships.exists()


def test_a_forged_link_looks_like_one_that_ended(collection):
    link = invited(collection)
    forged = link.replace(token_in(link), "A" * 43)

    assert Client().get(forged).status_code == 404


def test_the_database_refuses_what_the_services_would_never_write(collection):
    invited(collection)
    person = the("ann1")
    rows = Invitation.objects.filter(email="mara@example.org")
    now = timezone.now()
    late = {"accepted_by": person, "accepted_at": now + timedelta(days=15)}
    for wrong in (late, {"accepted_at": now}, {"role": "admin"}, {"email": "eve@example.org"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(**wrong)
    rows.update(revoked_at=now)
    for wrong in ({"revoked_at": None}, {"accepted_by": person, "accepted_at": now}):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.update(**wrong)


def test_an_annotator_cannot_accept_to_be_an_admin_and_the_link_still_works(collection):
    link = invited(collection, role=Role.ADMIN)

    refused = logged_in("ann1").post(link)

    assert refused.status_code == 409
    assert "is an annotator of" in refused.text
    UserFactory(username="known")
    assert logged_in("known").post(link).status_code == 302


def test_an_email_of_an_account_makes_no_second_account(collection):
    EmailAddress.objects.create(user=the("ann1"), email="mara@example.org", verified=True)
    link = invited(collection)
    taken = UserFactory(username="mara@small")

    first = Client().post(link, NEW)
    EmailAddress.objects.all().delete()
    second = Client().post(link, NEW)

    assert first.status_code == second.status_code == 422
    assert "belongs to an account. Log in with it" in first.text
    assert "exists already" in second.text
    assert not taken.memberships.exists()


def test_the_people_page_tells_nothing_about_who_has_an_account(collection):
    EmailAddress.objects.create(user=UserFactory(), email="known@example.org", verified=True)
    pages = []
    for email in ("known@example.org", "other@example.org"):
        Invitation.objects.all().delete()
        invited(collection, email)
        page = admin_client().get(reverse("people", args=[collection.slug])).text
        row = page[page.index('id="invitations"') : page.index("</section>")]
        pages.append(re.sub(r'value="[^"]+"|/\d+/|:\d\d', "", row).replace(email, "EMAIL"))

    assert pages[0] == pages[1]


def test_a_mail_server_that_fails_loses_no_invitation(collection, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # no one listens
    form = {"invite-people": "mara@example.org", "invite-role": "curator"}
    address = reverse("invite-people", args=[collection.slug])

    page = admin_client().post(address, form, follow=True)

    assert "The mail server failed for 1 invitation: mara@example.org" in page.text
    assert "not sent" in page.text
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert "Sent 1 invitation" in ask_again(collection).text
    assert Invitation.objects.get().sent_count == 1


def test_without_mail_nobody_is_invited(collection, settings):
    settings.SENDS_MAIL = False
    client = admin_client()
    address = reverse("invite-people", args=[collection.slug])

    assert "Invite people" not in client.get(reverse("people", args=[collection.slug])).text
    refused = client.post(address, {"invite-people": "m@example.org", "invite-role": "curator"})

    assert refused.status_code == 422
    assert not Invitation.objects.exists()
    assert "sends no mail" in Client().get(reverse("account_reset_password")).text


def test_an_invitation_is_not_sent_twice_within_a_minute(collection):
    invited(collection)
    invitation = Invitation.objects.get()
    address = reverse("send-invitation-again", args=[collection.slug, invitation.pk])

    assert "Wait a minute" in admin_client().post(address, follow=True).text
    assert len(mail.outbox) == 1


def test_an_invitation_to_another_role_is_one_of_its_own(collection):
    links = [invited(collection, role=role) for role in (Role.CURATOR, Role.ANNOTATOR)]
    again = invited(collection, role=Role.CURATOR)

    found = [invitation_of(token_in(link)).role for link in (again, links[1])]
    assert found == [Role.CURATOR, Role.ANNOTATOR]
    assert Client().get(links[0]).status_code == 404


def test_a_collection_sends_so_many_invitations_an_hour_and_no_more(collection, monkeypatch):
    monkeypatch.setattr(services, "MOST_AN_HOUR", 2)

    def send(*emails: str) -> None:
        people = [Invitee(email) for email in emails]
        by = {"invited_by": None, "base_url": "http://x"}
        invite(collection=collection, invitees=people, role=Role.CURATOR, **by)

    send("a@example.org", "b@example.org")
    with pytest.raises(services.TooManyMails, match="2 invitations an hour"):
        send("c@example.org")
    Invitation.objects.update(last_sent_at=timezone.now() - timedelta(hours=2))
    send("c@example.org")

    assert len(mail.outbox) == 3


def test_the_api_invites_lists_sends_again_and_revokes(collection):
    api, path = client_of("admin"), "/api/v1/collections/small/invitations/"
    body = {"people": ["Mara <mara@example.org>"], "role": "annotator"}

    tried = api.post(path, body | {"dry_run": True}, format="json")
    wrong = api.post(path, body | {"people": ["x"]}, format="json")
    made = api.post(path, body, format="json")

    assert (tried.status_code, wrong.status_code, made.status_code) == (200, 400, 201)
    assert made.json() == {"invited": 1, "not_sent": []}
    (row,) = api.get(path).json()["results"]
    assert (row["email"], row["state"], row["sent_count"]) == ("mara@example.org", "open", 1)
    one = f"{path}{row['id']}/"
    assert api.post(one).status_code == 429
    Invitation.objects.update(last_sent_at=None)
    assert api.post(one).json()["sent_count"] == 2
    assert [api.delete(one).status_code, api.delete(one).status_code] == [204, 409]
    assert len(mail.outbox) == 2


def test_the_command_invites_from_a_file(collection, tmp_path, capsys):
    file = tmp_path / "people.txt"
    file.write_text("mara@example.org\nnobody\n")
    with pytest.raises(CommandError, match=r"people.txt: Line 2"):
        call_command("invite_people", "small", str(file), "--role", "annotator")
    file.write_text("mara@example.org\n")

    call_command(
        *("invite_people", "small", str(file), "--role", "annotator"),
        *("--invited-by", "admin", "--url", "https://q.example.org"),
    )

    assert "mara@example.org: sent." in capsys.readouterr().out
    assert "https://q.example.org/invitations/" in mail.outbox[0].body


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_of_two_who_accept_at_once_one_gets_the_role(on_postgresql):
    collection = a_collection()
    invitation = invitation_of(token_in(invited(collection, role=Role.CURATOR)))
    people = [UserFactory(username="first"), UserFactory(username="second")]
    start = threading.Barrier(2)

    def try_it(person):
        try:
            start.wait()
            accept(invitation=invitation, person=person)
        except InvitationNotValid:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(try_it, people))

    assert sorted(outcomes) == [False, True]
    assert collection.memberships.filter(role=Role.CURATOR).count() == 1


def test_a_member_with_another_role_gains_the_role(collection):
    member(collection, Role.CURATOR, "cura")

    logged_in("cura").post(invited(collection))

    assert sorted(the("cura").memberships.values_list("role", flat=True)) == [
        "annotator",
        "curator",
    ]
