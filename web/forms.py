"""How every form is drawn: templates/forms/field.html, by Django's own `as_field_group`."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms.renderers import TemplatesSetting

from web.errors import BadInput


class FormRenderer(TemplatesSetting):
    form_template_name = "forms/form.html"
    field_template_name = "forms/field.html"


class LinesField(forms.CharField):
    """One value a line, as a list of stripped lines; empty lines are dropped."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]
        lines = value if isinstance(value, list) else (value or "").splitlines()
        return [line.strip() for line in lines if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value


def cleaned(form: forms.BaseForm) -> dict[str, Any]:
    """The values of a form that no person sees, such as a script's; what is wrong with them as one sentence."""
    if not form.is_valid():
        raise BadInput("; ".join(f"{name}: {errors[0]}" for name, errors in form.errors.items()))
    return form.cleaned_data
