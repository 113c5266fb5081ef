from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from curation import check_views, document_views

urlpatterns: list[URLPattern | URLResolver] = [
    path("documents/", document_views.documents, name="documents"),
    path("documents/label/<path:docno>", check_views.label_sentences, name="label-sentences"),
    path("labels/", include("curation.label_urls")),
    path("check-labels/", include("curation.check_urls")),
    path("samples/", include("curation.sample_urls")),
    path("screening/", include("curation.screening_urls")),
    path("choice/", include("curation.choice_urls")),
]
