"""Forms to create a collection and to change its settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify

from accounts.forms import ROLES_EXPLAINED
from accounts.models import OWNERS, Role
from corpus.facets import DEFAULT_FACETS
from dashboard.settings.facets_form import FacetsForm
from retrieval.retrievers import analysis_choices

# The most frequent licences of data, as SPDX identifiers.
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


ANOTHER = "another"
LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"  # as BCP 47 writes it


class _CollectionForm(forms.Form):
    name = forms.CharField(
        max_length=120, help_text="The full name, such as “Similar papers in linguistics”."
    )
    description = forms.CharField(
        required=False,
        help_text="The purpose, in one or two sentences. It is part of every release.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    licence = forms.ChoiceField(
        required=False,
        choices=[
            ("", "None yet"),
            *((licence, licence) for licence in LICENCES),
            (ANOTHER, "Another licence"),
        ],
        help_text="The licence of the judgments, as an SPDX identifier. A release needs one.",
    )
    other_licence = forms.CharField(
        label="Another licence",
        required=False,
        max_length=120,
        help_text="Only with “Another licence” above: its SPDX identifier or its name.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        licence = self.initial.get("licence", "")
        if licence and licence not in LICENCES:
            self.initial = {**self.initial, "licence": ANOTHER, "other_licence": licence}

    def clean(self) -> None:
        """The licence is one of the list, or the other text; `other_licence` is gone."""
        super().clean()
        values = self.cleaned_data
        other = values.pop("other_licence", "")
        if values.get("licence") == ANOTHER:
            values["licence"] = other
            if not other and "other_licence" not in self.errors:
                self.add_error("other_licence", "Write the licence, or choose one of the list.")
        elif other and "licence" in values:
            self.add_error(
                "licence", "Choose “Another licence”, or leave the field below it empty."
            )


class NewCollectionForm(FacetsForm, _CollectionForm):
    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        help_text="Used in URLs and file names, such as linguistics-2026. It cannot change.",
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
        error_messages={"invalid": "Use lower-case letters, digits and hyphens only, no spaces."},
    )
    owner_role = forms.ChoiceField(
        label="Your role",
        choices=[(role, ROLES_EXPLAINED[role]) for role in OWNERS],
        initial=Role.ADMIN,
        required=False,
        widget=forms.RadioSelect,
        help_text="An admin can never become a judge of the collection. An owner-annotator becomes "
        "an admin when judging is done.",
    )
    field_order = ["name", "slug", "owner_role", "description", "licence", "other_licence"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("initial", self.initial_of(DEFAULT_FACETS, 3, None))
        super().__init__(*args, **kwargs)

    @property
    def about(self) -> list[forms.BoundField]:
        """The fields that say what the collection is."""
        return [self[name] for name in self.field_order]

    def clean_owner_role(self) -> str:
        return self.cleaned_data["owner_role"] or Role.ADMIN

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        tidy = slugify(slug).strip("_") or "collection"
        if slug != tidy:
            raise forms.ValidationError(
                f"Use lower-case letters and single hyphens, like “{tidy}”."
            )
        return slug


class SettingsForm(_CollectionForm):
    corpus_licence = forms.CharField(
        label="Licence of the texts",
        required=False,
        max_length=120,
        help_text="The licence of the documents' texts, such as CC-BY-4.0. Without it a release "
        "leaves the texts out or stops.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
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

    analysis = forms.ChoiceField(
        label="Words of BM25 and TF-IDF",
        required=False,
        choices=lambda: [("", "Choose by the language of the documents"), *analysis_choices()],
        help_text="How the usual retrievers compare words. Runs that exist stay as they are.",
    )

    document_language = forms.RegexField(
        label="Language of the documents",
        regex=LANGUAGE_TAG,
        required=False,
        max_length=35,
        help_text="Its code, such as en, ja, ar or zh-Hant. Browsers choose fonts and line breaks "
        "by it. Leave it empty if the documents are in several languages.",
        error_messages={"invalid": "Write a language code, such as en, ja or zh-Hant."},
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    admins_need_second_factor = forms.BooleanField(
        label="Admins need a second factor",
        required=False,
        help_text="Admins and owner-annotators without one can only set one up, and open nothing "
        "of this collection until then.",
    )

    field_order = ["name", "description", "licence", "other_licence", "corpus_licence"]

    def __init__(
        self, *args: Any, seed_is_fixed: bool, shows_seed: bool = True, **kwargs: Any
    ) -> None:
        """Without `shows_seed` it stays as it is, and the form does not tell it."""
        super().__init__(*args, **kwargs)
        if not shows_seed:
            del self.fields["seed"]
        elif seed_is_fixed:
            seed = self.fields["seed"]
            seed.disabled = True  # a forged value is ignored, the stored one kept
            seed.help_text = "Pools were built with this seed, so it cannot change."
