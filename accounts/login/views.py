"""Login, logout and passwords: django-allauth's pages, where ours differ."""

from __future__ import annotations

from typing import Any

from allauth.account import views as account_views
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.login.adapter import TOO_MANY_TRIES
from accounts.login.forms import LinkPasswordForm, LoginForm, NewPasswordForm
from accounts.login.known_browsers import remember_browser
from accounts.login.recorded_changes import CONFIRMED_EMAILS, recording
from accounts.mail.sending import NoMail, check_sends_mail
from accounts.models import User
from accounts.password_links import LinkNotValid, PasswordLink, choose_password, person_of_link


class Login(account_views.LoginView):
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return {**context, "institution_logins": settings.INSTITUTION_LOGINS.values()}

    def form_valid(self, form: LoginForm) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        # The password was right. A second factor may still follow.
        remember_browser(self.request, response, form.cleaned_data["login"])
        return response

    def form_invalid(self, form: LoginForm) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        if form.has_error(NON_FIELD_ERRORS, TOO_MANY_TRIES):
            response.status_code = 429
            response["Retry-After"] = str(settings.LOGIN_WAIT_SECONDS)  # for programs
        return response


class Logout(account_views.LogoutView):
    http_method_names = ["post"]


class PasswordChange(account_views.PasswordChangeView):
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User) and not request.user.has_usable_password():
            message = gettext("Your account has no password. You log in at the institution.")
            messages.info(request, message)
            return redirect("account")
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        return response

    def form_invalid(self, form: NewPasswordForm) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        response.status_code = 422
        return response


class PasswordReset(account_views.PasswordResetView):
    """Without mail, the page says whom to ask."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            check_sends_mail()
        except NoMail:
            return redirect("account_reset_password")
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


class ConfirmEmail(account_views.ConfirmEmailView):
    def logout_other_user(self, confirmation: Any) -> None:
        """Log out no one: a link in a mail is only opened."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        with recording(CONFIRMED_EMAILS, self.get_object().email_address.user):
            answer: HttpResponse = super().post(*args, **kwargs)
        return answer


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def new_password(
    request: HttpRequest, person_id: int, made_by_id: int, link_token: str
) -> HttpResponse:
    """The page of a password link. A GET does not use the link up: mail programs open links."""
    link = PasswordLink(person_id, made_by_id, link_token)
    page = "accounts/new_password.html"
    try:
        person = person_of_link(link)
        form = LinkPasswordForm(person, request.POST or None)
        if request.method == "POST" and form.is_valid():
            choose_password(link=link, password=form.cleaned_data["new_password1"])
            message = gettext("Password changed. Log in as %(username)s.")
            messages.success(request, message % {"username": person.username})
            return redirect("login")
    except LinkNotValid as error:
        return render(request, page, {"error": str(error)}, status=404)
    status = 422 if request.method == "POST" else 200
    return render(request, page, {"form": form, "person": person}, status=status)
