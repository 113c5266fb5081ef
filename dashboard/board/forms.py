"""The admin's forms that open queries, reassign seats and exclude people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.db.models import Case, QuerySet, When
from django.http import QueryDict

from accounts.models import Collection, User
from annotation.models import LONGEST_REASON
from annotation.qualifications.standing import adjudicating_seniors
from annotation.team.plans import eligible_annotators
from corpus.models import Query

SEATS = 2  # of a query


class PersonField(forms.ModelChoiceField):  # type: ignore[type-arg]
    seniors: frozenset[int] = frozenset()

    def label_from_instance(self, obj: Any) -> str:
        return f"{_label(obj)}, senior" if obj.pk in self.seniors else _label(obj)


class SeniorReasonField(forms.CharField):
    """The reason why a senior judges. The service asks for it where it is needed."""

    def __init__(self) -> None:
        super().__init__(
            label="Why a senior judges",
            required=False,
            max_length=LONGEST_REASON,
            help_text="Only if you choose a senior. Seniors adjudicate here, so juniors judge. "
            "The reason is kept.",
        )


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Annotators to tick."""

    widget = forms.CheckboxSelectMultiple
    seniors: frozenset[int] = frozenset()

    def label_from_instance(self, obj: Any) -> str:
        return f"{_label(obj)}, senior" if obj.pk in self.seniors else _label(obj)


class OpenForm(forms.Form):
    """The queries to open, and their annotators."""

    queries = forms.ModelMultipleChoiceField(
        queryset=Query.objects.none(),
        to_field_name="name",
        required=False,
        error_messages={
            "invalid_choice": "%(value)s is open already or cannot be opened. "
            "Reload the page to see its state.",
        },
    )
    everything = forms.BooleanField(required=False)
    unchecked_labels = forms.BooleanField(required=False)
    annotators = PeopleField(
        label="Annotators",
        queryset=User.objects.none(),
        help_text="Each query gets two of them. With more than two, their work is shared evenly.",
        error_messages={"required": "Choose at least two annotators."},
    )

    def __init__(
        self,
        *arguments: Any,
        collection: Collection,
        matches: QuerySet[Query],
        **options: Any,
    ) -> None:
        """`matches` are the ready queries that `everything` stands for."""
        super().__init__(*arguments, **options)
        self.matches = matches
        _offer(self, "queries", collection.queries.filter(opening=None).select_related("facet"))
        _offer(self, "annotators", eligible_annotators(collection))
        _mark_seniors(self, "annotators", collection)

    def clean_annotators(self) -> QuerySet[User]:
        annotators: QuerySet[User] = self.cleaned_data["annotators"]
        if len(annotators) < SEATS:
            raise forms.ValidationError("Every query needs two annotators. Choose another.")
        return annotators

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        if cleaned.get("everything"):
            cleaned["queries"] = self.matches
        if not self.errors and not cleaned.get("queries"):
            self.add_error("queries", "Tick at least one query to open.")

    def ticked(self) -> set[str]:
        """The names of the queries that were ticked, also when the form is wrong."""
        if not self.is_bound:
            return set()
        return set(cast(QueryDict, self.data).getlist("queries"))


class TeamForm(forms.Form):
    """The people who share the unjudged pairs."""

    annotators = PeopleField(
        label="Annotators",
        queryset=User.objects.none(),
        error_messages={"required": "Choose at least one annotator."},
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _offer(self, "annotators", eligible_annotators(collection))


class ExclusionForm(forms.Form):
    """A person, and the query paper whose queries that person may not judge."""

    annotator = PersonField(
        label="Annotator",
        queryset=User.objects.none(),
        empty_label="Choose…",
        error_messages={"required": "Choose the annotator."},
    )
    docno = forms.CharField(
        label="Document or topic of the query",
        max_length=200,
        help_text="Its id, such as 3264891.",
        error_messages={"required": "Enter the id of the document or topic."},
    )

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _offer(self, "annotator", eligible_annotators(collection))


class ReassignForm(forms.Form):
    """The new annotator of a seat."""

    annotator = PersonField(
        label="New annotator",
        queryset=User.objects.none(),
        empty_label="Choose…",
        error_messages={"required": "Choose the new annotator."},
    )

    def __init__(
        self, *arguments: Any, collection: Collection, seated: Iterable[int], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        _offer(self, "annotator", eligible_annotators(collection).exclude(pk__in=list(seated)))
        _mark_seniors(self, "annotator", collection)

    @property
    def has_choice(self) -> bool:
        field = self.fields["annotator"]
        assert isinstance(field, forms.ModelChoiceField)
        return bool(field.queryset is not None and field.queryset.exists())


def _label(user: User) -> str:
    name = user.shown_name
    return name if name == user.username else f"{name} ({user.username})"


def _mark_seniors(form: forms.Form, name: str, collection: Collection) -> None:
    """Put seniors last and mark them, and ask why one of them judges, where seniors adjudicate."""
    seniors = adjudicating_seniors(collection)
    field = form.fields[name]
    assert isinstance(field, PersonField | PeopleField)
    if seniors and field.queryset is not None and field.queryset.filter(pk__in=seniors).exists():
        field.seniors = seniors
        is_senior = Case(When(pk__in=seniors, then=1), default=0)
        field.queryset = field.queryset.order_by(is_senior, "username")
        form.fields["senior_reason"] = SeniorReasonField()


def _offer(form: forms.Form, name: str, rows: Any) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    field.queryset = rows
