"""The forms of the page about pool rounds."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.models import Collection, User
from annotation.team import OLD_SHARE
from annotation.team.plans import eligible_annotators
from evaluation.gaps.measures import report_measures
from evaluation.top_ups.decisive import MEASURE
from evaluation.top_ups.runs import run_names
from evaluation.top_ups.services import TopUp
from pooling.models import RoundChoice
from pooling.rounds.plans import DEFAULT_DEPTH, LONGEST_REASON

DEEPEST = 1_000


class RoundForm(forms.Form):
    """The plan of a round. Fields of other choices are ignored."""

    runs = forms.MultipleChoiceField(label="Runs and systems", widget=forms.CheckboxSelectMultiple)
    choice = forms.ChoiceField(
        label="Documents to add", choices=RoundChoice.choices, widget=forms.RadioSelect
    )
    depth = forms.IntegerField(
        label="Depth k",
        min_value=1,
        max_value=DEEPEST,
        help_text="The last rank that is read of each list.",
    )
    measure = forms.ChoiceField(
        label="Measure of the conclusions",
        required=False,
        help_text="For documents that can change a conclusion.",
    )
    bounds = forms.CharField(
        label="Last rank of each stratum",
        required=False,
        help_text="For a sample, such as 5, 20. The last one is the depth.",
    )
    rates = forms.CharField(
        label="Share of each stratum",
        required=False,
        help_text="For a sample, such as 1, 0.3",
    )
    reason = forms.CharField(
        label="Reason",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Why documents are added. The manifest publishes it; judges never see it.",
    )

    def __init__(self, collection: Collection, data: MultiValueDict[str, Any] | None) -> None:
        initial = {
            "choice": RoundChoice.ALL_UNJUDGED,
            "depth": DEFAULT_DEPTH,
            "measure": MEASURE,
        }
        super().__init__(data, initial=initial, label_suffix="")
        self.fields["runs"].choices = [(name, name) for name in run_names(collection)]  # type: ignore[attr-defined]
        names = [each.name for each in report_measures(collection.relevant_from, DEFAULT_DEPTH)]
        self.fields["measure"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]

    def top_up(self) -> TopUp:
        values = self.cleaned_data
        is_sample = values["choice"] == RoundChoice.SAMPLE
        strata = {name: values[name] for name in ("bounds", "rates") if values[name]}
        return TopUp(
            runs=tuple(sorted(values["runs"])),
            reason=values["reason"],
            choice=values["choice"],
            depth=values["depth"],
            parameters=strata if is_sample else {},
            measure=values["measure"] if values["choice"] == RoundChoice.DECISIVE else "",
        )


class OpeningForm(forms.Form):
    """The people who take over seats, and how many old pairs come among the new ones."""

    substitutes = forms.ModelMultipleChoiceField(
        label="Annotators who may take over a seat",
        queryset=User.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="They replace people who can no longer judge. A person who must qualify first "
        "gets no seat.",
    )
    old_percent = forms.FloatField(
        label="Old pairs among the new ones, in %",
        min_value=0,
        max_value=100,
        initial=100 * OLD_SHARE,
        help_text="They show a drift between rounds, and never count. At least one, unless it is "
        "0 %.",
    )

    def __init__(self, collection: Collection, data: MultiValueDict[str, Any] | None) -> None:
        super().__init__(data, label_suffix="")
        self.fields["substitutes"].queryset = eligible_annotators(collection)  # type: ignore[attr-defined]
