from __future__ import annotations

import re
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django import forms
from django.contrib.auth import password_validation

from accounts.models import ADJUDICATOR, ADMIN, ANNOTATOR, FACETS, GRADES, Collection, Invitation, Token, User
from web.forms import LinesField

LONGEST_WORD = 50  # characters of a facet, as in the database, and of a grade's name
ROLE_CHOICES = [(ADMIN, "Admin"), (ANNOTATOR, "Annotator"), (ADJUDICATOR, "Adjudicator")]
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


class LoginForm(allauth_forms.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "Username or e-mail"
        self.fields["login"].widget.attrs["autofocus"] = True
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class CollectionForm(forms.ModelForm):
    """`facets` and `grades` have one name a line; grades from the lowest, 0, up."""

    facets = LinesField(
        required=False,
        initial=FACETS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line. Query papers are judged under one of them. Empty: whole papers, or topics.",
    )
    grades = LinesField(
        initial=GRADES,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One name a line, from grade 0 up. Two to five grades.",
    )

    class Meta:
        model = Collection
        fields = ["name", "slug", "description", "licence", "facets", "grades", "relevant_from", "seed"]
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
        error_messages = {"slug": {"invalid": "Use letters, digits, - and _ only, such as csfcube."}}

    def clean_name(self) -> str:
        """On one line: it stands in subjects of mails."""
        return " ".join(self.cleaned_data["name"].split())

    def clean_grades(self) -> list[str]:
        grades: list[str] = self.cleaned_data["grades"]
        if not 2 <= len(grades) <= 5:
            raise forms.ValidationError(f"Give two to five grades, got {len(grades)}.")
        if too_long := [grade for grade in grades if len(grade) > LONGEST_WORD]:
            raise forms.ValidationError(f"A grade's name has at most {LONGEST_WORD} characters, got “{too_long[0]}”.")
        return grades

    def clean_facets(self) -> list[str]:
        facets: list[str] = self.cleaned_data["facets"]
        for facet in facets:
            if facet == "other":
                raise forms.ValidationError("“other” is the label of sentences that belong to no facet.")
            if not facet.replace("-", "").replace("_", "").isalnum():
                raise forms.ValidationError(f"A facet is letters, digits, - and _, got “{facet}”.")
            if len(facet) > LONGEST_WORD:
                raise forms.ValidationError(f"A facet has at most {LONGEST_WORD} characters, got “{facet}”.")
        if len(set(facets)) < len(facets):
            raise forms.ValidationError("Two facets have the same name.")
        return facets

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        grades, relevant_from = values.get("grades"), values.get("relevant_from")
        if grades and relevant_from is not None and not 1 <= relevant_from < len(grades):
            self.add_error("relevant_from", f"Give a grade from 1 to {len(grades) - 1}.")
        return values


class InvitationForm(forms.ModelForm):
    class Meta:
        model = Invitation
        fields = ("email", "is_annotator", "is_adjudicator", "is_admin")

    @property
    def roles(self) -> list[str]:
        return [role for role, _ in ROLE_CHOICES if self.cleaned_data[f"is_{role}"]]


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(choices=ROLE_CHOICES, widget=forms.CheckboxSelectMultiple, required=False)


class NameForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ("name",)

    def clean_name(self) -> str:
        """One that everybody sees, and that does not turn the text after it."""
        name: str = self.cleaned_data["name"]
        if name and (TURNS.search(name) or not any(letter.isalnum() for letter in name)):
            raise forms.ValidationError("A name has letters, and no marks that turn the direction of text.")
        return name


class NewAccountForm(NameForm):
    """The account of an invited person."""

    password = forms.CharField(
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 8 characters, not a common one.",
    )

    class Meta(NameForm.Meta):
        fields = ("username", "name", "email", "password")  # type: ignore[assignment]
        labels = {"email": "E-mail"}
        help_texts = {"username": "Letters, digits and @ . + - _"}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if password := values.get("password"):
            try:
                password_validation.validate_password(password, User(username=values.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return values

    def save(self, commit: bool = True) -> User:
        user = super().save(commit=False)
        user.set_password(self.cleaned_data["password"])
        user.save()
        return user


class KeyForm(AddWebAuthnForm):
    passwordless = forms.BooleanField(
        label="Use it as a passkey",
        required=False,
        initial=True,
        help_text="It then logs you in without a password. Some older security keys cannot.",
    )


class TokenForm(forms.ModelForm):
    days = forms.TypedChoiceField(
        label="Works for", coerce=int, choices=[(30, "30 days"), (90, "90 days"), (365, "a year")], initial=90
    )

    class Meta:
        model = Token
        fields = ("name",)
