"""What a release says of proposed grades, and that a copy made of it has the steps."""

from __future__ import annotations

import json

import pytest

from accounts.models import Collection
from agreement.alignment.report import AlignmentReport
from annotation.models import Judgment, Opening
from annotation.services import Answer
from release.files import path_of
from release.importing.service import import_release
from release.services import publish_release
from reports.services import compute_report
from tests.support.aspects import STEPS, a_proposing_collection, an_open_query_with_steps
from tests.support.made_releases import wrong_outcomes
from tests.support.released_files import files_of
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge, slots_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
FILE, REPORT = "annotations/proposals.csv", "reports/alignment.json"


@once_a_file
def collection() -> Collection:
    """In the query with proposals, ann1 follows one, and ann2 has not judged the second pair."""
    collection = a_proposing_collection("half")
    for _ in range(2):
        opening = an_open_query_with_steps(collection, size=2)
        marks = (1, 2) if opening.proposal_steps else ()
        first, second = slots_of(opening, "ann1")
        judge(first, Answer(1, aspects=marks))
        judge(second, Answer(1, aspects=marks))
        if marks:
            judge(first, Answer(2, aspects=marks))
        other = next(slot for slot in slots_of(opening, "ann2") if slot.pair_id == first.pair_id)
        judge(other, Answer(2, aspects=marks))
    return collection


def test_the_release_has_first_grades_and_proposals_of_pairs_with_both_judgments(collection):
    query = Opening.objects.get(proposal_steps=len(STEPS)).query
    compute_report(AlignmentReport(), collection=collection)
    files = files_of(collection)

    header, *rows = files[FILE].decode().split()
    docno = query.pairs.judged().get().candidate.document.docno
    assert header == "query,docno,slot,first_grade,aspects,details_alike,proposed_grade"
    assert "\n".join(rows).replace(f"{query.name},{docno},", "").replace('"', "") == (
        "1,1,1\n2,false,2\n2,2,1\n2,false,2"
    )
    assert json.loads(files[REPORT])["proposals"]["followed"] == 1
    assert "Of 2 proposals, 1 differed" in " ".join(files["README.md"].decode().split())


def test_publishing_computes_the_report_and_a_copy_has_the_marked_steps(collection):
    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    path = path_of(collection.slug, "1.0")
    assert wrong_outcomes(path) == []

    import_release(path=path, slug="copy", verified=True)

    copied = Judgment.objects.filter(slot__pair__query__collection__slug="copy", aspects=[1, 2])
    assert list(copied.values_list("grade", "proposed_grade")) == [(2, None), (2, None)]
    assert Collection.objects.get(slug="copy").proposes_grades == "half"
