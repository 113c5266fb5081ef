"""The form of a collection's facets, a row for each, and of its scale with the names of grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.forms.utils import ErrorDict

from accounts.models import HIGHEST_GRADE, Collection
from annotation.guidelines.collection_setup import default_grade_names
from annotation.guidelines.forms import LONGEST_GRADE_NAME
from corpus.facets import (
    CHOICES,
    KEY,
    LONGEST_LABEL,
    LONGEST_NAME,
    MOST_FACETS,
    FacetPlan,
    facet_problems,
    is_label,
    labels_line,
    labels_of,
)
from corpus.services import CorpusError, scale_of
from curation.labels.labellers import BUILT_IN_LABELS

OWN = "own"
REDRAW = "redraw"  # the button or request that asks for the form again, as it is filled in
EMPTY_ROWS = 2


class OwnFacetForm(forms.Form):
    """A facet of your own. A row without any text is ignored."""

    key = forms.CharField(
        required=False,
        widget=forms.TextInput(
            attrs={
                "class": "mono",
                "autocapitalize": "none",
                "autocomplete": "off",
                "spellcheck": "false",
            }
        ),
    )
    name = forms.CharField(required=False, max_length=LONGEST_NAME)
    labels = forms.CharField(required=False, max_length=2_000)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        number: int,
        initial: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(data, prefix=f"facet-{number}", initial={**(initial or {})})
        for name, field in self.fields.items():
            field.widget.attrs["aria-label"] = f"{name.capitalize()} of facet {number + 1}"

    @property
    def is_blank(self) -> bool:
        return not any(str(self[name].value() or "").strip() for name in self.fields)

    @property
    def predicted_labels(self) -> list[str]:
        """Its labels that the built-in labeller predicts. Without labels, the key is its label."""
        labels = labels_of(str(self["labels"].value() or "")) or (str(self["key"].value()),)
        return [label for label in labels if label in BUILT_IN_LABELS]

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if not key:
            raise forms.ValidationError("Give the facet a key, such as “purpose”.")
        if not KEY.fullmatch(key):
            raise forms.ValidationError(
                f"“{key[:40]}” is not a key. Use at most 30 lower-case letters, digits and "
                "hyphens, such as “purpose”."
            )
        return key

    def clean_labels(self) -> tuple[str, ...]:
        labels = labels_of(self.cleaned_data["labels"])
        if invalid := [label for label in labels if not is_label(label)]:
            raise forms.ValidationError(
                f"“{invalid[0][:80]}” is not a label. A label has at most {LONGEST_LABEL} "
                "characters. Separate labels by commas."
            )
        return labels

    @property
    def plan(self) -> FacetPlan:
        """The facet, with its key for a name or label that is not given; only if it is valid."""
        values = self.cleaned_data
        key = values["key"]
        return FacetPlan(key, values["name"] or key.capitalize(), values["labels"] or (key,))


class GradeRow(NamedTuple):
    """A grade, its name if none is given, and the field for its name."""

    grade: int
    default_name: str
    field: forms.BoundField


class FacetsForm(forms.Form):
    """The facets that a collection is judged on, and the scale."""

    facets = forms.ChoiceField(
        label="What is compared",
        choices=[
            ("none", "No facets: judges decide how relevant a document is to a topic"),
            ("csfcube", "CSFCube’s facets: background, method and result"),
            (OWN, "Facets of your own"),
        ],
        widget=forms.RadioSelect,
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

    def __init__(self, *args: Any, collection: Collection | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.collection = collection
        self.is_redrawn = REDRAW in self.data
        for grade in range(HIGHEST_GRADE + 1):
            label = f"Name of grade {grade}"
            self.fields[_name_of(grade)] = forms.CharField(
                required=False,
                max_length=LONGEST_GRADE_NAME,
                widget=forms.TextInput(attrs={"aria-label": label, "autocomplete": "off"}),
            )
        # Not bound: rows are checked only when the form is submitted with facets of your own.
        self.rows = [
            OwnFacetForm(number=number, initial=values)
            for number, values in enumerate(self._rows())
        ]
        if self.data.get(REDRAW) == "facet":
            self.rows[-1].fields["key"].widget.attrs["autofocus"] = True

    def _rows(self) -> list[dict[str, str]]:
        """The values of each row, as submitted or as they are, and empty rows after them."""
        if not self.is_bound:
            rows: list[dict[str, str]] = self.initial.get("rows", [])
            return [*rows, *([{}] * (1 if rows else EMPTY_ROWS))][:MOST_FACETS]
        submitted = [n for n in range(MOST_FACETS) if f"facet-{n}-key" in self.data]
        rows = [
            {name: self.data.get(f"facet-{number}-{name}", "") for name in OwnFacetForm.base_fields}
            for number in range(max(submitted, default=-1) + 1)
        ]
        return [*rows, {}][:MOST_FACETS] if self.data.get(REDRAW) == "facet" or not rows else rows

    @property
    def can_add_row(self) -> bool:
        return len(self.rows) < MOST_FACETS

    @staticmethod
    def initial_of(
        facets: Sequence[FacetPlan], highest_grade: int, relevant_from: int | None
    ) -> dict[str, object]:
        """The values that show these facets and this scale."""
        named = {plans: word for word, plans in CHOICES.items()}
        choice = named.get(tuple(facets), OWN)
        own_facets = facets if choice == OWN else ()
        return {
            "facets": choice,
            "rows": [
                {"key": plan.key, "name": plan.name, "labels": labels_line(plan.labels)}
                for plan in own_facets
            ],
            "highest_grade": highest_grade,
            "relevant_from": relevant_from,
        }

    @property
    def grades(self) -> list[GradeRow]:
        """The grades of the chosen scale, and those above it that were given a name."""
        names = default_grade_names(self._chosen_facets(), self._chosen_scale(), self.collection)
        fields = [self[_name_of(grade)] for grade in range(HIGHEST_GRADE + 1)]
        return [
            GradeRow(grade, names[grade] if grade < len(names) else "", field)
            for grade, field in enumerate(fields)
            if grade < len(names) or field.errors
        ]

    def _chosen_facets(self) -> Sequence[FacetPlan]:
        typed = [str(row["key"].value() or "") for row in self.rows if not row.is_blank]
        own_facets = [FacetPlan(key, key, ()) for key in typed if key]
        choice = str(self["facets"].value())
        return CHOICES.get(choice) or own_facets or [FacetPlan("facet", "Facet", ())]

    def _chosen_scale(self) -> int:
        chosen = str(self["highest_grade"].value())
        scales = {str(highest): highest for highest in range(1, HIGHEST_GRADE + 1)}
        return scales.get(chosen, HIGHEST_GRADE)

    def full_clean(self) -> None:
        if self.is_redrawn:  # not submitted yet, so nothing is wrong yet
            self._errors, self.cleaned_data = ErrorDict(), {}
        else:
            super().full_clean()

    def is_valid(self) -> bool:
        return not self.is_redrawn and super().is_valid()

    def clean(self) -> None:
        """Replace the choice of facets by the facets; check the scale and the names of grades."""
        super().clean()
        values = self.cleaned_data
        if choice := values.get("facets"):
            values["facets"] = CHOICES.get(choice) or self._own_facets()
        try:
            if "highest_grade" in values and "relevant_from" in values:
                scale = scale_of(values["highest_grade"], values["relevant_from"])
                values["relevant_from"] = scale.relevant_from
        except CorpusError as error:
            self.add_error("relevant_from", str(error))
        values["grade_names"] = self._grade_names()

    def _own_facets(self) -> tuple[FacetPlan, ...]:
        self.rows = [
            row if row.is_blank else OwnFacetForm(self.data, number=number)
            for number, row in enumerate(self.rows)
        ]
        rows = [row for row in self.rows if row.is_bound]
        if not rows:
            self.add_error(None, "Describe at least one facet of your own, or choose another kind.")
            return ()
        are_valid = [row.is_valid() for row in rows]  # all of them, so that all errors show at once
        if all(are_valid):
            plans = tuple(row.plan for row in rows)
            for place, field, message in facet_problems(plans):
                rows[place].add_error(field, message[0].upper() + message[1:])
            if not any(row.errors for row in rows):
                return plans
        self.add_error(None, "The facets have errors. Each is explained in its row.")
        return ()

    def _grade_names(self) -> list[str]:
        values = self.cleaned_data
        names = [values.pop(_name_of(grade), "") for grade in range(HIGHEST_GRADE + 1)]
        highest = values.get("highest_grade", HIGHEST_GRADE)
        for grade, name in enumerate(names):
            if name and grade > highest:
                self.add_error(
                    _name_of(grade),
                    f"Grade {grade} is not on the scale 0 to {highest}. Remove its name, or choose "
                    "a longer scale.",
                )
            elif name and name in names[:grade]:
                self.add_error(
                    _name_of(grade), f"Grade {names.index(name)} has this name too. Use another."
                )
        return names[: highest + 1]


def _name_of(grade: int) -> str:
    return f"grade_{grade}"
