"""The form that makes a full-text study."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import SEE_GRADES, Collection, Role, User
from corpus.forms import QueryIdsField
from studies.services import (
    MOST_NAME,
    MOST_PER_QUERY,
    MOST_QUERIES,
    PER_QUERY,
    QUERIES,
)


def eligible_raters(collection: Collection) -> Any:
    """Annotators without another role here, who never saw the grades of others."""
    members = collection.memberships.all()
    return (
        User.objects.filter(
            is_active=True, pk__in=members.filter(role=Role.ANNOTATOR).values("user")
        )
        .exclude(pk__in=members.exclude(role=Role.ANNOTATOR).values("user"))
        .exclude(pk__in=collection.given_roles.filter(role__in=SEE_GRADES).values("user"))
        .order_by("username")
    )


class RaterField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.shown_name)


class StudyForm(forms.Form):
    name = forms.RegexField(
        label="Name",
        regex=r"^[a-z0-9][a-z0-9-]*$",
        max_length=MOST_NAME,
        initial="study-1",
        help_text="Lower-case letters, digits and hyphens, such as study-1. The rater sees it. "
        "Another name makes another choice of pairs.",
        error_messages={"invalid": "Use lower-case letters, digits and hyphens only."},
    )
    rater = RaterField(
        label="Rater",
        queryset=User.objects.none(),
        empty_label=None,
        help_text="An annotator, who may have judged the pairs from their abstracts.",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the rater."},
    )
    queries = forms.IntegerField(
        label="Queries",
        min_value=1,
        max_value=MOST_QUERIES,
        initial=QUERIES,
        help_text="Spread over facets and paper types.",
    )
    per_query = forms.IntegerField(
        label="Candidates of each query",
        min_value=1,
        max_value=MOST_PER_QUERY,
        initial=PER_QUERY,
        help_text="Spread over the grades of the final labels.",
    )
    named = QueryIdsField(
        help_text="Empty: a spread of all queries. Otherwise these queries are taken, one id a "
        "line.",
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if collection.facets.filter(key="").exists():
            self.fields["queries"].help_text = "Spread over paper types."
        rater = self.fields["rater"]
        assert isinstance(rater, forms.ModelChoiceField)
        rater.queryset = eligible_raters(collection)
