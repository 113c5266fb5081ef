"""A person's visits to pages, without a browser."""

from __future__ import annotations

import csv
import re

from django.db import connection
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User


def client_of(username: str) -> Client:
    """Logged in as this person."""
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def csv_rows(answer: StreamingHttpResponse) -> list[dict[str, str]]:
    """The rows of a downloaded table."""
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(text.splitlines()))


def address(name: str, *arguments: object, slug: str = "small") -> str:
    return reverse(name, args=[slug, *arguments])


def text_of(page: HttpResponse) -> str:
    """The page in one line, with single spaces."""
    return " ".join(page.text.split())


def markup(html: str) -> str:
    """The HTML without the line breaks and indents of its templates, so that it can be matched."""
    line = " ".join(html.split()).replace("> <", "><")
    line = re.sub(r" (?=>|</)", "", line)
    return re.sub(r"(<[a-z][^>]*>) ", r"\1", line)


def queries_of(client: Client, url: str) -> int:
    """How many database queries the page takes when it is asked for again."""
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        client.get(url)
    return len(captured)
