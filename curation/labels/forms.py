"""Forms to label sentences and to train a labeller."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.models import Collection
from corpus.encoder_models import allowed_models
from curation.labels.labellers import BUILT_IN, labeller_names
from curation.labels.prediction import PREDICTED, UNLABELLED
from curation.labels.training import SEED


class PredictionForm(forms.Form):
    labeller = forms.ChoiceField(label="Labeller")
    only = forms.ChoiceField(
        label="Documents",
        choices=[
            (UNLABELLED, "Those without labels"),
            (PREDICTED, "Those with predicted labels that are not checked: predict them again"),
        ],
        initial=UNLABELLED,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "predict_%s", **kwargs})
        labeller = self.fields["labeller"]
        assert isinstance(labeller, forms.ChoiceField)
        labeller.choices = [
            (name, f"{name} (built in)" if name == BUILT_IN else name)
            for name in labeller_names(collection)
        ]


class TrainingForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=60,
        help_text="Such as own. A labeller of the same name is replaced.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
    )
    seed = forms.CharField(
        label="Seed",
        max_length=64,
        required=False,
        help_text="It decides which documents are held out for the score. The same seed gives the "
        "same labeller.",
        widget=forms.TextInput(attrs={"class": "mono", "placeholder": SEED}),
    )
    encoder = forms.ChoiceField(
        label="Encoder",
        required=False,
        help_text="Its sentence embeddings are used beside words. It makes labelling far slower.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "train_%s", **kwargs})
        encoder = self.fields["encoder"]
        assert isinstance(encoder, forms.ChoiceField)
        models = allowed_models()
        encoder.choices = [("", "None"), *((model, model) for model in models)]
        if not models:
            del self.fields["encoder"]
