"""Tokens for scripts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.settings import api_settings
from rest_framework.test import APIRequestFactory

from accounts import services
from accounts.access import membership_or_404
from accounts.models import Token, User

pytestmark = pytest.mark.django_db


def authenticated(text: str) -> User:
    """Who the API takes the sender of a token for."""
    request = APIRequestFactory().get("/", headers={"authorization": f"Token {text}"})
    by_token = next(each for each in api_settings.DEFAULT_AUTHENTICATION_CLASSES if "Token" in each.__name__)
    return by_token().authenticate(request)[0]


def test_a_token_is_made_after_the_password_shown_once_and_stored_as_a_hash(people, as_):
    people.ann.set_password("correct horse")
    people.ann.save()
    client = as_("ann")
    asked = client.post(reverse("make-token"), {"name": "My laptop", "days": 30})
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    page = client.post(asked["Location"], {"password": "correct horse"})
    text = page.context["text"]
    assert authenticated(text) == people.ann
    token = Token.objects.get()
    assert token.name == "My laptop"
    assert abs(token.expiry - timezone.now() - timedelta(days=30)) < timedelta(minutes=5)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM accounts_token")
        assert text not in str(cursor.fetchall())
    assert text not in client.get(reverse("account")).content.decode()


def revoked(token: Token) -> None:
    services.revoke_token(user=token.user, digest=token.digest)


def expired(token: Token) -> None:
    Token.objects.update(expiry=timezone.now() - timedelta(seconds=1))


def closed(token: Token) -> None:
    User.objects.update(is_active=False)


@pytest.mark.parametrize("end", [revoked, expired, closed])
def test_it_stops_working(people, as_, end):
    token, text = services.make_token(user=people.ann, name="x", days=30)
    as_("bob").post(reverse("revoke-token"), {"digest": token.digest})  # another's is not his to end
    assert authenticated(text) == people.ann
    end(token)
    with pytest.raises(AuthenticationFailed):
        authenticated(text)


def test_it_opens_no_collection_that_its_person_left(collection, people):
    _, text = services.make_token(user=people.ann, name="x", days=30)
    assert membership_or_404(authenticated(text), collection.slug).roles == ["annotator"]
    services.remove_member(membership=collection.memberships.get(user=people.ann))
    with pytest.raises(Http404):
        membership_or_404(authenticated(text), collection.slug)
