"""The people of a collection, its licences, and what the API has, by the API and by commands."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from accounts.codes import account_code
from accounts.judging_rules import JudgingRules
from accounts.models import Collection, User
from dashboard.settings.archiving import archive_collection
from tests.support.api_world import another_collection
from tests.support.factories import UserFactory, member

API = "/api/v1/"
WHERE = f"{API}collections/small/"


def roles_of(username: str, slug: str = "small") -> set[str]:
    memberships = Collection.objects.get(slug=slug).memberships.filter(user__username=username)
    return set(memberships.values_list("role", flat=True))


def command(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def outcome(answer) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


def test_people_are_listed_once_with_their_roles_here(world, admin):
    member(world.collection, "curator", "adju")
    another_collection()
    member(Collection.objects.get(slug="far"), "annotator", "adju")

    people = admin.get(f"{WHERE}people/").json()["results"]

    assert people[0] == {
        "username": "adju",
        "name": "Adelheid Xyzzy",
        "roles": ["adjudicator", "curator"],
        "can_log_in": True,
    }
    assert [person["username"] for person in people] == ["adju", "admin", "ann1", "ann2"]
    assert admin.get(f"{WHERE}people/adju/").json() == people[0]
    assert command("list_people", "small").splitlines()[0] == (
        "adju\tadjudicator,curator\tAdelheid Xyzzy"
    )
    assert json.loads(command("list_people", "small", "--format", "json"))[0] == {
        "username": "adju",
        "roles": ["adjudicator", "curator"],
        "name": "Adelheid Xyzzy",
    }


def test_people_are_listed_as_csv_without_formulas(world):
    User.objects.filter(username="ann1").update(first_name="=A1")

    lines = command("list_people", "small", "--format", "csv").splitlines()

    assert lines[:2] == ["username,roles,name", "adju,adjudicator,Adelheid Xyzzy"]
    assert "ann1,annotator,'=A1" in lines


def test_a_role_is_given_by_account_code_changed_and_removed(world, admin):
    stranger = UserFactory(username="stranger")
    body = {"person": account_code(stranger), "role": "annotator"}

    unknown = admin.post(f"{WHERE}people/", body | {"person": "stranger"}, format="json")
    added = admin.post(f"{WHERE}people/", body, format="json")
    tried = admin.post(
        f"{WHERE}people/stranger/", {"roles": ["admin"], "dry_run": True}, format="json"
    )
    before = roles_of("stranger")
    changed = admin.post(
        f"{WHERE}people/stranger/", {"roles": ["admin", "adjudicator"]}, format="json"
    )
    after = roles_of("stranger")
    removed = admin.delete(f"{WHERE}people/stranger/")

    assert outcome(unknown) == (400, "person_not_found")
    assert (added.status_code, added.json()["roles"]) == (201, ["annotator"])
    assert tried.json()["roles"] == ["admin"]
    assert before == {"annotator"}
    assert changed.json()["roles"] == ["adjudicator", "admin"]
    assert after == {"admin", "adjudicator"}
    assert removed.status_code == 204
    assert not roles_of("stranger")
    assert User.objects.filter(username="stranger").exists()


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_rules_of_the_page_hold_with_and_without_dry_run(dry_run, world, admin):
    def change(username: str, *roles: str):
        body = {"roles": roles, "dry_run": dry_run}
        return outcome(admin.post(f"{WHERE}people/{username}/", body, format="json"))

    assert change("ann1", "adjudicator") == (409, "holds_pairs")
    assert change("admin", "annotator") == (409, "last_admin")
    assert change("adju", "admin", "annotator") == (409, "cannot_blind")
    assert change("adju") == change("adju", "owner") == (400, "invalid")
    assert change("nobody", "curator") == (404, "not_found")
    removal = admin.delete(f"{WHERE}people/admin/?dry_run={dry_run}")
    assert outcome(removal) == (409, "last_admin")
    assert {roles.pop() for name in ("ann1", "admin", "adju") if (roles := roles_of(name))} == {
        "annotator",
        "admin",
        "adjudicator",
    }


def test_a_new_account_logs_in_with_the_password_of_the_answer(world, admin):
    body = {"username": "mara", "name": "Mara Lind", "role": "annotator"}

    tried = admin.post(f"{WHERE}accounts/", body | {"dry_run": True}, format="json")
    made = admin.post(f"{WHERE}accounts/", body, format="json")
    again = admin.post(f"{WHERE}accounts/", body | {"dry_run": True}, format="json")
    wrong = admin.post(f"{WHERE}accounts/", body | {"username": "m@x"}, format="json")

    assert (tried.status_code, tried.json()) == (200, {"username": "mara@small", "password": None})
    assert made.status_code == 201
    person = User.objects.get(username=made.json()["username"])
    assert person.check_password(made.json()["password"])
    assert person.must_change_password
    assert roles_of("mara@small") == {"annotator"}
    assert outcome(again) == (409, "name_taken")
    assert "no spaces or @" in str(wrong.json()["fields"]["username"])


def test_the_commands_do_the_same(world):
    made = command("create_account", "small", "mara", "--role", "curator", "--name", "Mara Lind")
    person = User.objects.get(username="mara@small")
    assert person.check_password(made.split()[-1])

    tried = command("change_roles", "small", "mara@small", "--add", "admin", "--dry-run")
    assert "admin, curator." in tried
    assert roles_of("mara@small") == {"curator"}
    command("change_roles", "small", "mara@small", "--add", "admin", "--remove", "curator")
    assert roles_of("mara@small") == {"admin"}
    assert "no role" in command("change_roles", "small", "mara@small", "--remove", "admin")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["change_roles", "small", "ann1", "--remove", "annotator"], "pairs to judge"),
        (["change_roles", "small", "admin", "--remove", "admin"], "only admin"),
        (["change_roles", "small", "admin", "--add", "annotator"], "cannot judge blind"),
        (["change_roles", "small", "nobody", "--add", "admin"], "manage.py create_account small"),
        (["change_roles", "small", "adju"], "at least one"),
        (["create_account", "small", "m@x", "--role", "admin"], "username: Use letters"),
        (["change_licences", "small"], "Name a licence"),
        (["change_licences", "small", "--licence", "x" * 121], "at most 120"),
        (["list_people", "nothing"], "No collection 'nothing'"),
    ],
)
def test_a_command_is_refused_with_the_error_of_the_page(arguments, message, world):
    with pytest.raises(CommandError, match=message):
        command(*arguments)


def test_judging_rules_change_one_by_one(world, admin):
    admin.post(f"{WHERE}judging-rules/", {"repeat_share": 0.05}, format="json")
    answer = admin.post(f"{WHERE}judging-rules/", {"qualifying_rho": 0.5}, format="json").json()

    assert answer == JudgingRules(repeat_share=0.05, qualifying_rho=0.5)._asdict()
    assert admin.get(f"{WHERE}judging-rules/").json() == answer


def test_licences_change_one_by_one(world, admin):
    answer = admin.post(f"{WHERE}licences/", {"licence": " CC0-1.0 "}, format="json").json()
    assert (answer["licence"], answer["corpus_licence"]) == ("CC0-1.0", "CC-BY-4.0")

    assert "of the texts ODC-By-1.0" in command(
        "change_licences", "small", "--corpus-licence", "ODC-By-1.0"
    )
    world.collection.refresh_from_db()
    assert (world.collection.licence, world.collection.corpus_licence) == ("CC0-1.0", "ODC-By-1.0")
    assert world.collection.releases.get().manifest["collection"]["licence"] == "CC-BY-4.0"


def test_an_archived_collection_keeps_its_people_and_licences(world, admin):
    world.collection.jobs.all().delete()
    archive_collection(collection=world.collection)

    answers = [
        admin.post(f"{WHERE}people/", {"person": "adju", "role": "curator"}, format="json"),
        admin.post(f"{WHERE}licences/", {"licence": "CC0-1.0"}, format="json"),
        admin.delete(f"{WHERE}people/adju/"),
    ]

    assert [outcome(answer) for answer in answers] == [(409, "collection_archived")] * 3
    for arguments in (
        ["change_roles", "small", "adju", "--add", "curator"],
        ["change_licences", "small", "--licence", "CC0-1.0"],
    ):
        with pytest.raises(CommandError, match="is archived"):
            command(*arguments)


def test_the_root_says_what_there_is_for_your_roles(world, admin, annotator):
    mine, theirs = admin.get(API).json(), annotator.get(API).json()
    unknown = APIClient().get(API)

    assert mine["schema"] == "http://testserver/api/schema/"
    assert mine["docs"] == "http://testserver/api/docs/"
    assert mine["collections"] == "http://testserver/api/v1/collections/"
    [collection] = mine["results"]
    assert collection["address"] == f"http://testserver{WHERE}"
    assert collection["roles"] == ["admin"]
    assert collection["parts"]["people/"] == ["GET", "POST"]
    for part, methods in collection["parts"].items():
        assert "GET" not in methods or admin.get(f"{WHERE}{part}").status_code == 200
    assert set(theirs["results"][0]["parts"]) == {
        *("", "judging/", "judging/questions/", "judging/help-requests/", "judgments/"),
        *("consent/", "training/"),
    }
    assert (unknown.status_code, unknown.json()["results"]) == (200, [])
    assert unknown.json()["schema"] == mine["schema"]
