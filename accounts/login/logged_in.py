"""The session and the person of a request, each read by a statement that is written once.

Every request reads both. Django builds the SQL of a queryset anew for each use, and for these two
that took a third of the server's time of a judgment. The rows stay in the database, so a session
that is deleted there, or whose person may no longer log in, ends with the next request.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User

_SESSION = "SELECT * FROM django_session WHERE session_key = %s"
_PERSON = "SELECT * FROM accounts_user WHERE id = %s"


def find_by_login(login: str) -> User | None:
    """The person with this username, or else with this verified email.

    Both are asked in every case, so that the number of queries tells nothing. A username is
    case-sensitive, an email is not.
    """
    by_username = User.objects.filter(username=login).first()
    if "@" not in login:
        return by_username
    addresses = EmailAddress.objects.filter(email=login.lower(), verified=True)
    by_email = addresses.select_related("user").first()
    return by_username or (by_email and by_email.user)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        session = next(iter(Session.objects.raw(_SESSION, [self.session_key])), None)
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session


class PersonBackend(ModelBackend):
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """The person with this username or verified email, and this password.

        A password is checked once, whether the account exists or not, so the time tells nothing.
        """
        if username is None or password is None:
            return None
        person = find_by_login(username)
        if person is None:
            User().set_password(password)
            return None
        is_right = person.check_password(password)
        return person if is_right and self.user_can_authenticate(person) else None

    def get_user(self, user_id: Any) -> User | None:
        person = next(iter(User.objects.raw(_PERSON, [user_id])), None)
        return person if person and self.user_can_authenticate(person) else None
