from __future__ import annotations

from django.urls import URLPattern, path

from curation.samples import views as sample_views

# The pages of a sample are below `named/`, so that a sample can have any name. The page of a sample
# itself reports agreement, so it is in the room of agreement.
urlpatterns: list[URLPattern] = [
    path("", sample_views.samples, name="samples"),
    path("draw/", sample_views.draw, name="draw-sample"),
    path("types/", sample_views.paper_types, name="paper-types"),
    path("named/<slug:sample>/delete/", sample_views.delete, name="delete-sample"),
]
