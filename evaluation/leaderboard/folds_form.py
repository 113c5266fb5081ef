"""The form that changes the folds of a collection, on the leaderboard."""

from __future__ import annotations

from django import forms

from accounts.models import Collection
from scoring.folds import MOST
from scoring.services import import_folds, make_folds
from web.errors import UserFacingError
from web.file_fields import SmallFileField

MOST_BYTES = 5 * 1024 * 1024  # of a file; ten thousand queries in ten folds take 2 MB


class FoldsForm(forms.Form):
    """A file of folds, or the number of folds to make."""

    file = SmallFileField(
        largest=MOST_BYTES,
        label="File of published folds",
        required=False,
        widget=forms.FileInput(attrs={"accept": ".json"}),
        help_text="JSON in the form of CSFCube’s evaluation_splits.json.",
    )
    number = forms.IntegerField(
        label="Or number of folds to make",
        required=False,
        min_value=0,
        max_value=MOST,
        help_text="They are made from the seed of the collection. Enter 0 for no folds.",
    )

    def clean(self) -> None:
        super().clean()
        file, number = self.cleaned_data.get("file"), self.cleaned_data.get("number")
        if not self.errors and (file is None) == (number is None):
            self.add_error("number", "Choose a file, or enter a number from 0 to 20.")

    def save(self, collection: Collection) -> bool:
        """Change the folds. Returns whether they are changed: a refusal is shown at its field."""
        file, number = self.cleaned_data["file"], self.cleaned_data["number"]
        try:
            if file is None:
                make_folds(collection=collection, number=number)
            else:
                import_folds(collection=collection, content=file.read(), filename=file.name)
        except UserFacingError as error:
            self.add_error("number" if file is None else "file", str(error))
        return not self.errors
