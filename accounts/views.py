"""Login, password change and the account page."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import services
from accounts.access import person_of
from accounts.codes import account_code
from accounts.forms import TOO_MANY_TRIES, LoginForm, NameForm, NewPasswordForm
from accounts.login.known_browsers import remember_browser
from accounts.password_links import LinkNotValid, PasswordLink, choose_password, person_of_link


@method_decorator(login_not_required, name="dispatch")
class Login(auth_views.LoginView):
    form_class = LoginForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember_browser(self.request, response, form.get_user().get_username())
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if not form.has_error(NON_FIELD_ERRORS, TOO_MANY_TRIES):
            return super().form_invalid(form)
        context = self.get_context_data(form=form)
        wait = {"Retry-After": str(settings.LOGIN_WAIT_SECONDS)}  # for programs
        return self.render_to_response(context, status=429, headers=wait)


class PasswordChange(auth_views.PasswordChangeView):
    form_class = NewPasswordForm
    success_url = reverse_lazy("password_change_done")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        person = form.user
        services.change_password(person=person, password=form.cleaned_data["new_password1"])
        update_session_auth_hash(self.request, person)  # stays logged in here
        return redirect(self.get_success_url())


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def new_password(
    request: HttpRequest, person_id: int, made_by_id: int, link_token: str
) -> HttpResponse:
    """The page of a password link. A GET does not use the link up: mail programs open links."""
    link = PasswordLink(person_id, made_by_id, link_token)
    page = "registration/new_password.html"
    try:
        person = person_of_link(link)
        form = SetPasswordForm(person, request.POST or None)
        if request.method == "POST" and form.is_valid():
            choose_password(link=link, password=form.cleaned_data["new_password1"])
            messages.success(request, f"Password changed. Log in as {person.username}.")
            return redirect("login")
    except LinkNotValid as error:
        return render(request, page, {"error": str(error)}, status=404)
    status = 422 if request.method == "POST" else 200
    return render(request, page, {"form": form, "person": person}, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    form = NameForm(request.POST or None, initial={"name": person.get_full_name()})
    if request.method == "POST" and form.is_valid():
        services.rename_person(person=person, name=form.cleaned_data["name"])
        messages.success(request, f"Saved. Others here see you as {person.shown_name}.")
        return redirect("account")
    return _account_page(request, form, status=422 if form.errors else 200)


def _account_page(request: HttpRequest, form: NameForm, *, status: int = 200) -> HttpResponse:
    person = person_of(request)
    memberships = person.memberships.select_related("collection")
    return render(
        request,
        "accounts/account.html",
        {
            "form": form,
            "code": account_code(person),
            "tokens": person.api_tokens.valid(timezone.now()).count(),
            "memberships": memberships.order_by("collection__name", "role"),
        },
        status=status,
    )
