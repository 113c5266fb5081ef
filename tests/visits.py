"""A person's visits to pages, without a browser."""

from __future__ import annotations

from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User


def client_of(username: str) -> Client:
    """Logged in as this person."""
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def address(name: str, *arguments: object, slug: str = "small") -> str:
    return reverse(name, args=[slug, *arguments])


def said(page: HttpResponse) -> str:
    """The page in one line, with single spaces."""
    return " ".join(page.text.split())


def queries_of(client: Client, url: str) -> int:
    """How many database queries the page takes when it is asked for again."""
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        client.get(url)
    return len(captured)
