"""The form of how the pairs of a collection are judged."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.judging_rules import HIGHEST_REPEAT_SHARE, PROPOSALS, JudgingRules

PERCENT = 100


def _percent(label: str, most: float, help_text: str) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        min_value=0,
        max_value=most * PERCENT,
        help_text=help_text,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


def _rho(label: str, help_text: str) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        required=False,
        min_value=-1,
        max_value=1,
        help_text=help_text,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


class JudgingForm(forms.Form):
    """The fields have the names of the columns. Shares are percentages here."""

    qualifying_rho = _rho(
        "Least Spearman ρ to judge",
        "An annotator who reaches it in a training set may judge, for example 0.5. Leave it empty "
        "if no training is needed.",
    )
    senior_rho = _rho(
        "Least Spearman ρ to adjudicate",
        "Only an adjudicator who reaches it is offered cases, for example 0.7. Leave it empty if "
        "every adjudicator is.",
    )
    marks_aspects = forms.BooleanField(
        label="Ask judges what a match is about",
        required=False,
        help_text="With a grade above 0, a judge can mark sentences of the query.",
    )
    proposes_grades = forms.ChoiceField(
        label="Propose a grade from the shared steps",
        choices=PROPOSALS,
        required=False,
        help_text="Of queries of the facet method whose aspects are named as steps. A judge marks "
        "the steps that a candidate shares, and is told after grading which grade they suggest. It "
        "applies to queries opened from then on.",
    )
    repeat_share = _percent(
        "Hidden repeats (% of pairs)",
        HIGHEST_REPEAT_SHARE,
        "So many pairs of each judge come a second time, to measure self-consistency. They are "
        "never counted. For example 5.",
    )
    grades_blind_first = forms.BooleanField(
        label="The adjudicator grades before seeing the judgments",
        required=False,
        help_text="Then he or she confirms or changes the grade. Both are kept.",
    )
    spot_check_share = _percent(
        "Spot checks (% of agreed pairs)",
        1,
        "So many agreed pairs are graded by the adjudicator, too, to measure false agreement. "
        "Their labels stay. For example 5.",
    )

    @classmethod
    def of(cls, rules: JudgingRules, data: Any = None) -> JudgingForm:
        """The form that shows these rules, or reads the data."""
        shares = {
            name: f"{getattr(rules, name) * PERCENT:g}"
            for name in ("repeat_share", "spot_check_share")
        }
        return cls(data, initial={**rules._asdict(), **shares})

    def rules(self) -> JudgingRules:
        """Only a valid form has them."""
        values = self.cleaned_data
        return JudgingRules(
            **{
                **values,
                "repeat_share": values["repeat_share"] / PERCENT,
                "spot_check_share": values["spot_check_share"] / PERCENT,
            }
        )
