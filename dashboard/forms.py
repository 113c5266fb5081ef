"""Forms to create a collection and to change its settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify

# Suggestions: the most frequent licences of data, as SPDX identifiers.
LICENCES = (
    "CC-BY-4.0",
    "CC-BY-SA-4.0",
    "CC-BY-NC-4.0",
    "CC-BY-NC-SA-4.0",
    "CC0-1.0",
    "ODbL-1.0",
    "ODC-By-1.0",
    "PDDL-1.0",
    "Apache-2.0",
    "MIT",
    "GPL-3.0-or-later",
)


class _CollectionForm(forms.Form):
    name = forms.CharField(
        max_length=120, help_text="The full name, such as “Similar papers in linguistics”."
    )
    description = forms.CharField(
        required=False,
        help_text="The purpose, in one or two sentences. It is part of every release.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    licence = forms.CharField(
        required=False,
        max_length=120,
        help_text="The licence of the judgments, as an SPDX identifier such as CC-BY-4.0.",
        widget=forms.TextInput(attrs={"list": "licences", "autocomplete": "off"}),
    )


class NewCollectionForm(_CollectionForm):
    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        help_text="Used in URLs and file names, such as linguistics-2026. It cannot change.",
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
        error_messages={"invalid": "Use lower-case letters, digits and hyphens only, no spaces."},
    )
    field_order = ["name", "slug", "description", "licence"]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        tidy = slugify(slug).strip("_") or "collection"
        if slug != tidy:
            raise forms.ValidationError(
                f"Use lower-case letters and single hyphens, like “{tidy}”."
            )
        return slug


class SettingsForm(_CollectionForm):
    seconds_per_judgment = forms.FloatField(
        label="Seconds per judgment",
        min_value=0.1,
        max_value=3600,
        help_text="The time for one pair, to estimate the hours of work. "
        "About 15 for title and abstract.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    seed = forms.CharField(
        max_length=64,
        help_text="All random orders in this collection are computed from it. "
        "It can change until pools are built.",
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, seed_is_fixed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if seed_is_fixed:
            seed = self.fields["seed"]
            seed.disabled = True  # a forged value is ignored, the stored one kept
            seed.help_text = "Pools were built with this seed, so it cannot change."
