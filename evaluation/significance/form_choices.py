"""Choices of forms that are filled in from the address and never refuse one."""

from __future__ import annotations

from django import forms
from django.http import QueryDict


def known(parameters: QueryDict, name: str, choices: list[str], usual: str) -> str:
    """The parameter if it is one of the choices."""
    value = parameters.get(name, usual)
    return value if value in choices else usual


def set_choices(form: forms.Form, name: str, choices: dict[str, str]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices.items())
