"""Forms to invite people, and to make the account of an invited person."""

from __future__ import annotations

from django import forms
from django.contrib.auth import password_validation
from django.utils.translation import gettext, gettext_lazy

from accounts.forms import LONGEST_USERNAME, PASSWORD_HELP, ROLES_EXPLAINED, check_username
from accounts.invitations.addresses import MOST, InvalidLines, Invitee, read_invitees
from accounts.models import Role, User


class InviteForm(forms.Form):
    people = forms.CharField(
        label="Emails",
        max_length=60_000,
        help_text=f"One a line, such as mara@example.org or Mara Lind <mara@example.org>. At most "
        f"{MOST}.",
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(
        choices=list(ROLES_EXPLAINED.items()), widget=forms.RadioSelect, initial=Role.ANNOTATOR
    )

    def clean_people(self) -> list[Invitee]:
        try:
            return read_invitees(self.cleaned_data["people"])
        except InvalidLines as error:
            raise forms.ValidationError([*error.faults]) from error


class NewAccountForm(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("Username"),
        max_length=LONGEST_USERNAME,
        validators=[check_username],
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=150,
        required=False,
        help_text=gettext_lazy("Other people see this name, such as Mara Lind. You can change it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        help_text=PASSWORD_HELP,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    password_again = forms.CharField(
        label=gettext_lazy("Password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: object, slug: str, email: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._email = email
        self.fields["username"].help_text = gettext(
            "Letters, digits and . + - _ only. @%(slug)s is added: mara becomes mara@%(slug)s. It "
            "cannot change. You can also log in with your email."
        ) % {"slug": slug}

    def clean(self) -> None:
        super().clean()
        values = self.cleaned_data
        password, again = values.get("password"), values.get("password_again")
        if not password or not again:
            return
        if password != again:
            self.add_error("password_again", gettext("The two passwords differ."))
            return
        person = User(
            username=values.get("username", ""),
            first_name=values.get("name", ""),
            email=self._email,
        )
        try:
            password_validation.validate_password(password, person)
        except forms.ValidationError as error:
            self.add_error("password", error)
