"""The forms that ask a model, and that change the limits of one that is asked."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms

from accounts.models import Collection
from evaluation.shadow_judges.asking.addresses import allowed_addresses
from evaluation.shadow_judges.asking.models import DIGITS, PLACES, AskedPairs, Asking, LimitName
from evaluation.shadow_judges.asking.services import (
    HIGHEST_TEMPERATURE,
    LARGEST_SEED,
    LONGEST_ANSWER,
    LONGEST_TIMEOUT,
    MOST_CONCURRENCY,
    MOST_PER_MINUTE,
    MOST_REPETITIONS,
    AskingPlan,
    Limits,
    offered_templates,
)
from evaluation.shadow_judges.forms import name_field
from evaluation.shadow_judges.services import LONGEST_MODEL, LONGEST_TEXT


def _money(label: str, help_text: str) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        help_text=help_text,
        min_value=Decimal(0),
        max_digits=DIGITS,
        decimal_places=PLACES,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


class LimitsForm(forms.Form):
    """The limits, which can be changed while a model is asked."""

    budget = _money("Budget", "No request is sent that could exceed it.")
    requests_per_minute = forms.IntegerField(
        label="Requests per minute", min_value=1, max_value=MOST_PER_MINUTE, initial=60
    )
    concurrency = forms.IntegerField(
        label="Requests at once", min_value=1, max_value=MOST_CONCURRENCY, initial=4
    )
    timeout_seconds = forms.IntegerField(
        label="Longest wait for an answer",
        min_value=1,
        max_value=LONGEST_TIMEOUT,
        initial=120,
        help_text="In seconds. Then the pair is asked again.",
    )

    def limits(self) -> Limits:
        names = Limits.__dataclass_fields__
        return Limits(**{name: self.cleaned_data[name] for name in names})


class AskingForm(LimitsForm):
    name = name_field("Of the shadow judge: letters, digits, “-”, “_” and “.”.")
    address = forms.ChoiceField(
        label="Address", help_text="The operator of this server lists the addresses."
    )
    model = forms.CharField(
        label="Model",
        max_length=LONGEST_MODEL,
        help_text="As the server names it, with its version, for example “gpt-4o-2024-08-06”.",
    )
    template = forms.ChoiceField(label="Prompt", widget=forms.RadioSelect, initial="guideline")
    swaps = forms.BooleanField(
        label="Also ask with the candidate before the query",
        required=False,
        help_text="Shows if the order of the two texts changes the grade. Twice as many requests.",
    )
    repetitions = forms.IntegerField(
        label="Repetitions",
        min_value=1,
        max_value=MOST_REPETITIONS,
        initial=1,
        help_text="More than one shows how far the model agrees with itself. The first one counts.",
    )
    temperature = forms.FloatField(
        label="Temperature",
        required=False,
        min_value=0,
        max_value=HIGHEST_TEMPERATURE,
        initial=0,
        help_text="Leave it empty for models that refuse it.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        min_value=0,
        max_value=LARGEST_SEED,
        initial=1,
        help_text="Each repetition adds one. Leave it empty for servers that refuse it.",
    )
    max_tokens = forms.IntegerField(
        label="Longest answer",
        min_value=1,
        max_value=LONGEST_ANSWER,
        initial=500,
        help_text="In tokens. A model that thinks first needs several thousand.",
    )
    limit_name = forms.ChoiceField(
        label="Parameter for the longest answer",
        choices=LimitName.choices,
        help_text="max_completion_tokens for OpenAI’s later models, max_tokens for most others.",
    )
    facets = forms.MultipleChoiceField(
        label="Facets", widget=forms.CheckboxSelectMultiple, required=False
    )
    pairs = forms.ChoiceField(
        label="Pairs", choices=AskedPairs.choices, widget=forms.RadioSelect, initial=AskedPairs.ALL
    )
    prompt_price = _money("Price of prompts", "For a million tokens. 0 for a server of your own.")
    completion_price = _money("Price of answers", "For a million tokens.")
    currency = forms.RegexField(
        label="Currency",
        regex="^[A-Z]{3}$",
        initial="USD",
        help_text="Three letters, for example USD or EUR.",
        error_messages={"invalid": "Enter three capital letters such as USD."},
    )
    description = forms.CharField(
        label="Description",
        max_length=LONGEST_TEXT,
        required=False,
        help_text="What else a reader must know.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, collection: Collection, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        addresses = [(address.name, address.url) for address in allowed_addresses()]
        self._choices("address", addresses)
        offered = offered_templates(collection)
        self._choices("template", [(each.name, f"{each.title}. {each.about}") for each in offered])
        facets = [] if collection.facets.all()[0].is_whole else list(collection.facets.all())
        self._choices("facets", [(facet.key, facet.name) for facet in facets])
        self.fields["facets"].initial = [facet.key for facet in facets]
        for name in ("prompt_price", "completion_price", "budget"):
            self.fields[name].initial = 0

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def plan(self) -> AskingPlan:
        """Only a valid form has it."""
        values = dict(self.cleaned_data)
        for name in Limits.__dataclass_fields__:
            values.pop(name)
        are_all = set(values["facets"]) in (set(), set(self.fields["facets"].initial))
        values["facets"] = () if are_all else tuple(values["facets"])
        return AskingPlan(**values, limits=self.limits())


def limits_form(asking: Asking) -> LimitsForm:
    """With the limits as they are."""
    names = Limits.__dataclass_fields__
    initial = {name: getattr(asking, name) for name in names}
    return LimitsForm(initial=initial | {"budget": f"{asking.budget.normalize():f}"})
