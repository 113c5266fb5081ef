from __future__ import annotations

from django.urls import URLPattern, path

from pooling import views
from pooling.converters import PLAN

urlpatterns: list[URLPattern] = [
    # "pools/" and the pages of pools are in dashboard, because they show judgments too.
    path(f"pools/{PLAN}/", views.plan_pools, name="plan-pools"),
    path(f"pools/{PLAN}/save/", views.save_plan, name="save-plan"),
    path(f"pools/{PLAN}/<int:plan>/delete/", views.delete_plan, name="delete-plan"),
    # "pools/plan/compare/" is in evaluation, because that page shows final labels too.
    # The next paths are not below "pools/", because any docno may follow there.
    path("build-pools/", views.build_pools, name="build-pools"),
    path("freeze-pools/", views.freeze_pools, name="freeze-pools"),
    path("pool-builds/<int:build>/manifest/", views.manifest, name="pool-manifest"),
    path("pool-figures/<slug:figure>.<slug:extension>", views.pool_figure, name="pool-figure"),
]
