"""All addresses of the API. It is for scripts: docs/api.md."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from api import judging, views

router = SimpleRouter(use_regex_path=False)
router.register("collections", views.CollectionViewSet, "api-collections")
for name, viewset in {
    "members": views.MemberViewSet,
    "guideline": judging.GuidelineViewSet,
    "documents": views.DocumentViewSet,
    "queries": views.QueryViewSet,
    "runs": views.RunViewSet,
    "pool-sets": views.PoolSetViewSet,
    "openings": views.OpeningViewSet,
    "judging": judging.JudgingViewSet,
    "cases": judging.CaseViewSet,
    "labels": views.LabelViewSet,
    "agreement": views.AgreementViewSet,
    "scores": views.ScoreViewSet,
    "releases": views.ReleaseViewSet,
    "jobs": views.JobViewSet,
}.items():
    router.register(f"collections/<slug:slug>/{name}", viewset, f"api-{name}")

urlpatterns = [path("schema/", SpectacularAPIView.as_view(), name="api-schema"), *router.urls]
