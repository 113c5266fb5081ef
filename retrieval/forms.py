from __future__ import annotations

from django import forms

from retrieval.given_vectors import COMPARE


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


class VectorsForm(forms.Form):
    vectors = forms.FileField(
        help_text="A .npy file with one row for each id: float16, float32 or float64, saved by numpy.save."
    )
    ids = forms.FileField(
        label="Ids",
        help_text="A text file, one id a line in the order of the rows. A query has its own row, under the query's id, "
        "or that of its paper.",
    )
    name = forms.CharField(max_length=100, help_text="As pools and tables name it, such as specter.")
    compare = forms.ChoiceField(label="Compare by", choices=[(key, label) for key, (label, _) in COMPARE.items()])
