from django.contrib.auth.decorators import login_not_required
from django.urls import path
from django.views.generic import TemplateView

from release import public_views, views

ROBOTS = TemplateView.as_view(template_name="release/robots.txt", content_type="text/plain")

urlpatterns = [
    path("c/<slug:slug>/release/", views.release, name="release"),
    path("c/<slug:slug>/release/draft.zip", views.export, name="export"),
    path("c/<slug:slug>/release/<str:version>/", views.version, name="version"),
    path("c/<slug:slug>/release/<str:version>/changes/", views.version_changes, name="version-changes"),
    path("c/<slug:slug>/release/<str:version>/download/", views.release_file, name="release-file"),
    path("c/<slug:slug>/release/<str:version>/public/", views.release_public, name="release-public"),
    path("c/<slug:slug>/datasheet/", views.datasheet_page, name="datasheet"),
    path("r/<slug:slug>/", public_views.public_releases, name="public-releases"),
    path("r/<slug:slug>/<str:version>/", public_views.public_version, name="public-version"),
    path("r/<slug:slug>/<str:version>.zip", public_views.public_file, name="public-file"),
    path("robots.txt", login_not_required(ROBOTS), name="robots"),
]
