"""The blindness check names what it must: each test plants a leak, or something like one."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.http import HttpResponse
from django.test import override_settings
from django.urls import get_resolver, path

from accounts.models import Role, User
from annotation.models import Judgment, Slot
from annotation.services import Answer
from config import urls
from corpus.models import Document
from jobs.context import DirectRun
from release.gate.stored_reports import old_reports
from release.proofs.blindness import addresses, report
from release.proofs.blindness.report import CHANGED, OPENED, BlindnessCheck, check_blindness
from release.proofs.blindness.visitor import Visitor, loaded_handler
from reports.models import StoredReport
from reports.services import changed_since, compute_report
from tests.support.api_world import HALF_NOTE, RETRIEVER, World
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects, mark
from tests.support.factories import a_collection, an_open_query, member
from tests.support.release_scenes import a_judged_collection
from tests.support.released_files import files_of
from tests.support.repeats import answer_repeat
from tests.support.sittings import judge, judge_both, rate, slots_of, with_rules
from tests.support.visits import address, client_of, text_of

# About what pages and answers say, which does not depend on the database.
# Each plants a leak and requests everything, so a half of them runs each day.
pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.by_day(8)]

PAGE = "annotation/judge.html"  # the list of an annotator's queries
ADJUDICATORS_PAGE = "adjudication/adjudicate.html"
OPEN_TO_JUDGES = re.compile(
    "collection|judge(-pair|-mine)?|adjudicate|case|own-study|rate-pair"
    "|api-(pair|case|next|judging)"
)
EVERY_GRADE = (
    "{% for query in collection.queries.all %}{% for pair in query.pairs.all %}"
    "{% for slot in pair.slots.all %}[{{ slot.judgment.grade }}]{% endfor %}"
    "{% endfor %}{% endfor %}"
)


@pytest.fixture
def planted(tmp_path):
    """A function that adds Django's template language to the main part of a page."""
    folders = [str(tmp_path), *settings.TEMPLATES[0]["DIRS"]]
    template = {**settings.TEMPLATES[0], "DIRS": folders}

    def plant(name: str, text: str, block: str = "main") -> None:
        page = tmp_path / name
        page.parent.mkdir(exist_ok=True)
        page.write_text(
            f'{{% extends "{name}" %}}{{% block {block} %}}{{{{ block.super }}}}<p>{text}</p>'
            "{% endblock %}"
        )

    with override_settings(TEMPLATES=[template]):
        yield plant


@pytest.fixture
def every_route():
    """For a test that requests all addresses."""


@pytest.fixture(autouse=True)
def _few_routes(monkeypatch, request):
    """Most routes are of pages that refuse judges, and most links lead to the same pages."""
    every = list(addresses.routes())
    if "every_route" not in request.fixturenames:
        few = [route for route in every if OPEN_TO_JUDGES.fullmatch(route.name)]
        monkeypatch.setattr(addresses, "routes", lambda: [*planted_routes(), *few])
        monkeypatch.setattr(report, "MOST_LINKS", 10)


def planted_routes() -> list[addresses.Route]:
    return [
        addresses.Route(str(pattern.pattern), "planted")
        for pattern in get_resolver().url_patterns
        if str(pattern.pattern).startswith("c/<slug:slug>/planted/")
    ]


def findings_of(world: World) -> list[tuple[str, str, str]]:
    """Person, kind and what of each finding, once."""
    findings = check_blindness(world.collection, DirectRun()).findings
    return sorted({(each.person, each.kind, each.what) for each in findings})


def visitor(username: str) -> Visitor:
    return Visitor(User.objects.get(username=username), loaded_handler())


def rows() -> dict[str, int]:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        counts = {}
        for name in names:
            cursor.execute(f'SELECT COUNT(*) FROM "{name}"')
            counts[name] = cursor.fetchone()[0]
    return counts


def test_it_finds_and_writes_nothing_and_says_what_it_checked(world, every_route):
    """With an owner annotator, who may know who the others are."""
    member(world.collection, Role.OWNER_ANNOTATOR, "owner")
    before = rows()
    judgments = list(Judgment.objects.values_list("pk", "grade", "note"))
    documents = list(Document.objects.values_list("pk", "authors", "venue", "year"))

    result = check_blindness(world.collection, DirectRun()).as_json()

    assert rows() == before
    assert list(Judgment.objects.values_list("pk", "grade", "note")) == judgments
    assert list(Document.objects.values_list("pk", "authors", "venue", "year")) == documents
    assert result["findings"] == result["failed"] == []
    assert result["people"] == {"annotators": 2, "adjudicators": 1, "owner_annotators": 1}
    assert result["routes"] > 200
    assert result["answers"] - result["refused"] > 50
    assert result["searched"] == {"source": 4, "person": 6, "metadata": 2, "note": 3}
    assert result["compared"]["pairs"] == 5
    assert result["compared"]["answers"] > 50


def test_a_page_with_the_name_of_a_run_is_named(world, planted):
    """An owner annotator is checked like an annotator."""
    member(world.collection, Role.OWNER_ANNOTATOR, "owner")
    planted(PAGE, "{{ collection.runs.first.name }}")

    result = check_blindness(world.collection, DirectRun())

    assert result.as_json()["people"]["owner_annotators"] == 1
    assert {finding.person for finding in result.findings} == {"ann1", "ann2", "owner"}
    found = result.findings[0]
    assert (found.address, found.kind, found.what) == (
        "/c/small/judge/",
        "source",
        RETRIEVER,
    )
    assert f"<p>{RETRIEVER}</p>" in found.excerpt


def test_names_and_notes_are_found_wherever_a_page_has_them(world, planted):
    """In one check: each is searched for apart from the others."""
    world.collection.runs.create(name="in-an-attribute", kind="file", sha256="2" * 64)
    slot = Slot.objects.filter(annotator__username="ann2", judgment__isnull=False).first()
    repeat = slot.repeats.create(query=slot.pair.query, annotator=slot.annotator, token="again")
    answer_repeat(repeat, 1, answer=Answer(grade=1, note="told-in-a-repeat"))
    planted(
        PAGE,
        "{% for run in collection.runs.all %}"
        "{% if run.name == 'in-an-attribute' %}<i data-run='{{ run.name }}'></i>{% endif %}"
        "{% endfor %}"
        "{% for member in collection.memberships.all %}{{ member.user }} {% endfor %}"
        "{% for paper in collection.documents.all %}{{ paper.authors.0 }} {% endfor %}"
        "{% for query in collection.queries.all %}"
        "{% for pair in query.pairs.all %}"
        "{% for slot in pair.slots.all %}{{ slot.judgment.note }} {% endfor %}{% endfor %}"
        "{% for repeat in query.repeats.all %}{{ repeat.judgment.note }} {% endfor %}"
        "{% endfor %}",
    )

    found = findings_of(world)

    sources = {(person, what) for person, kind, what in found if kind == "source"}
    assert sources == {("ann1", "in-an-attribute"), ("ann2", "in-an-attribute")}
    assert ("ann1", "person", "ann2") in found
    assert ("ann2", "person", "ann1") in found
    assert ("ann1", "person", "ann1") not in found
    assert ("ann1", "metadata", "Hidden Author") in found
    assert ("ann1", "note", HALF_NOTE) in found
    assert ("ann1", "note", "told-in-a-repeat") in found


def test_a_person_with_a_common_word_as_name_is_found_by_the_comparison(world, planted):
    User.objects.filter(username="ann2").update(username="method", first_name="")
    planted(PAGE, "{% for member in collection.memberships.all %}{{ member.user }} {% endfor %}")

    result = check_blindness(world.collection, DirectRun())

    assert "method" in {hidden.text for hidden in result.unsearchable}
    assert ("ann1", CHANGED) in {(finding.person, finding.kind) for finding in result.findings}


def test_a_page_with_the_year_differs_after_it_was_changed(world, planted):
    planted(PAGE, "{% for paper in collection.documents.all %}{{ paper.year }}{% endfor %}")

    assert {kind for _, kind, _ in findings_of(world)} == {CHANGED}


def test_a_page_with_the_grade_of_the_other_differs(world, planted):
    """Also that of an adjudicator, with a pair that has one judgment."""
    planted(PAGE, EVERY_GRADE)
    planted(ADJUDICATORS_PAGE, EVERY_GRADE)

    result = check_blindness(world.collection, DirectRun())

    found = {(finding.person, finding.address, finding.kind) for finding in result.findings}
    assert ("ann1", "/c/small/judge/", CHANGED) in found
    assert {person for person, _, _ in found} == {"ann1", "ann2", "adju"}
    assert {kind for _, _, kind in found} == {CHANGED}


def test_a_page_with_what_the_other_looked_at_differs(planted):
    opening = an_open_query_with_aspects(an_asking_collection())
    for slot in slots_of(opening, "ann2"):
        mark(slot, 2, 2)
    planted(PAGE, EVERY_GRADE.replace("slot.judgment.grade", "slot.judgment.aspects.0"))

    result = check_blindness(opening.query.collection, DirectRun())

    found = {(finding.person, finding.address, finding.kind) for finding in result.findings}
    assert ("ann1", "/c/small/judge/", CHANGED) in found


def test_a_note_on_a_pair_that_is_graded_blind_is_found(world, planted):
    """Also where every adjudicator may read it as soon as the own grade is given."""
    opening = an_open_query(world.collection)
    slot, *_ = judge_both(opening, (Answer(grade=0, note="A hidden remark"), 3))
    planted(ADJUDICATORS_PAGE, "A hidden remark", block="content")
    assert ("adju", "note", "A hidden remark") not in findings_of(world)

    with_rules(world.collection, grades_blind_first=True)
    assert ("adju", "note", "A hidden remark") in findings_of(world)
    rate(slot, User.objects.get(username="adju"), 2)
    assert ("adju", "note", "A hidden remark") not in findings_of(world)


def test_a_view_that_opens_the_pairs_of_others_or_fails_is_named(world):
    def fail(request, slug):
        raise ValueError("broken")

    member(world.collection, Role.ANNOTATOR, "ann3")
    leak = path(
        "c/<slug:slug>/planted/<path:query>/<str:token>/", lambda *_, **__: HttpResponse("x")
    )
    patterns = [leak, path("c/<slug:slug>/planted/", fail), *urls.urlpatterns]
    urlconf = type("urlconf", (), {**vars(urls), "urlpatterns": patterns})

    with override_settings(ROOT_URLCONF=urlconf):
        result = check_blindness(world.collection, DirectRun())

    assert set(result.failed) == {"/c/small/planted/"}
    of_ann3 = [finding for finding in result.findings if finding.person == "ann3"]
    assert {finding.kind for finding in of_ann3} == {OPENED}
    assert of_ann3[0].address.startswith("/c/small/planted/")


# What is no leak


def a_run_named_as_in_a_title(world) -> str:
    docno = world.slots()[0].pair.candidate.document.docno
    name = f"of {docno}"
    world.collection.runs.create(name=name, kind="file", sha256="2" * 64)
    page = visitor("ann1").get(f"/c/small/judge/{world.query}/{world.token}/")
    assert name in page.text
    return name


def test_a_name_in_the_text_of_a_document_or_of_the_pages_is_no_finding(world):
    """A word of the pages is not searched for, and the report says so."""
    a_run_named_as_in_a_title(world)
    world.collection.runs.create(name="method", kind="file", sha256="3" * 64)

    result = check_blindness(world.collection, DirectRun()).as_json()

    assert result["findings"] == []
    assert result["unsearchable"]["source"] == 1
    assert "method" in result["unsearchable_names"]


def test_the_same_name_beside_the_text_is_a_finding(world, planted):
    planted(
        "annotation/workspace.html",
        "{% for run in collection.runs.all %}{{ run.name }} {% endfor %}",
        "candidate",
    )
    name = a_run_named_as_in_a_title(world)

    assert ("ann1", "source", name) in findings_of(world)


def test_an_admin_is_not_among_the_people_who_are_checked(world):
    world.collection.memberships.filter(user__username="ann2").update(role=Role.ADMIN)

    people = check_blindness(world.collection, DirectRun()).people

    assert people == {"annotators": 1, "adjudicators": 1}


def test_a_person_with_a_one_time_password_is_checked_behind_it(world):
    User.objects.filter(username="ann1").update(must_change_password=True)

    answer = visitor("ann1").get("/c/small/judge/")

    assert answer.status == 200


# As a stored report, a command, a page and a file of a release


@pytest.fixture
def checked(world) -> StoredReport:
    return compute_report(BlindnessCheck(), collection=world.collection)


def test_the_command_and_the_page_tell_what_was_checked_and_each_finding(world, planted):
    planted(PAGE, "{{ collection.runs.first.name }}")
    out = StringIO()

    call_command("check_blindness", "small", stdout=out)

    assert "people: 2 annotators, 1 adjudicator" in out.getvalue()
    assert f"ann1 /c/small/judge/: source: '{RETRIEVER}' in" in out.getvalue()
    page = text_of(client_of("admin").get(address("blindness")))
    assert "2 findings." in page
    assert "/c/small/judge/</code>" in page


def test_a_new_judgment_leaves_it_up_to_date_and_a_new_person_does_not(world, checked):
    judge(world.slots()[2], 1)
    assert changed_since(checked) == ""
    member(world.collection, Role.ANNOTATOR, "ann4")

    assert changed_since(checked) == "the people"
    (old,) = [found for found in old_reports(world.collection) if found.key == "blindness"]
    assert not old.stops_release


def test_the_page_shows_what_was_checked(world, checked):
    admin = client_of("admin")

    page = text_of(admin.get(address("blindness")))

    assert "Nothing was found." in page
    assert "to 2 annotators and 1 adjudicator" in page
    assert "The proof is up to date." in page
    assert admin.get(address("blindness"), {"format": "json"}).json() == checked.payload


def test_the_page_requests_the_check():
    collection = a_judged_collection()
    admin = client_of("admin")
    assert "No check yet" in text_of(admin.get(address("blindness")))

    admin.post(address("check-blindness"))

    assert collection.jobs.get().kind == "check_blindness"


def test_the_page_without_open_queries_leads_to_the_progress():
    a_collection()
    assert "No open queries yet" in text_of(client_of("admin").get(address("blindness")))


def test_a_release_has_the_counts_and_no_name():
    collection = a_judged_collection()
    report = compute_report(BlindnessCheck(), collection=collection)

    files = files_of(collection)

    released = json.loads(files["reports/blindness.json"])
    assert released == report.summary
    assert not released.keys() & {"findings", "failed", "unsearchable_names"}
    readme = " ".join(files["README.md"].decode().split())
    assert "as 2 annotators and 1 adjudicator, and searched them for" in readme
    assert "It found nothing. See `reports/blindness.json`." in readme
    assert "It found nothing." in files["datasheet.md"].decode()
