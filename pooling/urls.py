from __future__ import annotations

from django.urls import URLPattern, path, register_converter
from django.urls.converters import PathConverter

from pooling import views

PLAN = "plan"


class PoolDocno(PathConverter):
    """Any docno, with a colon before one that would be the address of the plan."""

    def to_python(self, value: str) -> str:
        return value.removeprefix(":")

    def to_url(self, value: str) -> str:
        return f":{value}" if value == PLAN or value.startswith(":") else value


register_converter(PoolDocno, "pool_docno")

urlpatterns: list[URLPattern] = [
    # "pools/" is in dashboard, because that page shows judgments too.
    path(f"pools/{PLAN}/", views.plan_pools, name="plan-pools"),
    # The next paths are not below "pools/", because any docno may follow there.
    path("build-pools/", views.build_pools, name="build-pools"),
    path("freeze-pools/", views.freeze_pools, name="freeze-pools"),
    path("pool-builds/<int:build>/manifest/", views.manifest, name="pool-manifest"),
    path("pool-figures/<slug:figure>.<slug:extension>", views.pool_figure, name="pool-figure"),
    path("pools/<pool_docno:docno>/", views.pool, name="pool"),
]
