"""Each act that cannot be undone has a dry run, which answers what would happen."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.api.test_unknown_keys import document
from tests.support.api_world import SHADOW_JUDGE
from tests.support.factories import a_query
from tests.support.practice_scenes import a_pilot
from tests.support.releases import EVERY_EXCEPTION

WHERE = "/api/v1/collections/small/"
ACTS = [
    *("release", "opening", "erratum", "errata", "referral", "system", "shadow judge"),
    *("account", "person", "roles", "guideline", "study", "public release", "saved plan"),
    *("pilot", "closed pilot", "removed pilot"),
]
# By archiving it again, and by another invitation.
CAN_BE_UNDONE = {"archive/", "invitations/{invitation_id}/"}


def rows() -> dict[str, list]:
    """Every row of the database."""
    content = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            content[table] = sorted(map(repr, cursor.fetchall()))
    return content


@pytest.fixture
def acts(world) -> dict[str, tuple]:
    """Address, body, and the statuses of the dry run and of the act."""
    opening = {"queries": [a_query(world.collection).name], "annotators": ["ann1", "ann2"]}
    release = {"version": "1.1", "accept": EVERY_EXCEPTION}
    docno = world.slots()[0].pair.candidate.document.docno
    referral = {"query": world.query, "docno": docno, "recipient": "judges", "reason": "Wrong."}
    settlement = {"accept": True, "answer": "It is corrected in 1.1."}
    guideline = world.collection.facets.get(key="method").guidelines.first()
    texts = {"instructions": "Compare the methods.", "grades": guideline.grades}
    plan = world.collection.saved_plans.get()
    people = {"annotators": ["ann1", "ann2"]}
    practised = a_query(world.collection).name
    pilot = a_pilot(world.collection, named=[practised])
    return {
        "pilot": ("pilots/", people | {"named": [practised]}, (200, 201)),
        "closed pilot": (f"pilots/{pilot.number}/close/", {}, (200, 200)),
        "removed pilot": (f"pilots/{pilot.number}/", None, (200, 204)),
        "guideline": (
            "guidelines/method/",
            {"based_on": guideline.version, **texts},
            (200, 201),
        ),
        "study": (f"studies/{world.study.name}/end/", {}, (200, 200)),
        "public release": ("releases/1.0/publicity/", {}, (200, 200)),
        "saved plan": (f"saved-plans/{plan.pk}/", None, (200, 204)),
        "release": ("releases/", release, (200, 202)),
        "opening": ("openings/", opening, (200, 201)),
        "erratum": (f"errata/{world.erratum.pk}/", settlement, (200, 200)),
        "errata": ("errata/decline/", {"ids": [world.erratum.pk], "answer": "No."}, (200, 200)),
        "referral": ("referrals/", referral, (200, 201)),
        "system": (f"systems/{world.system.name}/", None, (200, 204)),
        "account": ("accounts/", {"username": "mara", "role": "curator"}, (200, 201)),
        "person": ("people/adju/", None, (200, 204)),
        "roles": ("people/adju/", {"roles": ["curator"]}, (200, 200)),
        "shadow judge": (f"shadow-judges/{SHADOW_JUDGE}/", None, (200, 204)),
    }


def act(client, address: str, body: dict | None, *, dry_run: bool):
    """Without a body, it is a deletion."""
    if body is None:
        return client.delete(f"{WHERE}{address}?dry_run={dry_run}")
    return client.post(WHERE + address, body | {"dry_run": dry_run}, format="json")


def test_a_dry_run_changes_nothing_and_the_act_does(acts, admin, rolled_back):
    before = rows()

    wrong = []
    for name in ACTS:
        address, body, statuses = acts[name]
        with rolled_back():
            tried = act(admin, address, body, dry_run=True)
            if rows() != before:
                wrong.append(f"{name}: the dry run changed a row")
            done = act(admin, address, body, dry_run=False)
            if rows() == before:
                wrong.append(f"{name}: the act changed no row")
            if (tried.status_code, done.status_code) != statuses:
                wrong.append(f"{name}: {tried.status_code} {done.status_code}")

    assert wrong == []


def test_every_deletion_has_a_dry_run():
    without = {
        path.partition("{slug}/")[2]
        for path, operations in document()["paths"].items()
        if "delete" in operations
        and "dry_run" not in {entry["name"] for entry in operations["delete"]["parameters"]}
    }

    assert without == CAN_BE_UNDONE


def test_the_dry_run_of_a_release_has_every_finding_and_says_which_stop_it(world, admin):
    body = {"version": "1.1", "dry_run": True}

    open_gate = admin.post(f"{WHERE}releases/", body | {"accept": EVERY_EXCEPTION}, format="json")
    closed = admin.post(f"{WHERE}releases/", body, format="json").json()

    assert open_gate.json() == closed | {"would_publish": True, "blocking": []}
    assert (closed["version"], closed["would_publish"]) == ("1.1", False)
    assert set(closed["blocking"]) == {"unjudged-pairs", "datasheet"}
    findings = {finding["check"]: finding for finding in closed["findings"]}
    assert findings["unjudged-pairs"]["count"] == 1
    assert findings["empty"]["ok"]
    assert closed["documents"] == 4  # the query paper and its candidates


def test_the_dry_run_of_an_opening_counts_its_pairs(acts, admin):
    address, body, _ = acts["opening"]

    tried = act(admin, address, body, dry_run=True).json()
    done = act(admin, address, body, dry_run=False).json()

    assert tried["pairs"] == done["pairs"] == 3
    for answer in (tried, done):
        [opening] = answer["openings"]
        del opening["opened_at"]
    assert tried == done


@pytest.mark.parametrize(
    ("address", "body", "code"),
    [
        ("releases/", {"version": "1.0"}, "version_taken"),
        ("openings/", {"queries": ["OPEN"], "annotators": ["ann1", "ann2"]}, "cannot_open"),
        ("systems/secret-retriever/", None, "busy"),
    ],
)
def test_a_dry_run_is_refused_like_the_act(address, body, code, world, admin):
    if body and "queries" in body:
        body = body | {"queries": [world.query]}

    answers = [act(admin, address, body, dry_run=dry_run) for dry_run in (True, False)]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(409, code)] * 2


def test_an_archived_collection_refuses_a_dry_run(acts, admin):
    admin.post(f"{WHERE}jobs/{admin.get(f'{WHERE}jobs/').json()['results'][0]['id']}/cancel/")
    assert admin.post(f"{WHERE}archive/").status_code == 200

    codes = {
        name: act(admin, address, body, dry_run=True).json().get("code")
        for name, (address, body, _) in acts.items()
    }

    assert codes == dict.fromkeys(acts, "collection_archived")
