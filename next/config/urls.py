from importlib.util import find_spec

from django.urls import include, path

APPS = [
    "accounts",
    "jobs",
    "corpus",
    "retrieval",
    "pooling",
    "annotation",
    "adjudication",
    "agreement",
    "release",
    "dashboard",
]

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    *(path("", include(f"{app}.urls")) for app in APPS if find_spec(f"{app}.urls")),
]
