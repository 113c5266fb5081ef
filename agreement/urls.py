"""Below `/c/<slug>/agreement/`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from agreement import views
from agreement.aspects.views import split

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.agreement, name="agreement"),
    path("compute/", views.compute_agreement, name="compute-agreement"),
    path("rule/", views.change_agreement_rule, name="change-agreement-rule"),
    path("split/<path:name>", split, name="split-query"),
    path("alignment/", include("agreement.alignment.urls")),
    path("consistency/", include("agreement.consistency.urls")),
    path("figures/<slug:figure>.<slug:extension>", views.agreement_figure, name="agreement-figure"),
    path("<slug:missing>.csv", views.agreement_csv, name="agreement-csv"),
    path("<slug:missing>.json", views.agreement_json, name="agreement-json"),
]
