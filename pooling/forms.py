from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from pooling import mdcr
from retrieval.citations import CITED
from retrieval.models import BASELINE
from web.forms import LinesField

STRATEGY_CHOICES = [
    ("interleaved", "Interleaved: each source draws one new document a round, for n rounds"),
    ("sequential", "Sequential: each source draws its n new documents before the next, as in CSFCube"),
    ("depth-k", "Depth k: everything that some source has at rank n or better"),
    ("rrf", "Reciprocal rank fusion: the n documents that rank best over all sources together"),
    (
        "mdcr",
        "MDCR: 5 cited papers; n (10 in MDCR) of each of the 3 runs that overlap least, "
        "of graph neighbours, of the most cited papers of the field, and of all papers",
    ),
]

ADDING_CHOICES = [
    ("depth-k", "Depth k: everything that was never pooled and that some source has at rank n or better"),
    ("rrf", "Reciprocal rank fusion: the n that were never pooled and that most sources want highest"),
]


class BuildForm(forms.Form):
    """The plan of a build, or with `adds` of what is added to frozen pools.

    A line of `depths` is a query and its own n.
    """

    strategy = forms.ChoiceField(choices=STRATEGY_CHOICES, widget=forms.RadioSelect, initial="interleaved")
    n = forms.IntegerField(label="n", min_value=1, max_value=1000)
    sources = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    cited = forms.BooleanField(label="Begin with everything that the query paper cites", required=False, initial=True)
    depths = LinesField(
        label="Other n for some queries",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="A query and its n on each line, such as <code>1198964_method 33</code>.",
    )
    queries = LinesField(
        label="Only these queries",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="One id a line. Leave empty for all that have no frozen pool.",
    )

    def __init__(self, *args: Any, collection: Collection, plan: dict[str, Any], adds: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.adds = adds
        runs = [run.name for run in collection.runs.exclude(kind=BASELINE)]
        self.fields["sources"].choices = [(name, name) for name in runs]  # type: ignore[attr-defined]
        if adds:
            strategy, queries = self.fields["strategy"], self.fields["queries"]
            strategy.choices = ADDING_CHOICES  # type: ignore[attr-defined]
            strategy.initial, queries.help_text = "depth-k", "One id a line. Leave empty for all with frozen pools."
        if adds or not collection.queries.exclude(document=None).exclude(document__cites=[]).exists():
            del self.fields["cited"]
        sources = {"sources": list(plan["overlaps"])} if "overlaps" in plan else {}
        self.initial = {"sources": runs, "n": 20 if adds else 12} | plan | sources
        if plan:
            self.initial["cited"] = CITED in plan["forced"]
            self.initial["depths"] = [f"{query} {n}" for query, n in plan["depths"].items()]

    def clean_depths(self) -> dict[str, int]:
        depths = {}
        for line in self.cleaned_data["depths"]:
            query, _, n = line.rpartition(" ")
            if not query or not n.isdecimal() or len(n) > 4 or not 1 <= int(n) <= 1000:
                raise forms.ValidationError(f"A line is a query and a number from 1 to 1000, got “{line}”.")
            depths[query.strip()] = int(n)
        return depths

    @property
    def plan(self) -> dict[str, Any]:
        """For pooling/building.py."""
        values = {name: self.cleaned_data[name] for name in ("strategy", "n", "sources", "depths", "queries")}
        is_forced = self.cleaned_data.get("cited") and values["strategy"] != mdcr.STRATEGY
        return values | {"forced": [CITED] if is_forced else [], "adds": self.adds}
