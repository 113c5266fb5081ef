from django.urls import include, path

APPS = (
    *("accounts", "jobs", "corpus", "retrieval", "pooling", "annotation", "adjudication"),
    *("agreement", "evaluation", "release", "dashboard"),
)

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("api/", include("api.urls")),
    *(path("", include(f"{app}.urls")) for app in APPS),
]
handler404 = "web.errors.not_found"
