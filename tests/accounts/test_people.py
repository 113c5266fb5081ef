"""Invitations, roles, leaving."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from accounts import services
from accounts.models import Collection, Invitation, Membership, User
from tests import builders
from web.errors import Conflict, NotFound

pytestmark = pytest.mark.django_db


def link_for(collection, people, **fields) -> str:
    values = {"roles": ["annotator"]} | fields
    return services.invite(collection=collection, by=people.admin, **values)[1]


def test_a_link_makes_an_account_once(collection, people, client):
    link = link_for(collection, people)
    account = {"username": "eva", "name": "Eva", "email": "", "password": "correct horse"}
    assert client.post(link, account).status_code == 302
    assert Membership.objects.get(user__username="eva", collection=collection).roles == ["annotator"]
    client.logout()
    assert client.post(link, account | {"username": "eve"}).status_code == 404
    assert not User.objects.filter(username="eve").exists()


def test_a_person_with_an_account_joins_with_it(collection, people, as_):
    builders.person("eva")
    link = link_for(collection, people, roles=["adjudicator"])
    as_("eva").post(link)
    assert Membership.objects.get(user__username="eva").roles == ["adjudicator"]


def test_a_weak_password_makes_no_account_and_keeps_the_link(collection, people, client):
    link = link_for(collection, people)
    refused = client.post(link, {"username": "eva", "password": "password"})
    assert refused.status_code == 200
    assert not User.objects.filter(username="eva").exists()
    assert Invitation.objects.get().is_open


def test_an_open_invitation_says_its_roles(collection, people, as_):
    link_for(collection, people, roles=["adjudicator"])
    page = as_("admin").get(reverse("people", args=[collection.slug]))
    assert [each.roles for each in page.context["invitations"]] == [["adjudicator"]]
    assert b"<td>adjudicator</td>" in page.content


def test_links_expire_and_are_stored_as_hashes(collection, people):
    link = link_for(collection, people)
    token = link.rstrip("/").split("/")[-1]
    assert not Invitation.objects.filter(token_hash__contains=token).exists()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotFound):
        services.find_invitation(token)


def test_a_mailed_link_has_the_configured_address_and_not_the_host_header(collection, people, as_, settings):
    settings.SITE_URL = "https://lab.example.org"
    settings.ALLOWED_HOSTS = ["*"]
    form = {"email": "eva@example.org", "is_annotator": "on"}
    as_("admin").post(reverse("invite", args=[collection.slug]), form, headers={"host": "evil.example"})
    assert "https://lab.example.org/invitations/" in mail.outbox[0].body
    assert "evil" not in mail.outbox[0].body


def test_a_link_that_was_not_mailed_is_not_said_to_be(collection, people, as_, settings):
    settings.SITE_URL = ""
    form = {"email": "eva@example.org", "is_annotator": "on"}
    page = as_("admin").post(reverse("invite", args=[collection.slug]), form)
    assert not mail.outbox
    assert "eva@example.org" not in page.content.decode()


def test_the_only_admin_stays(collection, people):
    admin = collection.memberships.get(user=people.admin)
    with pytest.raises(Conflict):
        services.remove_member(membership=admin)
    with pytest.raises(Conflict):
        services.set_roles(membership=admin, roles=["annotator"])


def test_who_leaves_stays_listed_and_sees_nothing(collection, people, as_):
    services.remove_member(membership=collection.memberships.get(user=people.ann))
    assert as_("ann").get(reverse("work", args=[collection.slug])).status_code == 404
    page = as_("admin").get(reverse("people", args=[collection.slug])).content.decode()
    assert "ann" in page
    services.add_member(collection=collection, user=people.ann, roles=["adjudicator"])
    assert as_("ann").get(reverse("guideline", args=[collection.slug])).status_code == 200


def test_only_admins_make_collections(collection, people, as_):
    new = {"name": "New", "slug": "new", "grades": "No\nYes", "facets": "", "relevant_from": 1, "seed": "s"}
    assert as_("ann").post(reverse("new-collection"), new).status_code == 403
    assert as_("admin").post(reverse("new-collection"), new).status_code == 302
    assert Collection.objects.get(slug="new").grades == ["No", "Yes"]


def test_the_only_collection_opens_at_once_but_for_those_who_may_make_another(collection, people, as_):
    builders.person("eva")
    new = reverse("new-collection")
    assert as_("ann").get("/").url == reverse("collection", args=[collection.slug])
    assert new in as_("admin").get("/").content.decode()
    assert new not in as_("eva").get("/").content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("grades", "One"),
        ("grades", "a\nb\nc\nd\ne\nf"),
        ("facets", "a b"),
        ("facets", "a\na"),
        ("facets", "f" * 51),
        ("grades", "No\n" + "y" * 51),
        ("relevant_from", 9),
    ],
)
def test_a_refused_collection_keeps_what_was_typed(collection, people, as_, field, value):
    new = {"name": "New", "slug": "new", "grades": "No\nYes", "facets": "", "relevant_from": 1, "seed": "s"}
    answer = as_("admin").post(reverse("new-collection"), new | {field: value})
    assert answer.status_code == 200
    assert field in answer.context["form"].errors
    assert not Collection.objects.filter(slug="new").exists()


def test_a_mailed_reset_has_the_configured_address_and_not_the_host_header(people, client, settings):
    settings.SITE_URL = "https://lab.example.org"
    settings.ALLOWED_HOSTS = ["*"]
    client.post(reverse("account_reset_password"), {"email": people.ann.email}, headers={"host": "evil.example"})
    assert "https://lab.example.org/accounts/password/reset/key/" in mail.outbox[0].body
    assert "//evil.example" not in mail.outbox[0].body


def test_nobody_takes_a_name_that_differs_in_case_only(collection, people, client):
    """Log-ins ignore case: "ADMIN" beside "admin" would lock both out."""
    account = {"username": "ADMIN", "password": "correct horse"}
    assert client.post(link_for(collection, people), account).status_code == 200
    assert User.objects.filter(username__iexact="admin").count() == 1


def test_a_mail_has_names_as_they_are_written(collection, people, settings):
    settings.SITE_URL = "https://lab.example.org"
    people.admin.name = "Ann O'Neil & <Co>"
    link_for(collection, people, email="eva@example.org")
    assert "Ann O'Neil & <Co> invites you" in mail.outbox[0].body


def test_a_collections_name_is_one_line(people, collection, as_):
    new = {"name": "Two\nlines", "slug": "new", "grades": "No\nYes", "facets": "", "relevant_from": 1, "seed": "s"}
    as_("admin").post(reverse("new-collection"), new)
    assert Collection.objects.get(slug="new").name == "Two lines"


@pytest.mark.parametrize("name", ["\u202e", "\u202ebob", "\u2067", "…"])
def test_a_persons_name_can_be_read(people, as_, name):
    page = as_("ann").post(reverse("account"), {"name": name})
    assert page.status_code == 200
    assert page.context["form"].errors["name"]
    assert as_("ann").post(reverse("account"), {"name": "زينب O’Neil"}).status_code == 302
