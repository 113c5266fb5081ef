"""Forms to create a collection and to change its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.text import slugify

from accounts.models import HIGHEST_GRADE
from corpus.facets import (
    CHOICES,
    DEFAULT_FACETS,
    FacetError,
    FacetPlan,
    facets_json,
    parse_facets,
)
from corpus.services import CorpusError, scale_of
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

    def clean(self) -> dict[str, Any]:
        """The licence is one of the list, or the other text; `other_licence` is gone."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        other = values.pop("other_licence", "")
        if values.get("licence") == ANOTHER:
            values["licence"] = other
            if not other and "other_licence" not in self.errors:
                self.add_error("other_licence", "Write the licence, or choose one of the list.")
        elif other and "licence" in values:
            self.add_error(
                "licence", "Choose “Another licence”, or leave the field below it empty."
            )
        return values


# SOLVENT's two facets of analogies between papers, as an example to change.
EXAMPLE_FACETS = (
    FacetPlan("purpose", "Purpose", ("purpose",)),
    FacetPlan("mechanism", "Mechanism", ("mechanism",)),
)
OWN = "own"


class FacetsForm(forms.Form):
    """What is judged in a collection, and on which scale."""

    facets = forms.ChoiceField(
        label="What is compared",
        choices=[
            ("none", "No facets: judges decide how relevant a document is to a topic"),
            ("csfcube", "CSFCube’s facets: background, method and result"),
            (OWN, "Facets of your own, described below"),
        ],
        widget=forms.RadioSelect,
    )
    own_facets = forms.CharField(
        label="Facets of your own",
        required=False,
        max_length=20_000,
        help_text="A JSON list. The key is the end of every query id, the name is shown on pages, "
        "and the labels are those of the sentences that belong to the facet.",
        widget=forms.Textarea(attrs={"rows": 5, "class": "mono", "spellcheck": "false"}),
    )
    highest_grade = forms.TypedChoiceField(
        label="Scale",
        coerce=int,
        choices=[
            (highest, f"{highest + 1} grades, 0 to {highest}")
            for highest in range(1, HIGHEST_GRADE + 1)
        ],
    )
    relevant_from = forms.TypedChoiceField(
        label="Relevant from",
        required=False,
        coerce=int,
        empty_value=None,
        choices=[
            ("", "The default: grade 2, or 1 if there are two grades"),
            *((grade, f"Grade {grade}") for grade in range(1, HIGHEST_GRADE + 1)),
        ],
        help_text="This grade and the higher ones count as relevant.",
    )

    @staticmethod
    def initial_of(
        facets: Sequence[FacetPlan], highest_grade: int, relevant_from: int | None
    ) -> dict[str, Any]:
        """The values that show these facets and this scale."""
        named = {plans: word for word, plans in CHOICES.items()}
        choice = named.get(tuple(facets), OWN)
        return {
            "facets": choice,
            "own_facets": facets_json(facets if choice == OWN else EXAMPLE_FACETS),
            "highest_grade": highest_grade,
            "relevant_from": relevant_from,
        }

    def clean(self) -> dict[str, Any]:
        """Replace the choice of facets by the facets, and check the scale."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        own_facets, choice = values.pop("own_facets", ""), values.get("facets")
        try:
            if choice:
                values["facets"] = CHOICES.get(choice) or parse_facets(own_facets, "The facets")
        except FacetError as error:
            self.add_error("own_facets", str(error))
        try:
            if "highest_grade" in values and "relevant_from" in values:
                scale = scale_of(values["highest_grade"], values["relevant_from"])
                values["relevant_from"] = scale.relevant_from
        except CorpusError as error:
            self.add_error("relevant_from", str(error))
        return values


class NewCollectionForm(FacetsForm, _CollectionForm):
    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        help_text="Used in URLs and file names, such as linguistics-2026. It cannot change.",
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
        error_messages={"invalid": "Use lower-case letters, digits and hyphens only, no spaces."},
    )
    field_order = [
        "name",
        "slug",
        "description",
        "licence",
        "other_licence",
        *FacetsForm.base_fields,
    ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("initial", self.initial_of(DEFAULT_FACETS, 3, None))
        super().__init__(*args, **kwargs)

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

    analysis = forms.ChoiceField(
        label="Words of BM25 and TF-IDF",
        required=False,
        choices=lambda: [("", "Choose by the language of the documents"), *analysis_choices()],
        help_text="How the usual retrievers compare words. Runs that exist stay as they are.",
    )

    def __init__(self, *args: Any, seed_is_fixed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if seed_is_fixed:
            seed = self.fields["seed"]
            seed.disabled = True  # a forged value is ignored, the stored one kept
            seed.help_text = "Pools were built with this seed, so it cannot change."
