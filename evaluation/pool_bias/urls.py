"""Below `/c/<slug>/evaluation/pool-bias/`."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.pool_bias import views

urlpatterns: list[URLPattern] = [
    path("", views.show_pool_bias, name="pool-bias"),
    path("compute/", views.compute_pool_bias, name="compute-pool-bias"),
    path("figures/<slug:figure>.<slug:extension>", views.pool_bias_figure, name="pool-bias-figure"),
    path("report.json", views.pool_bias_json, name="pool-bias-json"),
]
