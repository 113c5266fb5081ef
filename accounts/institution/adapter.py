"""Answers to django-allauth about logins at an institution: which there are, and who gets in."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError, AuthProcess, Provider
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext, gettext_noop

from accounts.institution.claims import NotAllowed, check_allowed
from accounts.institution.configuration import OIDC, InstitutionLogin
from accounts.institution.services import admit, link_identity
from accounts.invitations.services import welcome
from accounts.models import User
from web.errors import UserFacingError

log = logging.getLogger(__name__)


def logins() -> dict[str, InstitutionLogin]:
    """The institution's logins by their keys. Most servers have none or one."""
    found: dict[str, InstitutionLogin] = settings.INSTITUTION_LOGINS
    return found


class InstitutionAdapter(DefaultSocialAccountAdapter):
    """Providers come from the environment alone, never from rows of `SocialApp`."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        found = [
            login for login in logins().values() if provider in (None, login.key, *_ids(login))
        ]
        apps = [_app(login) for login in found]
        return [app for app in apps if client_id in (None, app.client_id)]

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> Provider:
        app = self.get_app(request, provider=provider, client_id=client_id)
        if app.provider_id == OIDC:
            from accounts.institution.oidc import OidcProvider as ProviderClass
        else:
            from accounts.institution.saml import SamlProvider as ProviderClass
        return ProviderClass(request, app=app)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def authenticate_by_email(self, sociallogin: SocialLogin) -> None:
        """Never: `admit` decides."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Decide about a person whom the provider has just identified. A refusal is a page."""
        login = logins()[sociallogin.account.provider]
        try:
            _check_nonce(login, sociallogin)
            check_allowed(
                sociallogin.identity,
                required_claims=login.required_claims,
                email_domains=login.email_domains,
            )
            if sociallogin.state.get("process") == AuthProcess.CONNECT:
                raise ImmediateHttpResponse(_link(request, login, sociallogin))
            if not sociallogin.is_existing:
                _let_in(request, login, sociallogin)
        except NotAllowed as error:
            reason = gettext(error.message) % error.values
            raise ImmediateHttpResponse(refused(request, login, reason)) from error
        except UserFacingError as error:
            answer = refused(request, login, str(error), error.status)
            raise ImmediateHttpResponse(answer) from error

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Provider,
        error: str = AuthError.UNKNOWN,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        login = logins()[provider.sub_id]
        if error == AuthError.CANCELLED:
            message = gettext("%(name)s cancelled the login.") % {"name": login.name}
            answer = refused(request, login, message)
        elif isinstance(exception, OSError):  # requests' errors are of it
            answer = not_answering(request, login, exception)
        else:
            reason = (extra_context or {}).get("saml_last_error_reason") or exception
            answer = not_valid(request, login, reason)
        raise ImmediateHttpResponse(answer)


def refused(
    request: HttpRequest,
    login: InstitutionLogin,
    reason: str,
    status: int = HTTPStatus.FORBIDDEN,
) -> HttpResponse:
    context = {"login": login, "reason": reason}
    return render(request, "accounts/institution_refused.html", context, status=status)


def not_answering(request: HttpRequest, login: InstitutionLogin, error: OSError) -> HttpResponse:
    log.warning("Login with %s: %s does not answer: %s", login.key, login.source, type(error))
    return refused(
        request,
        login,
        gettext(
            "%(name)s does not answer, so you could not be logged in. Your account and your work "
            "are safe. Try again in a few minutes."
        )
        % {"name": login.name},
        HTTPStatus.SERVICE_UNAVAILABLE,
    )


def not_valid(request: HttpRequest, login: InstitutionLogin, reason: object) -> HttpResponse:
    """The reason goes to the log: it names settings, and a stranger could have caused it."""
    log.warning("Login with %s: the answer is not valid: %s", login.key, str(reason)[:300])
    return refused(
        request,
        login,
        gettext(
            "The answer of %(name)s was not valid, or came too late. You are not logged in. Begin "
            "again. If it fails again, tell the people who run this server."
        )
        % {"name": login.name},
        HTTPStatus.BAD_REQUEST,
    )


def _ids(login: InstitutionLogin) -> tuple[str, ...]:
    """django-allauth's own name of the kind of provider."""
    return ("openid_connect",) if login.key == OIDC else ("saml",)


def _app(login: InstitutionLogin) -> SocialApp:
    if login.key == OIDC:
        values: dict[str, Any] = {"login": login, "oauth_pkce_enabled": True}
        values["server_url"] = login.source
    else:
        from accounts.institution.saml import saml_settings

        values = saml_settings(login)
    return SocialApp(
        provider=_ids(login)[0],
        provider_id=login.key,
        name=login.name,
        client_id=login.client_id or login.key,
        secret=login.client_secret,
        settings=values,
    )


def _check_nonce(login: InstitutionLogin, sociallogin: SocialLogin) -> None:
    """An ID token is for the browser that asked for it (OpenID Connect Core 1.0, 3.1.3.7)."""
    if login.key != OIDC:
        return
    expected = str(sociallogin.state.get("nonce") or "")
    nonce = str(sociallogin.identity.claims.get("nonce") or "")
    if not expected or not constant_time_compare(nonce, expected):
        message = gettext_noop("The answer of %(name)s was for another login. Begin again.")
        raise NotAllowed(message, name=login.name)


def _link(request: HttpRequest, login: InstitutionLogin, sociallogin: SocialLogin) -> HttpResponse:
    if not isinstance(request.user, User):
        return redirect("login")
    link_identity(person=request.user, login=login, identity=sociallogin.identity)
    message = gettext("Linked. You can log in with %(name)s from now on.")
    messages.success(request, message % {"name": login.name})
    return redirect("account")


def _let_in(request: HttpRequest, login: InstitutionLogin, sociallogin: SocialLogin) -> None:
    link, invitation = admit(
        login=login,
        identity=sociallogin.identity,
        link_token=_token_in(sociallogin.state.get("next") or ""),
    )
    sociallogin.account, sociallogin.user = link, link.user
    if invitation is not None:
        messages.success(request, welcome(invitation))
        sociallogin.state["next"] = reverse("collection", args=[invitation.collection.slug])


def _token_in(path: str) -> str:
    """The token, if the path is that of an invitation's link."""
    try:
        match = resolve(path)
    except Resolver404:
        return ""
    return str(match.kwargs["link_token"]) if match.url_name == "invitation" else ""
