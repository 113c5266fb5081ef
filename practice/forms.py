"""The form that starts a pilot round."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection, User
from annotation.team.plans import eligible_annotators
from corpus.forms import QueryIdsField
from practice.pilots import FEWEST_PEOPLE, MOST_PER_QUERY, MOST_QUERIES, PER_QUERY, QUERIES
from practice.services import MOST_MEMBERS


class MembersField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.shown_name)


class PilotForm(forms.Form):
    annotators = MembersField(
        label="Annotators",
        queryset=User.objects.none(),
        help_text="All of them judge every pair of the round.",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least two annotators."},
    )
    queries = forms.IntegerField(
        label="Queries",
        min_value=1,
        max_value=MOST_QUERIES,
        initial=QUERIES,
        help_text="Of as few query papers as possible, none of them from an earlier round.",
    )
    per_query = forms.IntegerField(
        label="Candidates of each query",
        min_value=1,
        max_value=MOST_PER_QUERY,
        initial=PER_QUERY,
        help_text="Spread over the whole pool, so that good and bad candidates occur.",
    )
    named = QueryIdsField(
        help_text="Empty: queries are chosen at random. Otherwise these queries are taken, one id "
        "a line.",
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        field = self.fields["annotators"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = eligible_annotators(collection)
        if collection.facets.filter(key="").exists():
            self.fields["queries"].help_text = "None of them from an earlier round."

    def clean_annotators(self) -> list[User]:
        people = list(self.cleaned_data["annotators"])
        if not FEWEST_PEOPLE <= len(people) <= MOST_MEMBERS:
            raise forms.ValidationError(
                f"Choose {FEWEST_PEOPLE} to {MOST_MEMBERS} annotators, not {len(people)}."
            )
        return people
