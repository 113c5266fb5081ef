"""A view and a job that fail with texts that must not be in a log or a report."""

from __future__ import annotations

from typing import NoReturn

from django.db import transaction
from django.http import HttpRequest
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from accounts.models import User
from config import urls
from jobs import registry
from jobs.lease import Lease

ABSTRACT = "A planted abstract on xenoglyphic parsing"
PASSWORD = "planted-password"
EMAIL = "planted@example.org"
KIND = "tests.failing"


class PlantedError(Exception):
    pass


@csrf_exempt
def failing_view(request: HttpRequest, word: str) -> NoReturn:
    secret = f"{ABSTRACT} {word}"
    try:
        with transaction.atomic():
            User.objects.create(username=request.POST["username"], email=EMAIL)
    except Exception as error:
        raise PlantedError(secret) from error
    raise PlantedError(secret)


@registry.handles(KIND, title="Fail with a secret", page="jobs")
def fail(lease: Lease) -> NoReturn:
    secret = lease.parameters["secret"]
    raise PlantedError(secret)


urlpatterns = [
    path("planted/<str:word>/", failing_view, name="planted"),
    *urls.urlpatterns,
]
handler400, handler500 = urls.handler400, urls.handler500
