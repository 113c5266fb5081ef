"""What no database can store is refused with 400 at every address; HEAD is GET without a body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.urls import get_resolver

from accounts.models import User
from tests.support.api_world import client_of, every_id
from tests.support.crawling import filled, patterns

ROUTES = sorted({route for route, pattern in patterns() if "^" not in route})
PAGES = [route for route in ROUTES if not route.startswith("api/v1/")]
API = [route for route in ROUTES if route.startswith("api/v1/")]
NUL, HALF_PAIR = "a\0b", "\ud800"
BODIES = ({"name": "TEXT"}, {"names": ["good", {"deep": "TEXT"}]}, {"TEXT": 1}, ["TEXT"])


Ids = dict[str, list[object]]


@pytest.fixture
def ids(world) -> Ids:
    """A value for each parameter of the addresses."""
    return {name: ids[:1] for name, ids in every_id(world).items()}


def address_of(route: str, ids: Ids) -> str:
    return next(filled(route, ids))


def with_nul(route: str, ids: Ids) -> Iterator[str]:
    """The route with NUL in each of its parameters in turn, and after its end."""
    for name in re.findall(r"<(?:\w+:)?(\w+)>", route):
        yield from filled(route, {**ids, name: ["a%00b"]})
    yield address_of(route, ids) + "%00"


def browser(username: str) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username=username))
    return client


def test_every_route_is_tried():
    assert len(PAGES) >= 60
    assert len(API) >= 25
    assert get_resolver().urlconf_name == "config.urls"


# Whose address is refused does not depend on the database. That nothing reaches one does.
@pytest.mark.parametrize(
    "person", [pytest.param("stranger", marks=pytest.mark.one_database), "admin"]
)
@pytest.mark.by_day(4)
def test_nul_is_refused_in_the_address_the_parameters_and_the_form_of_a_page(person, ids):
    client = Client() if person == "stranger" else browser(person)
    wrong = []
    for route, query in zip(PAGES, cycle(("?from=%00", "?without=x,%00", "?q=%00")), strict=False):
        address = address_of(route, ids)
        for tried in (*with_nul(route, ids), address + query):
            wrong += unless(400, client.get(tried))
            wrong += unless(400, client.post(tried))
        # The schema of the API and its page read no form.
        for field in ({"note": NUL}, {NUL: "x"}) if not route.startswith("api/") else ():
            wrong += unless(400, client.post(address, field))

    assert wrong == []


def test_the_api_refuses_text_that_cannot_be_stored(ids):
    client = client_of("admin")
    wrong = []
    for route, body in zip(API, cycle(BODIES), strict=False):
        address = address_of(route, ids)
        for tried in (*with_nul(route, ids), f"{address}?page=%00"):
            wrong += unless(400, client.get(tried))
        for text in (NUL, HALF_PAIR):
            sent = json.dumps(body).replace('"TEXT"', json.dumps(text))
            answer = client.post(address, sent, content_type="application/json")
            wrong += unless((400, 404, 405, 415), answer)

    assert wrong == []


def unless(good: int | tuple[int, ...], answer) -> list[str]:
    """What was asked, if the answer's status is another."""
    statuses = good if isinstance(good, tuple) else (good,)
    asked = f"{answer.request['REQUEST_METHOD']} {answer.request['PATH_INFO']!r}"
    return [] if answer.status_code in statuses else [f"{asked}: {answer.status_code}"]


def test_the_api_names_the_field_that_cannot_be_stored(world):
    body = json.dumps({"docno": "p1", "facet": ["m", "x\0"]})

    answer = client_of("admin").post(
        "/api/v1/collections/small/queries/", body, content_type="application/json"
    )

    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert "U+0000" in answer.json()["fields"]["facet"][0]


def test_a_page_says_what_is_wrong_and_where(world):
    page = browser("ann1").get("/c/small/judge/?from=%00")

    assert "The parameter &#x27;from&#x27; contains the character U+0000" in page.text


@pytest.mark.parametrize("charset", ["unicode_escape", "utf-7", "utf-16"])
def test_a_form_in_another_charset_is_refused(charset, world):
    """With some of these, Django would decode half of a surrogate pair."""
    client = browser("admin")
    form = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\\ud800\r\n--x--\r\n'
    kind = f"multipart/form-data; boundary=x; charset={charset}"

    assert client.generic("POST", "/account/", form, kind).status_code == 400
    assert client.generic("GET", "/?q=+2AA-", b"x", kind).status_code == 400


def test_nul_in_a_cookie_or_a_token_is_refused(world):
    cookie = {"Cookie": r'sessionid="abcdefgh\000ijkl"'}
    token = {"Authorization": "Token a\0b"}

    assert Client(raise_request_exception=False).get("/", headers=cookie).status_code == 400
    answer = Client(raise_request_exception=False).get("/api/v1/collections/", headers=token)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


@pytest.mark.one_database
@pytest.mark.by_day(4)
def test_head_is_get_without_a_body(ids):
    found, wrong = 0, []
    addresses = [address_of(route, ids) for route in ROUTES]
    for person in ("admin", "ann1", "adju"):
        client = browser(person)
        not_theirs = []
        for address in addresses:
            head = client.head(address)
            content = b"".join(head.streaming_content) if head.streaming else head.content
            wrong += [f"{address} has a body"] if content else []
            found += head.status_code == 200
            # tests/test_permissions.py opens what answers with 200, which takes long.
            if head.status_code != 200:
                wrong += unless(client.get(address).status_code, head)
            if head.status_code == 404:
                not_theirs.append(address)
        addresses = not_theirs

    assert wrong == []
    assert found >= 30


def test_a_failing_api_answers_in_json(world):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE corpus_document RENAME TO elsewhere")

    answer = client_of("admin").get("/api/v1/collections/small/documents/")

    assert (answer.status_code, answer["Content-Type"]) == (500, "application/json")
    assert answer.json()["code"] == "server_error"
    assert "Check before you send it again" in answer.json()["detail"]


def test_an_address_may_hold_every_other_character(world):
    odd = quote("ä \ufffd \U0001f600 ' \" \\ %")

    assert browser("admin").get(f"/c/small/documents/id/{odd}").status_code == 404
    assert browser("admin").get(f"/c/small/documents/?q={odd}").status_code == 200
