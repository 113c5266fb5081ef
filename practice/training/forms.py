"""The forms that make training sets."""

from __future__ import annotations

from typing import Any

from django import forms

from practice.services import MOST_PAIRS
from practice.training.files import MOST_BYTES
from practice.training.gold import FEWEST_PAIRS, MOST_QUERIES, PAIRS
from web.file_fields import SmallFileField


class LabelsForm(forms.Form):
    """Queries whose final labels become gold, and the number of pairs."""

    queries = forms.CharField(
        label="Queries",
        help_text="Their ids, one in each line. Take few, and of few papers: who trains with a "
        "query never judges a query of its paper.",
        error_messages={"required": "Enter the id of at least one query."},
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
    pairs = forms.IntegerField(
        label="Pairs",
        min_value=FEWEST_PAIRS,
        max_value=MOST_PAIRS,
        initial=PAIRS,
        help_text="As equally many of each grade as there are.",
    )

    def clean_queries(self) -> list[str]:
        names = [line.strip() for line in self.cleaned_data["queries"].splitlines()]
        found = list(dict.fromkeys(name for name in names if name))
        if len(found) > MOST_QUERIES:
            raise forms.ValidationError(f"Enter at most {MOST_QUERIES} queries.")
        return found


class GoldFileForm(forms.Form):
    """A file with the gold of each pair."""

    file = SmallFileField(
        largest=MOST_BYTES,
        label="File",
        widget=forms.FileInput(attrs={"accept": ".csv,.jsonl"}),
        help_text="CSV or JSON Lines with the fields query, docno, grade and explanation.",
        error_messages={"required": "Choose a file."},
    )


def add_refusal(form: forms.Form, error: Any) -> None:
    """Show the error at its field, if the form has it."""
    field = getattr(error, "field", "")
    form.add_error(field if field in form.fields else None, str(error))
