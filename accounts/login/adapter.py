"""Answers to django-allauth: about people, passwords, mail, and the encryption of secrets."""

from __future__ import annotations

import base64
import hashlib
import math
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib import messages
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy, ngettext, override

from accounts.institution.proof import institution_methods, logged_in_just_now
from accounts.login.limits import LoginTries, client_host
from accounts.mail.sending import MailNotSent, send_mail
from accounts.models import User
from accounts.services import change_password
from web.languages.choice import language_of, language_of_person

TOO_MANY_TRIES = "too_many_tries"
NO_ADDRESS = "0.0.0.0"  # of a client of a Unix socket
_WRONG = gettext_lazy(
    "Wrong username, email or password. Username and password are case-sensitive. If you forgot "
    "the password, see below."
)

_METHODS = {
    "reauthenticate": gettext_lazy("Use the password"),
    "mfa_reauthenticate": gettext_lazy("Use a code"),
    "mfa_reauthenticate:webauthn": gettext_lazy("Use a passkey"),
}


def shown_name(person: User) -> str:
    return person.shown_name


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        # The same for both, so that the message tells nothing about an account.
        "username_password_mismatch": _WRONG,
        "email_password_mismatch": _WRONG,
        "enter_current_password": gettext_lazy("Wrong password. It is case-sensitive."),
        "incorrect_password": gettext_lazy("Wrong password. It is case-sensitive."),
        "incorrect_code": gettext_lazy("Wrong code."),
        "too_many_login_attempts": gettext_lazy(
            "Too many wrong codes. Wait 5 minutes, then try again."
        ),
        "rate_limited": gettext_lazy("Too many tries. Wait a few minutes, then try again."),
        "duplicate_email": gettext_lazy("You have this email already."),
        "max_email_addresses": gettext_lazy(
            "You can have at most %d emails. Remove another one first."
        ),
        "invalid_password_reset": gettext_lazy("This link does not work."),
    }

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count nothing: the authentication backend counts (`limits.py`)."""

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        tries: LoginTries | None = getattr(request, "refused_tries", None)
        if tries is not None:
            raise ValidationError(too_many_tries(tries), code=TOO_MANY_TRIES)

    def set_password(self, user: User, password: str) -> None:
        change_password(person=user, password=password)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Not right after a login at the institution, which is proof as good as a password."""
        return not logged_in_just_now(self.request) and super().is_reauthentication_required(
            app=app, **kwargs
        )

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """A person without a password, an app and a passkey logs in at the institution again."""
        methods = super().get_reauthentication_methods(user)
        for method in methods:
            method["description"] = _METHODS.get(method["id"], method["description"])
        return methods or institution_methods(user)

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_host(request) or NO_ADDRESS

    def is_safe_url(self, url: str) -> bool:
        """Only this host. allauth's own rule trusts each of ALLOWED_HOSTS."""
        request = self.request
        return url_has_allowed_host_and_scheme(
            url, {request.get_host()}, require_https=request.is_secure()
        )

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        return reverse("account_email" if self.request.user.is_authenticated else "login")

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        messages.error(request, gettext("This account cannot log in."))
        return redirect("login")

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send one mail, in the language of the person who gets it.

        A person who never chose one sent the request, as a rule, so that of the request counts. A
        failure is told to the person, and changes nothing else.
        """
        request = self.request
        values = {"request": request, "email": email, "current_site": get_current_site(request)}
        person = context.get("user")
        chosen = getattr(person, "language", "")
        with override(language_of_person(person) if chosen else language_of(request)):
            message = self.render_mail(template_prefix, email, {**values, **context})
        try:
            send_mail(message)
        except MailNotSent as error:
            messages.error(request, str(error))

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell the person of a change, after the change: a slow mail server must hold no lock."""
        if settings.SENDS_MAIL:
            send = super().send_notification_mail
            context = {**(context or {}), "user": user}
            transaction.on_commit(lambda: send(template_prefix, user, context, email))


class SecondFactorAdapter(DefaultMFAAdapter):
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("Wrong code. An app shows another one every 30 seconds."),
        "cannot_generate_recovery_codes": gettext_lazy("Set up an app or a passkey first."),
    }

    def encrypt(self, text: str) -> str:
        """So that a copy of the database is no second factor."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user: User) -> str:
        return user.username

    def _get_user_identifier(self, user: User) -> str:
        return user.username

    def generate_authenticator_name(
        self,
        user: User,
        type: Authenticator.Type,  # noqa: A002 (allauth's name)
    ) -> str:
        number = Authenticator.objects.filter(user=user, type=type).count()
        return gettext("Passkey %(number)s") % {"number": number + 1}


def too_many_tries(tries: LoginTries) -> str:
    minutes = math.ceil(settings.LOGIN_WAIT_SECONDS / 60)
    if tries.is_in_known_browser:
        message = ngettext(
            "Too many failed logins in this browser. Wait %(minutes)s minute, then log in again.",
            "Too many failed logins in this browser. Wait %(minutes)s minutes, then log in again.",
            minutes,
        )
    else:
        message = ngettext(
            "Too many failed logins from your network. Wait %(minutes)s minute, then log in again, "
            "or log in now with a browser in which you logged in before.",
            "Too many failed logins from your network. Wait %(minutes)s minutes, then log in "
            "again, or log in now with a browser in which you logged in before.",
            minutes,
        )
    sentences = (message % {"minutes": minutes}, gettext("Your account and your work are safe."))
    return " ".join(sentences)


def _cipher() -> Fernet:
    digest = hashlib.sha256(f"second factors|{settings.SECRET_KEY}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
