from __future__ import annotations

from django.urls import URLPattern, path

from curation.screening import views as screening_views

urlpatterns: list[URLPattern] = [
    path("", screening_views.screen, name="screen"),
    path("<slug:sample>/", screening_views.screen_sample, name="screen-sample"),
    path("<slug:sample>/mine/", screening_views.screen_mine, name="screen-mine"),
    path("<slug:sample>/<int:position>/", screening_views.screen_paper, name="screen-paper"),
]
