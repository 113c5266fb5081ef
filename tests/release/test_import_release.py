"""A release imported again: the same collection, and work that goes on there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.actions.models import RecordedAction
from accounts.judging_rules import JudgingRules
from accounts.models import Collection, Role, User
from adjudication.models import Case
from adjudication.services import Ruling
from agreement.low_agreement import AgreementRule
from agreement.services import change_rule
from annotation.guidelines.readings import record_reading
from annotation.models import Slot
from annotation.services import open_query, reassign_seat
from bundle.names import DOCUMENTS, SETTINGS
from bundle.options import LabelSource, ReleaseOptions, Texts
from bundle.verification.service import verify
from corpus.documents.export import document_lines
from corpus.facets import NO_FACETS
from corpus.services import create_query
from dashboard.services import change_judging_rules
from jobs.context import DirectRun
from pooling.models import BuildRun, DrawnList, Pool
from pooling.services import PoolPlan, build_pools, freeze_pools
from release.importing.context import ReleaseRefused
from release.importing.service import import_release
from release.snapshot import take_snapshot
from retrieval.models import Run
from tests.release.test_runs import judged as judge_all_of
from tests.release.test_samples import a_sampled_collection, judged
from tests.support.bundles import AS_IT_IS, released_files, with_new_sums, write_bundle
from tests.support.every_kind import a_collection_of_every_kind
from tests.support.factories import DocumentFactory, a_collection, a_pool, member
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, a_listed_run
from tests.support.release_scenes import judge_all, slot_of
from tests.support.sittings import decide_case, judge
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
WITHOUT_TEXTS = ReleaseOptions(texts=Texts.NONE)
OF_CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)


def imported_again(collection, tmp_path, options=AS_IT_IS, files=None, **arguments):
    """The files of a release, and those of its import under the same short name.

    The release is verified when the test ends, as every release is.
    """
    files = files or released_files(collection, options)
    slug = collection.slug
    Collection.objects.filter(pk=collection.pk).update(slug="elsewhere")
    path = write_bundle(tmp_path / "release.zip", files)
    import_release(path=path, verified=True, **arguments)
    return files, released_files(Collection.objects.get(slug=slug), options)


# They say what is not in the files of a release: the history, and what was beside the judgments.
OF_THE_SERVER = {
    *("README.md", "datasheet.md", "CHANGELOG.md"),
    *("manifest.json", "SHA256SUMS", "croissant.json"),
}


def differing(files, again) -> set[str]:
    return {name for name in files.keys() | again.keys() if files.get(name) != again.get(name)}


class Both(NamedTuple):
    collection: Collection
    files: dict[str, bytes]  # of its release
    imported: Collection


@once_a_file
def both() -> Both:
    folder = Path(settings.DATA_DIR)
    collection = a_collection_of_every_kind(folder)
    files = released_files(collection)
    path = write_bundle(folder / "release.zip", files)
    import_release(path=path, slug="copy", admin=User.objects.get(username="admin"))
    return Both(collection, files, Collection.objects.get(slug="copy"))


@pytest.fixture
def every_kind(both) -> Collection:
    return both.collection


@pytest.fixture
def imported(both) -> Collection:
    """A collection imported from a release of another, as `copy`."""
    return both.imported


# The same collection


def test_a_release_of_the_import_has_the_same_bytes(both, tmp_path):
    files, again = imported_again(both.collection, tmp_path, files=both.files)

    assert differing(files, again) == OF_THE_SERVER


def test_under_another_short_name_all_but_the_name_is_the_same(both):
    files = both.files
    # The names of CSFCube's files contain the short name.
    again = {
        name.replace("-copy-", "-small-").replace("-copy.", "-small."): content
        for name, content in released_files(both.imported).items()
    }

    assert {"trec/qrels.all.txt", "annotations/ratings.csv", "pools/pool.jsonl"} <= files.keys()
    assert differing(files, again) <= OF_THE_SERVER | {
        "reports/agreement.json",
        "reports/agreement.missing-zero.json",
    }


@pytest.mark.parametrize("plan", [{}, {"only": ("not_later",)}])
def test_the_import_of_sampled_pools_estimates_the_same(tmp_path, plan):
    collection = judged(a_sampled_collection(**plan))

    files, again = imported_again(collection, tmp_path)

    assert differing(files, again) == set()
    assert "trec/sampleval.all.txt" in files


def test_the_import_of_a_sample_without_what_is_cited_estimates_the_same(tmp_path):
    collection = a_sampled_collection(draw=False)
    plan = PoolPlan(
        strategy="uniform",
        parameters={"size": 4, "depth": 10},
        runs=("up", "down"),
        forced=(),
        excluded=("cited",),
        depth=40,
    )
    build_pools(collection=collection, plan=plan, work=DirectRun())
    freeze_pools(collection=collection)

    files, again = imported_again(judged(collection), tmp_path)

    assert differing(files, again) == set()


def test_runs_come_back_with_their_digests_and_uses(tmp_path):
    collection = a_listed_collection()
    for name in ("first", "known", "unused"):
        a_listed_run(collection, name, {"q1": [DOCNOS[len(name)]]})
    plan = PoolPlan(
        parameters={"n": 2}, runs=("up", "down"), forced=("cited", "first"), excluded=("known",)
    )
    build_pools(collection=collection, plan=plan, work=DirectRun())
    freeze_pools(collection=collection)
    judge_all_of(collection.queries.get())
    collection.runs.filter(name="up").update(retired_at=timezone.now())
    pool = Pool.objects.get()

    files, again = imported_again(collection, tmp_path)

    new = Collection.objects.get(slug="small")
    assert differing(files, again) == {"manifest.json", "SHA256SUMS"}
    before, after = (json.loads(some["manifest.json"]) for some in (files, again))
    assert [run for run in before["runs"] if run["name"] != "unused"] == after["runs"]
    assert Run.with_retired.get(collection=new, name="up").retired_at
    uses = BuildRun.objects.filter(build__collection=new).values_list("name", "use", "sha256")
    assert set(uses) == set(pool.build.build_runs.values_list("name", "use", "sha256"))
    drawn = DrawnList.objects.get(build__collection=new)
    assert drawn.documents == pool.build.drawn_lists.get().documents
    again = Pool.objects.get(query_paper__collection=new)
    ours = ("retriever_order", "shortfall", "depth", "drawn", "size", "to_judge", "forced")
    for name in (*ours, "shortfall_sum", "deepest"):
        assert getattr(again, name) == getattr(pool, name), name


def test_a_release_of_citations_comes_back_and_passes_every_check(tmp_path):
    collection = a_listed_collection()
    Collection.objects.filter(pk=collection.pk).update(licence="CC0-1.0")
    plan = PoolPlan(parameters={"n": 2}, runs=("up", "down"), forced=())
    build_pools(collection=collection, plan=plan, work=DirectRun())
    freeze_pools(collection=collection)

    files, again = imported_again(collection, tmp_path, OF_CITATIONS)

    assert differing(files, again) == set()
    assert [outcome.name for outcome in verify(tmp_path / "release.zip") if not outcome.ok] == []
    changed = files["trec/qrels.all.txt"].replace(b"d02 1", b"d02 0")
    forged = with_new_sums({**files, "trec/qrels.all.txt": changed})
    found = {one.name: one for one in verify(write_bundle(tmp_path / "forged.zip", forged))}
    assert "q1_method d02 has the label 0, and its sources give 1." in str(found["citations"])


def test_a_collection_without_facets_comes_back(tmp_path):
    collection = a_collection(facets=NO_FACETS, licence="CC0-1.0", highest_grade=1)
    documents = [DocumentFactory(collection=collection, docno=f"d{n}") for n in (1, 2)]
    DocumentFactory(collection=collection, docno="q1")
    query = create_query(collection=collection, docno="q1", facet_key="")
    a_pool(query.query_paper, documents)
    users = [User.objects.get(username=name) for name in ("ann1", "ann2")]
    open_query(query=query, annotators=tuple(users), opened_by=None)
    judge_all(collection, {("q1", "d1"): (1, 1), ("q1", "d2"): (0, 0)})

    files, again = imported_again(collection, tmp_path)

    assert differing(files, again) == set()


def test_the_rules_on_low_agreement_and_on_judging_come_back(every_kind, tmp_path):
    rules = JudgingRules(True, True, 0.1, 0.05, 0.5, 0.7)
    change_rule(collection=every_kind, rule=AgreementRule("alpha", 0.25))
    change_judging_rules(collection=every_kind, changes=rules._asdict())
    path = write_bundle(tmp_path / "release.zip", released_files(every_kind))

    import_release(path=path, slug="with-rules", verified=True)

    again = Collection.objects.get(slug="with-rules")
    assert (again.agreement_rule, again.agreement_threshold) == ("alpha", 0.25)
    assert again.judging_rules == rules


def test_the_record_has_the_import_alone_and_not_its_parts(imported):
    kinds = RecordedAction.objects.filter(collection=imported).order_by("pk")

    assert list(kinds.values_list("kind", "collection_slug")) == [
        ("role-given", "copy"),
        ("collection-imported", "copy"),
    ]


def test_people_of_a_release_have_a_pseudonym_and_cannot_log_in(imported):
    people = User.objects.filter(memberships__collection=imported).distinct()

    assert {(person.username, person.is_active) for person in people} == {
        ("admin", True),
        *((f"imported-annotator-{number}@copy", False) for number in (1, 2, 3)),
        ("imported-adjudicator-1@copy", False),
    }
    assert not any(person.has_usable_password() for person in people if not person.is_active)


def test_the_days_of_judging_are_those_of_the_release_and_of_later_judgments(every_kind, tmp_path):
    every_kind.judgment_imports.all().delete()  # days of judgments from elsewhere are not known
    files = released_files(every_kind)
    settings = json.loads(files[SETTINGS])
    settings["datasheet"] |= {"first_day": "2020-01-31", "last_day": "2020-02-29"}
    changed = with_new_sums({**files, SETTINGS: json.dumps(settings).encode()})
    import_release(path=write_bundle(tmp_path / "release.zip", changed), slug="later")
    copy = Collection.objects.get(slug="later")

    before = take_snapshot(copy).datasheet
    opening = copy.queries.get(name="q3_background").opening
    for number in (1, 2):
        person = member(copy, Role.ANNOTATOR, f"new{number}")
        reassign_seat(opening=opening, number=number, annotator=person)
        record_reading(opening.guideline, person)
        judge(slot_of(copy, "q3_background", "d3", number), 2)
    after = take_snapshot(copy).datasheet

    assert (before.first_day, before.last_day) == ("2020-01-31", "2020-02-29")
    assert (after.first_day, after.last_day) == ("2020-01-31", f"{timezone.now():%Y-%m-%d}")


# Texts that are not in the release


def documents_of(collection, path):
    path.write_text("\n".join(document_lines(collection)))
    return path


def test_without_texts_the_documents_come_from_another_file(every_kind, tmp_path):
    documents = documents_of(every_kind, tmp_path / "documents.jsonl")

    files, again = imported_again(every_kind, tmp_path, WITHOUT_TEXTS, texts=documents)

    assert differing(files, again) == OF_THE_SERVER
    assert [outcome.name for outcome in verify(tmp_path / "release.zip") if not outcome.ok] == []
    assert json.loads(files[DOCUMENTS].splitlines()[0]) == {"docno": "=1+1"}
    titles = {document.title for document in every_kind.documents.all() if document.title}
    collection_files = b"".join(files[name] for name in files if name.startswith("collection/"))
    assert not [title for title in titles if title.encode() in collection_files]


def test_other_texts_are_counted_and_missing_ones_refused(every_kind, tmp_path):
    documents = documents_of(every_kind, tmp_path / "documents.jsonl")
    text = documents.read_text()
    path = write_bundle(tmp_path / "release.zip", released_files(every_kind, WITHOUT_TEXTS))

    documents.write_text("\n".join(line for line in text.splitlines() if '"d2"' not in line))
    with pytest.raises(ReleaseRefused, match=r"documents.jsonl lacks 1 document .*: d2\."):
        import_release(path=path, slug="without", texts=documents)
    with pytest.raises(ReleaseRefused, match="--documents FILE"):
        import_release(path=path, slug="without")
    documents.write_text(text.replace("Method of d2.", "Another text."))
    report = import_release(path=path, slug="without", texts=documents)

    judged_pairs = Slot.objects.filter(
        number=1, judgment__isnull=False, pair__candidate__document__docno="d2"
    ).filter(pair__query__collection__slug="without")
    assert report.changed_texts == judged_pairs.count() > 0


# Work goes on


def test_an_admin_adds_people_who_go_on_with_the_work(both, imported):
    """An unjudged seat is given away, an open case decided, and another query opened."""
    people = [member(imported, Role.ANNOTATOR, f"new{number}") for number in (1, 2)]
    adjudicator = member(imported, Role.ADJUDICATOR, "new3")
    opening = imported.queries.get(name="q3_background").opening
    for number, person in enumerate(people, start=1):
        assert reassign_seat(opening=opening, number=number, annotator=person) == 2
        record_reading(opening.guideline, person)
    for docno in ("d3", "d4"):
        for number in (1, 2):
            judge(slot_of(imported, "q3_background", docno, number), 2)
    case = Case.objects.due().get(query__collection=imported)
    decide_case(case, adjudicator, Ruling(grade=1))
    query = create_query(collection=imported, docno="q2", facet_key="background")
    open_query(query=query, annotators=tuple(people), opened_by=None)

    lines = released_files(imported)["trec/qrels.all.txt"].decode().splitlines()

    before = both.files["trec/qrels.all.txt"]
    assert set(before.decode().splitlines()) < set(lines)
    assert {"q3_background 0 d3 2", "q3_background 0 d4 2"} <= set(lines)
    assert query.opening.guideline.version == 2
    assert query.pairs.count() == 3
