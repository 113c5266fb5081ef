"""An unknown key is refused at every address, and changes nothing."""

from __future__ import annotations

import json
from functools import cache

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator

from accounts.models import Collection, Role, User
from tests.api.test_schema import path_values
from tests.support.api_world import client_of
from tests.support.factories import member

HOME = "/api/v1/collections/"
BY_ROLE = {
    "admin": "admin",
    "annotator": "ann1",
    "adjudicator": "adju",
    "owner-annotator": "owner",
}
WRITES = ("INSERT", "UPDATE", "DELETE")


@cache
def document() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(*methods: str) -> list[tuple[str, str, dict]]:
    return [
        (path, method, operation)
        for path, by_method in document()["paths"].items()
        for method, operation in by_method.items()
        if method in methods
    ]


def bodies(operation: dict) -> dict[str, dict]:
    """The schema of each media type that the operation accepts; of none, no properties."""
    content = operation.get("requestBody", {}).get("content", {"application/json": {}})
    schemas = document()["components"]["schemas"]
    return {
        media_type: schemas[entry["schema"]["$ref"].rpartition("/")[2]] if entry else {}
        for media_type, entry in content.items()
    }


@pytest.fixture
def send(world):
    """Send a request as a person with the role: the answer, and the statements that wrote."""
    User.objects.filter(username="admin").update(is_staff=True)
    member(world.collection, Role.OWNER_ANNOTATOR, "owner")
    values = path_values(world)
    clients = {role: client_of(username) for role, username in BY_ROLE.items()}

    def sent(path: str, method: str, query: str = "", **body):
        address = path.format(**values)
        roles = getattr(resolve(address).func.view_class, "roles", ("admin",))
        with CaptureQueriesContext(connection) as queries:
            answer = getattr(clients[roles[0]], method)(address + query, **body)
        return answer, [row["sql"] for row in queries if row["sql"].startswith(WRITES)]

    return sent


def test_an_unknown_key_of_a_body_is_refused_with_the_nearest_known_one(send):
    for path, method, operation in operations("post", "delete"):
        for media_type, schema in bodies(operation).items():
            known = [*schema.get("properties", {})]
            wrong = f"{known[-1]}x" if known else "dry_run"

            form = "multipart" if media_type.startswith("multipart/") else "json"
            answer, written = send(path, method, data={wrong: "1"}, format=form)

            place = f"{method} {path}: {answer.content.decode()}"
            assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), place
            hint = f'Did you mean "{known[-1]}"?' if known else "No key is allowed here."
            assert answer.json()["fields"][wrong] == [f'Unknown key "{wrong}". {hint}'], place
            assert written == [], place
            assert not known or schema["additionalProperties"] is False, place


def takes_parameters(operation: dict) -> bool:
    return any(entry["in"] == "query" for entry in operation.get("parameters", []))


def test_an_unknown_parameter_of_an_address_is_refused(send):
    for path, method, operation in operations("post", "delete", "get"):
        if method == "get" and not takes_parameters(operation):
            continue
        answer, written = send(path, method, "?licens=1")

        place = f"{method} {path}: {answer.content.decode()}"
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), place
        assert 'Unknown key "licens"' in answer.json()["fields"]["licens"][0], place
        assert written == [], place


def test_the_other_keys_of_a_body_are_checked_too(send):
    body = {"slug": "new", "licens": "CC0-1.0"}

    answer, _ = send(HOME, "post", data=body, format="json")

    assert answer.json()["fields"].keys() == {"name", "licens"}
    assert not Collection.objects.filter(slug="new").exists()


@pytest.mark.parametrize(
    ("address", "body", "wrong"),
    [
        ("facets/", {"facets": [{"key": "aim", "nam": "Aim"}]}, "nam"),
        ("pools/", {"strategy": "rrf", "parameters": {"siz": 1}}, "siz"),
        ("releases/", {"version": "1.1", "accept": {"datashet": "Later."}}, "datashet"),
        ("datasheet/", {"answers": {"pai": "15 EUR an hour"}}, "pai"),
    ],
)
def test_keys_inside_a_body_are_checked_too(address, body, wrong, send):
    answer, written = send(f"{HOME}small/{address}", "post", data=body, format="json")

    assert (answer.status_code, written) == (400, [])
    assert wrong in answer.content.decode()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("licens", 'Unknown key "licens". Did you mean "licence"?'),
        ("Corpus_Licence", 'Unknown key "Corpus_Licence". Did you mean "corpus_licence"?'),
        (
            "zzz",
            'Unknown key "zzz". Known keys: analysis, corpus_licence, description, facets, '
            "highest_grade, licence, name, owner_role, relevant_from, seed, slug.",
        ),
    ],
)
def test_the_message_names_a_similar_key_or_all_keys(key, message, send):
    answer, _ = send(HOME, "post", data={key: 1}, format="json")

    assert answer.json()["fields"][key] == [message]


def test_only_the_first_of_many_unknown_keys_are_named(send):
    body = json.dumps({f"{'k' * 200_000}{number}": 1 for number in range(20)})

    answer, _ = send(HOME, "post", data=body, content_type="application/json")

    assert answer.status_code == 400
    assert len(answer.content) < 10_000
