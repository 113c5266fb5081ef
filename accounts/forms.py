"""Forms to create and change people."""

from __future__ import annotations

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy

from accounts.models import Role

ROLES_EXPLAINED = {
    Role.ANNOTATOR: "Annotator: judges pairs without seeing other judgments",
    Role.ADJUDICATOR: "Adjudicator: decides pairs on which two annotators disagree",
    Role.CURATOR: "Curator: checks sentence labels and screens papers, and may also judge",
    Role.ADMIN: "Admin: sets up and publishes the collection, and can never judge it again",
    Role.OWNER_ANNOTATOR: "Owner-annotator: sets up the collection and judges, and sees no pools, "
    "runs or reports until that is done",
}

LONGEST_USERNAME = 80  # without the collection's short name
check_username = RegexValidator(
    r"^[\w.+-]+\Z", gettext_lazy("Use letters, digits and . + - _ only, no spaces or @.")
)


PASSWORD_HELP = gettext_lazy(
    "At least 8 characters, not only digits, not a common password, and not like your username, "
    "name or email."
)


class NameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=150,
        required=False,
        help_text=gettext_lazy(
            "Shown to other people, such as Mara Lind. The default is your username."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class _RoleForm(forms.Form):
    role = forms.ChoiceField(
        choices=list(ROLES_EXPLAINED.items()), widget=forms.RadioSelect, initial=Role.ANNOTATOR
    )


class GiveRoleForm(_RoleForm):
    person = forms.CharField(
        label="Account code",
        max_length=200,
        help_text="The person finds it on the account page, such as mara:k7f3-x2mq-9hvt. The "
        "username is enough for people in collections that you administer.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    field_order = ["person", "role"]


class CreatePersonForm(_RoleForm):
    username = forms.CharField(
        max_length=LONGEST_USERNAME,
        validators=[check_username],
        help_text="Letters, digits and . + - _ only. The collection's short name is added: mara "
        "becomes mara@papers. It cannot change, since judgments carry it.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    name = forms.CharField(
        max_length=150,
        required=False,
        help_text="Other people see this name, such as Mara Lind. The person can change it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ["username", "name", "role"]
