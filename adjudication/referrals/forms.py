"""The form that has a pair decided again."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import JUDGES, Collection, User
from adjudication.models import Recipient
from annotation.models import LONGEST_REASON

SHOWN = ("query", "docno", "recipient", "reason")  # what a link may fill in


class ReferralForm(forms.Form):
    query = forms.CharField(
        label="Query",
        max_length=240,
        help_text="Its id as in the qrels.",
        error_messages={"required": "Enter the id of the query."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    docno = forms.CharField(
        label="Document",
        max_length=200,
        help_text="Its id as in the qrels. Two annotators must have judged it for this query.",
        error_messages={"required": "Enter the id of the document."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    recipient = forms.ChoiceField(
        label="Decided again by",
        choices=[
            (
                Recipient.ADJUDICATOR.value,
                "The adjudicator, who sees both judgments and decides, even if they are equal",
            ),
            (
                Recipient.JUDGES.value,
                "Two blind judges; earlier judgments no longer count",
            ),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose who decides the pair again."},
    )
    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        help_text="For example: “A reader reported a wrong grade (report 1.0-3).” The changelog of "
        "the next version publishes it, and the adjudicator reads it. Judges never see it.",
        error_messages={"required": "Enter why the pair is decided again."},
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = User.objects.filter(
            is_active=True,
            memberships__collection=collection,
            memberships__role__in=JUDGES,
        )
        for number in (1, 2):
            self.fields[f"annotator_{number}"] = forms.ModelChoiceField(
                people.order_by("username"),
                label=f"Judge in slot {number}",
                required=False,
                empty_label="The current judge of this query",
                help_text="Only for two judges. Another person takes over all unjudged pairs of "
                "this slot."
                if number == 1
                else "",
            )

    @property
    def request(self) -> dict[str, Any]:
        """The arguments of the service."""
        values = {name: self.cleaned_data[name] for name in SHOWN}
        people = {number: self.cleaned_data[f"annotator_{number}"] for number in (1, 2)}
        return {
            **values,
            "annotators": {number: person for number, person in people.items() if person},
        }
