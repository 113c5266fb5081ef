"""The page on which the models of a pool are chosen: its form and its view."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from pooling import figures


class ModelsForm(forms.Form):
    """Which runs to compare, and how; nothing of it is kept."""

    count = forms.IntegerField(label="How many to choose", min_value=1, max_value=100)
    depth = forms.IntegerField(
        label="Best uncited documents compared",
        min_value=1,
        max_value=1000,
        help_text="Of every list, without the documents that the query paper cites.",
    )
    run = forms.MultipleChoiceField(
        label="Runs compared", widget=forms.CheckboxSelectMultiple, required=False
    )

    def __init__(self, given: QueryDict, collection: Collection) -> None:
        """Filled in with what the address says, and else with what is usual."""
        names, self.models = figures.models_of(collection)
        super().__init__(
            {
                "count": given.get("count", figures.COUNT),
                "depth": given.get("depth", figures.DEPTH),
                "run": given.getlist("run") or self.models,
            }
        )
        self.collection = collection
        self.others = [name for name in names if name not in self.models]
        run = self.fields["run"]
        assert isinstance(run, forms.MultipleChoiceField)
        run.choices = [(name, name) for name in names]

    def choice(self) -> figures.ModelChoice:
        """What is wrong in the form counts as not said."""
        self.full_clean()
        said = self.cleaned_data
        return figures.model_choice(
            self.collection,
            said.get("run") or self.models,
            said.get("depth", figures.DEPTH),
            said.get("count", figures.COUNT),
        )


@in_collection(Role.ADMIN)
@require_safe
def choose_models(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = ModelsForm(request.GET, collection)
    choice = form.choice()
    left = collection.query_papers.filter(queries__isnull=False, pool__frozen_at=None)
    plan = [("strategy", "mdcr"), *(("runs", name) for name in choice.chosen)]
    context = {
        "collection": collection,
        "form": form,
        "choice": choice,
        "plan": urlencode(plan) if choice.chosen and left.exists() else "",
        "others": form.others,
        "usual": figures.DEPTH,
    }
    return render(request, "pooling/choose_models.html", context)
