"""What is asked about a collection as a whole."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify

# The licences data are published under most often, as SPDX identifiers; any other can be typed.
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
        max_length=120, help_text="As people say it, like “Similar papers in linguistics”."
    )
    description = forms.CharField(
        required=False,
        help_text="What it is for, in a sentence or two. It goes into every release.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    licence = forms.CharField(
        required=False,
        max_length=120,
        help_text="Of the judgments you will publish, as an SPDX identifier like CC-BY-4.0.",
        widget=forms.TextInput(attrs={"list": "licences", "autocomplete": "off"}),
    )


class NewCollectionForm(_CollectionForm):
    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        help_text="For addresses and files: small letters, digits and hyphens. It cannot change.",
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
        error_messages={"invalid": "Use small letters, digits and hyphens only, no spaces."},
    )
    field_order = ["name", "slug", "description", "licence"]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        tidy = slugify(slug).strip("_") or "collection"
        if slug != tidy:
            raise forms.ValidationError(f"Use small letters and no stray hyphens, like “{tidy}”.")
        return slug


class SettingsForm(_CollectionForm):
    seconds_per_judgment = forms.FloatField(
        label="Seconds per judgment",
        min_value=0.1,
        max_value=3600,
        help_text="How long a judge needs for one pair, to foresee the hours. "
        "About 15 for title and abstract.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    seed = forms.CharField(
        max_length=64,
        help_text="Every order in this collection follows from it. "
        "It can change until pools are built.",
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, seed_is_fixed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if seed_is_fixed:
            seed = self.fields["seed"]
            seed.disabled = True  # a forged value is ignored, the stored one kept
            seed.help_text = "Pools were built with it, so it cannot change any more."
