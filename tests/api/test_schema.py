"""The OpenAPI document is complete, and the server does what it says, whatever is thrown at it."""

from __future__ import annotations

from io import StringIO

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.invitations.addresses import Invitee
from accounts.invitations.models import Invitation
from accounts.invitations.services import store_invitation
from accounts.models import Role, User
from annotation.models import PairQuestion
from config.api_urls import collection_routes
from config.wsgi import application
from practice.models import PracticeKind, PracticeSet
from tests.support.api_world import SHADOW_JUDGE, World, token_of
from tests.support.factories import a_query, an_open_query
from tests.support.help_scenes import help_request_of
from tests.support.practice_scenes import a_pilot
from tests.support.rounds import top_up
from tests.support.sittings import ask, judge_both
from tests.support.training_scenes import train_with

EXAMPLES = {"admin": 6, "ann1": 3}  # for each operation
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def document() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


def test_the_schema_is_valid_and_nothing_in_it_is_guessed():
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_every_address_is_in_the_schema():
    operations = [methods for path, methods in document()["paths"].items() if "{slug}" in path]

    views = [pattern.callback.view_class for pattern in collection_routes]
    assert len(operations) == len(views)
    methods = [
        method for view in views for method in ("get", "post", "delete") if hasattr(view, method)
    ]
    assert sum(map(len, operations)) == len(methods)


def test_every_operation_has_a_summary_and_says_its_errors():
    for methods in document()["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert {"401", "404"} <= set(operation["responses"])


def practice_sets_of(world: World) -> dict[str, PracticeSet]:
    """A pilot round and a training set, by kind."""
    collection = world.collection
    if not collection.practice_sets.exists():
        a_pilot(collection, named=[a_query(collection).name])
        train_with(collection, a_query(collection, size=5))
    return {each.kind: each for each in collection.practice_sets.all()}


def question_of(world: World) -> PairQuestion:
    if not PairQuestion.objects.exists():
        slot = judge_both(an_open_query(world.collection, size=2), (0, 3))[0]
        ask(slot, User.objects.get(username="adju"))
    return PairQuestion.objects.get()


def invitation_of(world: World) -> Invitation:
    if not Invitation.objects.exists():
        store_invitation(world.collection, Invitee("mara@example.org", ""), Role.CURATOR, None)
    return Invitation.objects.get()


def path_values(world: World) -> dict[str, object]:
    """What the parameters of the paths are called, and a value of each that exists."""
    return {
        "slug": world.slug,
        "docno": world.paper,
        "name": world.run.name,
        "query": world.query,
        "token": world.token,
        "build": world.build.pk,
        "round_number": top_up(world.opening, 1).number,
        "sample": "periods",
        "shadow_judge": SHADOW_JUDGE,
        "label_sample": "no-sample",
        "version": world.release.version,
        "erratum_id": world.erratum.pk,
        "invitation_id": invitation_of(world).pk,
        "job_id": str(world.job.pk),
        "username": "adju",
        "facet": "method",
        "plan": world.collection.saved_plans.get().pk,
        "study": world.study.name,
        "question": question_of(world).pk,
        "help_request": help_request_of(world).pk,
        "person_id": User.objects.get(username="ann2").pk,
        "number": practice_sets_of(world)[PracticeKind.PILOT].number,
        "practice_set": practice_sets_of(world)[PracticeKind.TRAINING].name,
    }


@pytest.fixture
def _one_connection():
    """A request must not close the connection that holds the test's transaction."""
    ends = (request_started, request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    yield
    for signal in ends:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("_one_connection")
@pytest.mark.by_day(4)
@pytest.mark.parametrize("person", ["admin", pytest.param("ann1", marks=pytest.mark.one_database)])
def test_nothing_makes_the_server_fail_or_answer_what_it_did_not_say(person, world):
    User.objects.filter(username="admin").update(is_staff=True)
    token = token_of(person)
    api = schemathesis.openapi.from_dict(document())
    api.app = application
    values = path_values(world)  # what an operation deletes is not found afterwards
    for result in api.get_all_operations():
        operation = result.ok()
        headers = {"Authorization": f"Token {token}"}
        tried = throw_at(operation, values, headers, EXAMPLES[person])
        assert tried >= 1, operation.label


def throw_at(operation, values: dict[str, object], headers: dict[str, str], most: int) -> int:
    """Try the operation with made-up input, mostly at addresses that exist; how often it was."""
    tried = 0

    @given(case=operation.as_strategy(), exists=st.sampled_from([True, True, False]))
    @settings(
        max_examples=most,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def attempt(case, exists):
        nonlocal tried
        tried += 1
        if exists:
            case.path_parameters = {name: values[name] for name in case.path_parameters or {}}
        response = case.call(headers=headers)
        case.validate_response(response, checks=CHECKS)

    attempt()
    return tried
