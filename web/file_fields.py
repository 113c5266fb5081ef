"""Form fields for several files and for a small one, and the refusal of an upload."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat

from web.disk import NoRoom
from web.errors import UserFacingError


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """A field for one or several files. The cleaned value is a list of them."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list | tuple) else [data]
        if len(files) < 2:
            return [super().clean(files[0] if files else None, initial)]
        return [self._named(file, initial) for file in files]

    def _named(self, file: UploadedFile[Any], initial: Any) -> Any:
        try:
            return super().clean(file, initial)
        except forms.ValidationError as error:
            raise forms.ValidationError(f"{file.name}: {error.messages[0]}") from error


class SmallFileField(forms.FileField):
    """A field for a file of at most `largest` bytes, which is below the server's limit."""

    def __init__(self, *, largest: int, **options: Any) -> None:
        super().__init__(**options)
        self.largest = largest

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file and file.size > self.largest:
            raise forms.ValidationError(
                f"{file.name} is larger than {filesizeformat(self.largest)}. Choose a smaller file."
            )
        return file


def refuse_upload(form: forms.Form, field: str | None, error: UserFacingError) -> int:
    """Show the error at the field. Returns the status of the answer."""
    form.add_error(field, str(error))
    return error.status if isinstance(error, NoRoom) else 422
