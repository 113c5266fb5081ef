"""Requests that schemathesis makes up from the OpenAPI description: no server's error, and answers as described."""

from __future__ import annotations

from datetime import timedelta

import hypothesis
import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from knox.models import get_token_model
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from accounts.services import add_member
from config.wsgi import application
from jobs import work
from tests import builders

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
EXAMPLES = 5  # of each operation, half of them at rows that there are
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@pytest.fixture
def one_connection():
    """Requests leave the test's connection open, as those of Django's own client do."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("one_connection")
def test_made_up_requests_are_answered_as_the_schema_says(query, people, collection, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    for name in ("ann", "bob"):
        for pair in list(query.pairs.order_by("pk"))[:3]:
            builders.judge(pair, builders.person(name), len(name + pair.document.docno) % 2 + (name == "bob"))
    builders.run(collection, "mine", {query: ["d02", "d01"]})
    work.run_now("compute_agreement", collection=collection)
    eva = builders.person("eva")
    add_member(collection=collection, user=eva, roles=["admin", "annotator", "adjudicator"])
    headers = {"Authorization": f"Token {get_token_model().objects.create(user=eva, expiry=timedelta(hours=1))[1]}"}
    rows = {"id": query.pk, "token": query.pairs.first().token, "version": "1.0"}
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    answered = set()

    def requests(operation):
        @hypothesis.settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.seed(1)
        @hypothesis.given(case=operation.as_strategy(), there=hypothesis.strategies.booleans())
        def send(case, there):
            if "slug" in case.path_parameters:
                case.path_parameters["slug"] = collection.slug
            if there:
                case.path_parameters.update({key: rows[key] for key in case.path_parameters.keys() & rows.keys()})
            response = case.call(headers=headers)
            case.validate_response(response, checks=CHECKS)
            answered.add((operation.label, response.status_code))

        return send

    for found in schema.get_all_operations():
        requests(found.ok())()
    assert {label.split()[1] for label, status in answered if status == 200} > {
        f"/api/collections/{{slug}}/{name}/" for name in ("labels", "agreement", "scores", "judging", "cases", "runs")
    }
