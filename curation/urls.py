from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from curation.checking import views as check_views
from curation.labels import document_views

urlpatterns: list[URLPattern | URLResolver] = [
    path("documents/", document_views.documents, name="documents"),
    path("documents/label/<path:docno>", check_views.label_sentences, name="label-sentences"),
    path("labels/", include("curation.labels.urls")),
    path("check-labels/", include("curation.checking.urls")),
    path("samples/", include("curation.samples.urls")),
    path("screening/", include("curation.screening.urls")),
    path("choice/", include("curation.choice.urls")),
]
