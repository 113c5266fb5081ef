"""django-allauth's forms in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from allauth.account import forms as account_forms
from allauth.account.internal.flows.password_reset import request_password_reset
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.mfa.base import forms as code_forms
from allauth.mfa.totp import forms as totp_forms
from allauth.mfa.webauthn import forms as webauthn_forms
from django import forms
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from accounts.forms import PASSWORD_HELP
from accounts.institution.proof import can_have_password
from accounts.mail.sending import soon
from accounts.models import User
from accounts.services import reset_password

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class _Worded(forms.Form):
    """Sets labels and help texts, and removes placeholders, which say the label once more."""

    wording: ClassVar[dict[str, tuple[str | _StrPromise, str | _StrPromise]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
        for name, (label, help_text) in self.wording.items():
            if name in self.fields:
                self.fields[name].label = label
                self.fields[name].help_text = help_text


_CODE = (gettext_lazy("Code"), gettext_lazy("Six digits from your app, or a recovery code."))


class LoginForm(_Worded, account_forms.LoginForm):
    wording = {
        "login": (gettext_lazy("Username or email"), ""),
        "password": (gettext_lazy("Password"), ""),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attributes = {"autocomplete": "username", "autocapitalize": "none", "autofocus": True}
        self.fields["login"].widget.attrs.update(attributes)

    def clean_login(self) -> str:
        """A username is taken as it is typed, like a password."""
        return str(self.cleaned_data["login"])


class ConfirmPasswordForm(_Worded, account_forms.ReauthenticateForm):
    wording = {"password": (gettext_lazy("Password"), "")}


_NEW_PASSWORD = (gettext_lazy("New password"), PASSWORD_HELP)
_NEW_PASSWORD_AGAIN = (gettext_lazy("New password again"), "")


class NewPasswordForm(_Worded, account_forms.ChangePasswordForm):
    wording = {
        "oldpassword": (gettext_lazy("Current password"), ""),
        "password1": _NEW_PASSWORD,
        "password2": _NEW_PASSWORD_AGAIN,
    }

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]
        if password == self.cleaned_data.get("oldpassword"):
            raise forms.ValidationError(
                gettext("Choose a password that differs from the current one.")
            )
        return password


class ForgottenPasswordForm(_Worded, account_forms.ResetPasswordKeyForm):
    wording = {"password1": _NEW_PASSWORD, "password2": _NEW_PASSWORD_AGAIN}

    def save(self) -> None:
        reset_password(person=self.user, password=self.cleaned_data["password1"])


class LinkPasswordForm(_Worded, SetPasswordForm):  # type: ignore[type-arg]
    """For a link that an admin made. The form is Django's."""

    wording = {"new_password1": _NEW_PASSWORD, "new_password2": _NEW_PASSWORD_AGAIN}


class NewEmailForm(_Worded, account_forms.AddEmailForm):
    wording = {
        "email": (
            gettext_lazy("Another email"),
            gettext_lazy("We send it a link that you open to confirm it."),
        )
    }


class RequestLinkForm(_Worded, account_forms.ResetPasswordForm):
    """Asks for a link to a new password. Only a confirmed email gets one.

    The request does the same for an email with and without an account. The rest happens in another
    thread, so neither answer nor time tell whether there is an account.
    """

    wording = {"email": (gettext_lazy("Email"), gettext_lazy("One that you have confirmed here."))}

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        email: str = self.cleaned_data["email"]

        def send() -> None:
            with context.request_context(request):
                confirmed = EmailAddress.objects.filter(email=email, verified=True)
                people = [address.user for address in confirmed.select_related("user")]
                with_password = [
                    person for person in people if person.is_active and can_have_password(person)
                ]
                if with_password:
                    tokens = account_forms.default_token_generator
                    request_password_reset(request, email, with_password, tokens)

        soon(send)
        return email


class MailedLinkForm(account_forms.UserTokenForm):
    """Checks the link of a mail, with the same work whether its person exists or not."""

    def _get_user(self, uidb36: str) -> User | None:
        person: User | None = super()._get_user(uidb36)
        if person is None:
            self.token_generator.check_token(User(pk=0), self.cleaned_data["key"])
        return person


class CodeForm(_Worded, code_forms.AuthenticateForm):
    wording = {"code": _CODE}


class ConfirmCodeForm(_Worded, code_forms.ReauthenticateForm):
    wording = {"code": _CODE}


class ActivateAppForm(_Worded, totp_forms.ActivateTOTPForm):
    wording = {
        "code": (gettext_lazy("Code"), gettext_lazy("The six digits that the app shows now."))
    }


class NewPasskeyForm(_Worded, webauthn_forms.AddWebAuthnForm):
    wording = {
        "name": (
            gettext_lazy("Name"),
            gettext_lazy("To tell your passkeys apart, such as the name of the device."),
        ),
        "passwordless": (
            gettext_lazy("Also log in with it instead of the password"),
            gettext_lazy("The device then asks for your fingerprint, face or PIN."),
        ),
    }


class RenamePasskeyForm(_Worded, webauthn_forms.EditWebAuthnForm):
    wording = {
        "name": (
            gettext_lazy("Name"),
            gettext_lazy("To tell your passkeys apart, such as the name of the device."),
        )
    }
