"""Erasing a person: who they were goes, what they judged stays under a pseudonym."""

from __future__ import annotations

import secrets
from importlib import import_module

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, Invitation, Token, User, Verb
from accounts.record import record
from accounts.services import keep_an_admin, lock_collection
from web.errors import BadInput, Conflict


@transaction.atomic
def ask_erasure(*, person: User, is_asked: bool) -> None:
    person.erasure_asked_at = timezone.now() if is_asked else None
    person.save(update_fields=["erasure_asked_at"])
    if is_asked:
        record(Verb.ASKED, by=person)


@transaction.atomic
def erase_person(*, person: User, by: User) -> User:
    """The person's name, addresses, keys and sessions go, for good; judgments, decisions and memberships stay.

    Releases have the same bytes afterwards: they follow from no name, and a superuser who judged stays one who saw
    the sources. What people wrote themselves (notes, reasons, guidelines) is not read for names.
    """
    collections = Collection.objects.filter(memberships__user=person).order_by("pk")
    for collection in collections:
        lock_collection(collection)
    person = User.objects.select_for_update().get(pk=person.pk)
    if person == by:
        raise BadInput("Somebody else must erase you: a server keeps one who manages it.")
    if person.actions_about.filter(verb=Verb.ERASED).exists():
        raise Conflict("This person is erased already.")
    memberships = person.memberships.select_related("collection", "user")
    for membership in memberships.active():
        keep_an_admin(membership)
    addresses = {person.email, *EmailAddress.objects.filter(user=person).values_list("email", flat=True)} - {""}
    end_sessions(person)
    for keys in (Token, Authenticator, SocialAccount, EmailAddress):
        keys.objects.filter(user=person).delete()
    for address in addresses:
        Invitation.objects.filter(email__iexact=address, accepted_by=None).delete()
        Invitation.objects.filter(email__iexact=address).update(email="")
    Invitation.objects.filter(accepted_by=person).update(email="")
    memberships.active().update(left_at=timezone.now())
    if person.is_superuser:
        memberships.update(was_admin=True)
    person.username, person.name, person.email = f"erased-{secrets.token_hex(4)}", "", ""
    person.is_active = person.is_superuser = person.is_staff = False
    person.last_login = person.erasure_asked_at = None
    person.set_unusable_password()
    person.save()
    record(Verb.ERASED, about=person, by=by)
    return person


def end_sessions(person: User) -> None:
    """A session names its person inside only. One that waits for a second factor names them, too."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for session in Session.objects.all():
        said = session.get_decoded()
        if str(person.pk) in (said.get("_auth_user_id"), said.get("account_authentication_methods_user")):
            store(session.session_key).delete()


@transaction.atomic
def remove_factors(*, person: User) -> None:
    """For who lost their phone and their recovery codes: from now on the password is enough."""
    Authenticator.objects.filter(user=person).delete()
    end_sessions(person)
    record(Verb.LOGIN, about=person, object="second factors removed")
