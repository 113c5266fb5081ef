from __future__ import annotations

from django.urls import URLPattern, path, register_converter
from django.urls.converters import PathConverter

from pooling import views

PLAN = "plan"


class PoolDocno(PathConverter):
    """Any docno, with a colon before one that could be the address of a page about plans."""

    def to_python(self, value: str) -> str:
        return value.removeprefix(":")

    def to_url(self, value: str) -> str:
        is_address = value.split("/")[0] == PLAN or value.startswith(":")
        return f":{value}" if is_address else value


register_converter(PoolDocno, "pool_docno")

urlpatterns: list[URLPattern] = [
    # "pools/" is in dashboard, because that page shows judgments too.
    path(f"pools/{PLAN}/", views.plan_pools, name="plan-pools"),
    path(f"pools/{PLAN}/save/", views.save_plan, name="save-plan"),
    path(f"pools/{PLAN}/<int:plan>/delete/", views.delete_plan, name="delete-plan"),
    # "pools/plan/compare/" is in evaluation, because that page shows final labels too.
    # The next paths are not below "pools/", because any docno may follow there.
    path("build-pools/", views.build_pools, name="build-pools"),
    path("freeze-pools/", views.freeze_pools, name="freeze-pools"),
    path("pool-builds/<int:build>/manifest/", views.manifest, name="pool-manifest"),
    path("pool-figures/<slug:figure>.<slug:extension>", views.pool_figure, name="pool-figure"),
    path("pools/<pool_docno:docno>/", views.pool, name="pool"),
]
