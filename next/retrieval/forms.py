from __future__ import annotations

from django import forms


class RunFileForm(forms.Form):
    file = forms.FileField(
        label="Run file",
        help_text="TREC form, plain or gz: topic Q0 document rank score tag. A topic is a query's id, or the id of a "
        "query paper.",
    )
    name = forms.CharField(max_length=100, help_text="As pools and tables name it, such as specter.")
    match_leading_zeros = forms.BooleanField(
        required=False, help_text="Take topic 51 for the query 051, and the reverse."
    )
