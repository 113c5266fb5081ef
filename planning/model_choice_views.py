"""The page that chooses the models of a pool: its form and its view."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.access import in_collection
from accounts.models import Collection, Role
from planning.model_choice import COUNT, DEPTH, ModelChoice, model_choice, models_of
from pooling.figures import overlap_figure
from web.figure_files import figure_file, shown
from web.figures import Figure


class ModelsForm(forms.Form):
    """The runs to compare and the settings of the comparison; nothing is saved."""

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

    def __init__(self, parameters: QueryDict, collection: Collection) -> None:
        """Filled in from the URL's parameters, with defaults for missing ones."""
        names, self.models = models_of(collection)
        super().__init__(
            {
                "count": parameters.get("count", COUNT),
                "depth": parameters.get("depth", DEPTH),
                "run": parameters.getlist("run") or self.models,
            }
        )
        self.collection = collection
        self.other_runs = [name for name in names if name not in self.models]
        run = self.fields["run"]
        assert isinstance(run, forms.MultipleChoiceField)
        run.choices = [(name, name) for name in names]

    def choice(self) -> ModelChoice:
        """The choice; an invalid field has its default."""
        self.full_clean()
        values = self.cleaned_data
        return model_choice(
            self.collection,
            values.get("run") or self.models,
            values.get("depth", DEPTH),
            values.get("count", COUNT),
        )


@in_collection(Role.ADMIN)
@require_safe
def choose_models(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = ModelsForm(request.GET, collection)
    choice = form.choice()
    unfrozen = collection.query_papers.filter(queries__isnull=False, pool__frozen_at=None)
    plan = [("strategy", "mdcr"), *(("runs", name) for name in choice.models)]
    context = {
        "collection": collection,
        "form": form,
        "choice": choice,
        "plan": urlencode(plan) if choice.models and unfrozen.exists() else "",
        "others": form.other_runs,
        "usual": DEPTH,
        "overlap": shown(
            _figure(choice), "models-figure", collection.slug, request.GET.urlencode()
        ),
    }
    return render(request, "evaluation/choose_models.html", context)


def _figure(choice: ModelChoice) -> Figure:
    title = f"Overlap of runs in the best {choice.depth:,} uncited documents"
    return overlap_figure("overlap", title, choice.matrix)


@in_collection(Role.ADMIN)
@require_safe
def models_figure(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    choice = ModelsForm(request.GET, collection).choice()
    return figure_file([_figure(choice)], figure, extension, collection.slug)
