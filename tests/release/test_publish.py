import csv
import io
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Value
from django.db.models.functions import Concat
from django.utils import timezone

from accounts.models import Collection, User
from adjudication.services import Ruling
from agreement.services import AgreementReport
from annotation.models import Pair
from annotation.services import open_query, presentation_of, write_guideline
from bundle.content import FileNote
from bundle.zip.writing import sha256
from corpus.digests import canonical_json
from corpus.documents.import_options import DocumentImportOptions
from corpus.documents.importing import import_documents
from corpus.selection.filters import Recipe
from corpus.services import create_query
from jobs.context import DirectRun
from jobs.models import Job, State
from jobs.services import run
from pooling.models import Pool, PoolBuild
from release import snapshot
from release.errors import BadVersion, GateClosed, ReleaseDamaged, UnknownCheck, VersionTaken
from release.files import open_release, path_of
from release.gate.acceptance import NONE_ACCEPTED
from release.models import Release
from release.services import build_bundle, publish_release, request_release
from release.snapshot import take_snapshot
from reports.services import compute_report
from retrieval.models import Run
from tests.support.bundles import BuiltRelease, built_release, unpacked
from tests.support.factories import DocumentFactory, a_pool, annotators
from tests.support.release_scenes import (
    GRADES,
    QRELS,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    decide_pair,
    judge_all,
    slot_of,
)
from tests.support.releases import accepting
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]

SPLITS = ("fold1_dev", "fold1_test", "fold2_dev", "fold2_test")


@once_a_file
def built() -> BuiltRelease:
    return built_release(a_judged_collection(), accept=NONE_ACCEPTED)


@pytest.fixture
def collection(built) -> Collection:
    return built.collection


@pytest.fixture
def files(built) -> dict[str, bytes]:
    """The files of the release of the collection."""
    return built.files


def contents(release: Release) -> dict[str, bytes]:
    with open_release(release) as file:
        return unpacked(file.read())


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def bundle_of(collection, version="1.0", accept=NONE_ACCEPTED):
    return build_bundle(take_snapshot(collection), version, accept)


# What is in it


def test_a_release_holds_these_files(files):
    assert set(files) == {
        ".zenodo.json",
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "LICENSE-CORPUS",
        "README.md",
        "SHA256SUMS",
        "annotations/adjudications.csv",
        "annotations/ratings.csv",
        "beir/corpus.jsonl",
        "beir/queries.jsonl",
        *(f"beir/qrels/{split}.tsv" for split in (*SPLITS, "background", "method", "all", "test")),
        *(f"beir/qrels/method_{split}.tsv" for split in SPLITS),
        *(f"beir/qrels/background_{split}.tsv" for split in ("fold1_test", "fold2_dev")),
        "hf/annotations.parquet",
        "hf/corpus.parquet",
        "hf/qrels/background-fold1.parquet",
        "hf/qrels/method-fold1.parquet",
        "hf/qrels/method-fold2.parquet",
        "hf/queries.parquet",
        "hf/top_ranked.parquet",
        "load_ir_datasets.py",
        "collection/documents.jsonl",
        "collection/guidelines.json",
        "collection/query_papers.jsonl",
        "collection/settings.json",
        "csfcube/abstracts-small-preds.jsonl",
        "csfcube/made_splits.json",
        "csfcube/queries-release.csv",
        "csfcube/readable_annotations/q1-background-adju.txt",
        "csfcube/readable_annotations/q1-method-adju.txt",
        "csfcube/readable_annotations/q2-method-adju.txt",
        "csfcube/test-pid2anns-small-background.json",
        "csfcube/test-pid2anns-small-method.json",
        "csfcube/test-pid2pool-small.json",
        "guidelines/background-v1.html",
        "guidelines/method-v1.html",
        "croissant.json",
        "datasheet.md",
        "manifest.json",
        "pools/pool.jsonl",
        "queries.csv",
        "reports/agreement.csv",
        "reports/agreement.json",
        "reports/agreement.missing-zero.json",
        "splits.json",
        "reports/figures/agreement-agreement.svg",
        "reports/figures/agreement-grades.svg",
        "reports/figures/agreement-medians.svg",
        "trec/qrels.all.txt",
        "trec/qrels.background.txt",
        "trec/qrels.method.txt",
        "trec/queries.tsv",
        "trec/topics.tsv",
        "trec/topics.xml",
    }


def test_a_recorded_import_is_in_it_with_its_steps(tmp_path, collection, files):
    (tmp_path / "more.jsonl").write_text(
        '{"docno": "n1", "title": "T", "abstract": "A."}\n'
        '{"docno": "n2", "title": "", "abstract": "A."}\n'
    )
    import_documents(
        collection=collection,
        path=tmp_path / "more.jsonl",
        name=str(tmp_path / "more.jsonl"),
        options=DocumentImportOptions(recipe=Recipe(has_text=True)),
        work=DirectRun(),
    )

    again = files_of(collection)
    (row,) = json.loads(again["corpus.json"])["imports"]

    assert again.keys() - files.keys() == {"corpus.json"}
    assert (row["source"], row["recipe"], row["created"]) == ("more.jsonl", {"has_text": True}, 1)
    assert row["steps"] == [
        {"name": "read", "removed": 0, "remaining": 2},
        {"name": "an invalid line", "removed": 0, "remaining": 2},
        {"name": "no title", "removed": 1, "remaining": 1},
        {"name": "no abstract", "removed": 0, "remaining": 1},
        {"name": "a line that repeats an earlier one", "removed": 0, "remaining": 1},
    ]
    readme = again["README.md"].decode()
    assert "Import 1: `more.jsonl`, as `jsonl`" in readme
    assert "| no title | 1 | 1 |\n| imported |  | 1 |" in readme
    assert "`corpus.json`" in readme


def test_the_readme_describes_every_file(files):
    described = re.findall(r"^\| `([^`]+)`", files["README.md"].decode(), re.MULTILINE)
    patterns = [FileNote(name, "").pattern for name in described if re.search(r"[./S]", name)]

    assert not [
        name
        for name in files.keys() - {"README.md"}
        if not any(pattern.fullmatch(name) for pattern in patterns)
    ]


def test_the_qrels_are_the_final_labels(files):
    lines = QRELS.splitlines(keepends=True)

    assert files["trec/qrels.all.txt"].decode() == QRELS
    for facet in ("background", "method"):
        expected = "".join(line for line in lines if f"_{facet} " in line)
        assert files[f"trec/qrels.{facet}.txt"].decode() == expected


def test_the_ratings_are_the_current_judgments_under_pseudonyms(collection):
    judge(slot_of(collection, "q1_method", "d1", 2), 3)  # the same grade again: a revision

    rows = rows_of(files_of(collection)["annotations/ratings.csv"])

    assert len(rows) == 2 * len(GRADES)
    revised = [row for row in rows if (row["query"], row["docno"]) == ("q1_method", "d1")]
    assert [(row["slot"], row["grade"], row["sequence"]) for row in revised] == [
        ("1", "3", "1"),
        ("2", "3", "2"),
    ]
    unjudgeable = next(row for row in rows if row["grade"] == "")
    assert unjudgeable["reason"] == "garbled"
    assert {row["annotator"] for row in rows} == {"annotator-1", "annotator-2"}


def test_the_adjudications_are_the_standing_decisions(files):
    rows = rows_of(files["annotations/adjudications.csv"])

    assert [
        (row["query"], row["docno"], row["grade"], row["reason"], row["first"], row["second"])
        for row in rows
    ] == [
        ("q1_background", "d3", "0", "", "1", "3"),
        ("q1_method", "d2", "2", "", "1", "2"),
        ("q1_method", "d3", "0", "", "0", ""),
        ("q2_method", "d4", "", "garbled", "", ""),
    ]
    assert [row["overruled"] for row in rows] == ["true", "false", "false", "false"]
    assert {row["adjudicator"] for row in rows} == {"adjudicator-1"}


def test_a_decision_on_judgments_that_were_revised_is_left_out(collection):
    judge(slot_of(collection, "q1_background", "d3", 1), 3)  # now both say 3

    rows = rows_of(files_of(collection)["annotations/adjudications.csv"])

    assert ("q1_background", "d3") not in {(row["query"], row["docno"]) for row in rows}


def test_a_reason_in_own_words_stays_here(collection):
    own_words = Ruling(reason="other", note="Ann2 could not read this one")
    decide_pair(collection, "q2_method", "d4", own_words)

    files = files_of(collection)

    assert rows_of(files["annotations/adjudications.csv"])[-1]["reason"] == "other"
    assert not [name for name in files if b"could not read" in files[name]]


def test_every_pooled_document_is_there_with_all_its_sources(files):
    lines = files["pools/pool.jsonl"].splitlines()

    assert len(lines) == 6
    assert json.loads(lines[0]) == {
        "query_paper": "q1",
        "docno": "d1",
        "position": 1,
        "drawn_by": "bm25_title",
        "excluded": "",
        "inclusion": None,
        "sources": [
            {"source": "also", "rank": 7, "score": 0.1, "drawn": False},
            {"source": "bm25_title", "rank": 1, "score": 9.0, "drawn": True},
        ],
    }


def test_the_reports_are_what_the_agreement_command_prints(collection, files):
    for missing, name in (("exclude", "agreement.json"), ("zero", "agreement.missing-zero.json")):
        report = compute_report(AgreementReport(missing), collection=collection)
        assert json.loads(files[f"reports/{name}"]) == report.payload, missing


def test_no_person_is_in_a_release_and_no_publisher_changes_it(built):
    for username in ("ann1", "ann2", "adju", "admin"):
        User.objects.filter(username=username).update(
            username=f"{username}-longname", first_name="Given", last_name="Surname"
        )

    release = publish_release(
        collection=built.collection,
        version="1.0",
        published_by=User.objects.get(username__startswith="admin"),
    )

    with open_release(release) as file:
        assert file.read() == built.content
    files = contents(release)
    assert json.loads(files["manifest.json"]) == release.manifest
    everything = b"".join(files.values())
    for secret in (b"longname", b"Given", b"Surname", b"Secret thought"):
        assert secret not in everything


def test_the_manifest_tells_how_it_was_made(collection, files):
    manifest = json.loads(files["manifest.json"])

    assert manifest["collection"]["seed"] == collection.seed
    assert [build["query_papers"] for build in manifest["pool_builds"]] == [["q1"], ["q2"]]
    assert manifest["pool_builds"][0]["manifest"] == {"mode": "interleaved", "n": 3}
    assert [(line["facet"], line["version"]) for line in manifest["guidelines"]] == [
        ("background", 1),
        ("method", 1),
    ]
    assert manifest["counts"]["facets"]["method"] == {
        "queries": 2,
        "queries_opened": 2,
        "pairs": 6,
        "pairs_judged": 6,
        "agreed": 3,
        "adjudicated": 2,
        "overruled": 0,
        "set_aside": 1,
        "due": 0,
        "unjudged": 0,
        "labels": 5,
        "labels_by_grade": {"0": 1, "1": 1, "2": 2, "3": 1},
    }
    assert manifest["accepted"] == []


def test_the_manifest_has_the_checksum_of_every_other_file(files):
    manifest = json.loads(files.pop("manifest.json"))

    sums = files.pop("SHA256SUMS").decode()
    assert {name: entry["bytes"] for name, entry in manifest["files"].items()} == {
        name: len(content) for name, content in files.items()
    }
    for name, entry in manifest["files"].items():
        assert entry["sha256"] == sha256(files[name])
        assert f"{entry['sha256']}  {name}\n" in sums
    assert "  manifest.json\n" in sums


def test_the_readme_tells_what_there_is(files):
    readme = files["README.md"].decode()

    assert "\n---\n\n# Small, version 1.0\n" in readme
    assert "| method | 2 | 6 | 3 | 2 | 1 | 5 | 3 | 3.0 | 3 | 1 | 1 | 2 | 1 |" in readme
    assert "No annotator saw where a candidate came from" in readme
    assert "Query papers: 2. Queries: 3. Pooled documents: 6. Final labels: 8." in readme
    assert "CC-BY-4.0" in readme
    assert "Known exceptions" not in readme


# The same database, the same bytes


def test_building_twice_gives_the_same_bytes(built):
    assert bundle_of(built.collection).content == built.content


def test_the_order_in_which_rows_came_changes_no_byte(built):
    User.objects.update(username=Concat(Value("old-"), "username"))  # so that new ones are made
    Collection.objects.update(slug="elsewhere")

    assert bundle_of(a_judged_collection(backwards=True)).content == built.content


def test_a_draft_pool_leaves_no_trace(collection):
    paper = DocumentFactory(collection=collection, docno="q3")
    query = create_query(collection=collection, docno="q3", facet_key="method")
    accept = accepting(["unopened-queries"])
    without = files_of(collection, accept=accept)

    draft = a_pool(query.query_paper, [paper], drawer="unheard_of")
    draft.candidates.get().contributions.create(source="also", rank=1, score=1.0, drawn=False)

    assert not draft.is_frozen
    assert files_of(collection, accept=accept) == without
    Pool.objects.filter(pk=draft.pk).update(frozen_at=timezone.now())
    assert b"unheard_of" in files_of(collection, accept=accept)["pools/pool.jsonl"]


def files_of(collection, **options) -> dict[str, bytes]:
    return unpacked(bundle_of(collection, **options).content)


def test_another_collection_of_the_same_queries_leaves_no_trace(built):
    other = an_opened_collection(slug="other")
    judge_all(other, dict.fromkeys(GRADES, (3, 1)))
    decide_all(other, dict.fromkeys(GRADES, Ruling(grade=2)))
    Run.objects.create(collection=other, name="theirs", kind="file", sha256="0" * 64)
    facet = other.facets.get(key="method")
    grades = facet.guidelines.get().grades
    write_guideline(facet=facet, instructions="Theirs", grades=grades)
    DocumentFactory(collection=other, docno="q3")
    query = create_query(collection=other, docno="q3", facet_key="method")
    a_pool(query.query_paper, list(other.documents.filter(docno="d1")))
    open_query(query=query, annotators=annotators(other), opened_by=None)

    assert bundle_of(built.collection).content == built.content
    theirs = files_of(other, accept=accepting(["unjudged-pairs"]))
    assert theirs["trec/qrels.all.txt"] != built.files["trec/qrels.all.txt"]


def test_a_build_is_listed_for_the_frozen_pools_that_are_still_its_own(collection):
    """Of the first build's three pools one is frozen, one was replaced, and one is a draft."""
    papers = {}
    for docno in ("q3", "q4", "q5"):
        DocumentFactory(collection=collection, docno=docno)
        query = create_query(collection=collection, docno=docno, facet_key="method")
        papers[docno] = query.query_paper
    documents = list(collection.documents.filter(docno__in=["d1", "d2"]))
    pools = {docno: a_pool(paper, documents) for docno, paper in papers.items()}
    first = PoolBuild.objects.create(collection=collection, manifest={"n": "first"})
    Pool.objects.filter(pk__in=[pool.pk for pool in pools.values()]).update(build=first)
    second = PoolBuild.objects.create(collection=collection, manifest={"n": "second"})
    Pool.objects.filter(pk=pools["q4"].pk).update(build=second)
    PoolBuild.objects.create(collection=collection, manifest={"n": "replaced nothing"})
    frozen = [pools["q3"].pk, pools["q4"].pk]
    Pool.objects.filter(pk__in=frozen).update(frozen_at=timezone.now())

    manifest = bundle_of(collection, accept=accepting(["unopened-queries"])).manifest

    assert [
        (build["manifest"]["n"], build["query_papers"]) for build in manifest["pool_builds"]
    ] == [(3, ["q1"]), (3, ["q2"]), ("first", ["q3"]), ("second", ["q4"])]


def test_a_guideline_is_listed_with_the_queries_that_were_judged_under_it(collection):
    method = collection.facets.get(key="method")
    grades = method.guidelines.get().grades
    write_guideline(facet=method, instructions="Never used", grades=grades)
    write_guideline(facet=method, instructions="Länger", grades=grades)
    DocumentFactory(collection=collection, docno="q3")
    query = create_query(collection=collection, docno="q3", facet_key="method")
    a_pool(query.query_paper, list(collection.documents.filter(docno="d1")))
    open_query(query=query, annotators=annotators(collection), opened_by=None)

    manifest = bundle_of(collection, accept=accepting(["unjudged-pairs"])).manifest

    assert [
        (line["facet"], line["version"], line["queries"]) for line in manifest["guidelines"]
    ] == [
        ("background", 1, ["q1_background"]),
        ("method", 1, ["q1_method", "q2_method"]),
        ("method", 3, ["q3_method"]),
    ]
    text = canonical_json(["Länger", grades])
    assert manifest["guidelines"][-1]["sha256"] == sha256(text)


def test_every_rating_has_the_digest_of_what_was_on_the_screen(collection, files):
    rows = rows_of(files["annotations/ratings.csv"])

    shown = {}
    for pair in Pair.objects.of(collection).select_related(
        "query__facet", "query__query_paper__document", "candidate__document"
    ):
        shown[pair.query.name, pair.candidate.document.docno] = presentation_of(pair, 1).digest
    assert len(set(shown.values())) == len(GRADES)
    assert {(row["query"], row["docno"]): row["presentation_digest"] for row in rows} == shown


def test_text_in_any_script_is_written_as_utf_8():
    collection = a_judged_collection(description="Naïve 検索", licence="Ωpen", seed="saß")
    type(collection).objects.filter(pk=collection.pk).update(name="Größe “Δ”")

    files = files_of(collection)

    readme = files["README.md"].decode("utf-8")
    assert readme.startswith('---\npretty_name: "Größe “Δ”"\n')
    assert "\n# Größe “Δ”, version 1.0\n" in readme
    assert "Naïve 検索" in readme
    manifest = files["manifest.json"]
    for value in ("Größe “Δ”", "Naïve 検索", "Ωpen", "saß"):
        assert json.dumps(value, ensure_ascii=False).encode("utf-8") in manifest
    assert b"\\u" not in manifest


# Judgments that must stay secret


def test_a_pair_judged_once_leaves_no_trace_but_its_number():
    waiting = {("q1_method", "d1"), ("q1_background", "d3")}
    judged = {key: both for key, both in GRADES.items() if key not in waiting}
    accept = accepting(["unjudged-pairs"])
    collection = an_opened_collection()
    judge_all(collection, judged)
    decide_all(collection, {key: ruling for key, ruling in RULINGS.items() if key in judged})
    without = bundle_of(collection, accept=accept).content

    judge(slot_of(collection, "q1_method", "d1", 1), 3)
    judge(slot_of(collection, "q1_background", "d3", 2), 0)

    assert bundle_of(collection, accept=accept).content == without


# The gate


@pytest.fixture
def unlicensed(collection) -> Collection:
    Collection.objects.filter(pk=collection.pk).update(licence="")
    collection.refresh_from_db()
    return collection


def test_a_closed_gate_publishes_nothing_and_says_what_to_mend(unlicensed):
    with pytest.raises(GateClosed, match="State one in the collection's settings") as closed:
        publish_release(collection=unlicensed, version="1.0")

    assert [finding.check for finding in closed.value.findings] == ["licence"]
    assert not Release.objects.exists()
    assert not path_of("small", "1.0").exists()


def test_what_was_accepted_is_recorded_in_manifest_and_readme(unlicensed):
    release = publish_release(collection=unlicensed, version="1.0", accept=accepting(["licence"]))

    assert [entry["check"] for entry in release.manifest["accepted"]] == ["licence"]
    readme = contents(release)["README.md"].decode()
    assert "**licence**: The collection states no licence." in readme


def test_accepting_what_is_in_order_changes_nothing_and_is_not_recorded(built):
    accept = accepting(["licence", "unresolved"])

    assert bundle_of(built.collection, accept=accept).content == built.content


def test_accepting_one_check_does_not_open_another(unlicensed):
    judge(slot_of(unlicensed, "q1_method", "d1", 1), 0)  # a pair to decide

    with pytest.raises(GateClosed) as closed:
        publish_release(collection=unlicensed, version="1.0", accept=accepting(["licence"]))

    assert [finding.check for finding in closed.value.findings] == ["unresolved"]


def test_only_known_checks_can_be_accepted(collection):
    for name in ("nonsense", "empty", "ids"):
        with pytest.raises(UnknownCheck, match=f"{name}.*Use one of licence, corpus-licence"):
            publish_release(collection=collection, version="1.0", accept=accepting([name]))


# Versions


BAD_VERSIONS = ["", "../1", "1/0", ".1", "a b", "-1", "1" * 41, "ä", "1\n"]


def test_a_version_that_is_no_plain_name_is_refused(collection):
    for version in BAD_VERSIONS:
        for ask in (publish_release, request_release):
            with pytest.raises(BadVersion) as refused:
                ask(collection=collection, version=version)
            assert repr(version) in str(refused.value)
    assert not Job.objects.exists()


def test_versions_look_like_this(collection):
    for version in ("1.0", "v1.0.0", "2025-01", "1.0_rc.1"):
        assert publish_release(collection=collection, version=version).version == version


def test_a_version_is_published_once_whatever_its_case(collection):
    release = publish_release(collection=collection, version="1.0_rc-1")

    for version in ("1.0_rc-1", "1.0_RC-1"):
        for ask in (publish_release, request_release):
            with pytest.raises(VersionTaken):
                ask(collection=collection, version=version)
    assert not Job.objects.exists()
    assert open_release(release)


def test_losing_the_race_for_a_version_leaves_the_winners_file_alone(collection):
    class BeatenToIt(DirectRun):
        """Another publishes the version between this one's look and its write."""

        def progress(self, done, total, note=""):
            if done == 2:
                self.winner = publish_release(collection=collection, version="1.0")
                judge(slot_of(collection, "q2_method", "d1", 1), 0)

    work = BeatenToIt()
    with pytest.raises(VersionTaken):
        publish_release(collection=collection, version="1.0", work=work)

    assert open_release(work.winner)


def test_the_database_refuses_to_change_or_delete_a_release(collection):
    release = collection.releases.create(version="1.0", sha256="1" * 64, size=1, manifest={})

    with pytest.raises(IntegrityError, match="never_edited"), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(sha256="0" * 64)
    with pytest.raises(IntegrityError, match="never_deleted"), transaction.atomic():
        Release.objects.filter(pk=release.pk)._raw_delete("default")


# Row and file


def test_a_crash_between_file_and_row_leaves_no_row_and_the_next_try_succeeds(collection):
    class Crashing(DirectRun):
        @contextmanager
        def fenced(self):
            with transaction.atomic():
                yield
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish_release(collection=collection, version="1.0", work=Crashing())
    assert path_of("small", "1.0").exists()
    assert not Release.objects.exists()
    judge(slot_of(collection, "q1_method", "d1", 1), 3)

    release = publish_release(collection=collection, version="1.0")

    assert open_release(release)


def test_nothing_unfinished_is_left_beside_the_release(collection):
    path_of("small", "1.0").parent.mkdir(parents=True)
    with pytest.raises(OSError):  # noqa: PT012
        path_of("small", "1.0").mkdir()
        publish_release(collection=collection, version="1.0")

    assert [path.name for path in path_of("small", "1.0").parent.iterdir()] == ["1.0.zip"]
    assert not Release.objects.exists()


def test_a_changed_or_missing_file_is_not_handed_out(collection):
    release = publish_release(collection=collection, version="1.0")
    path = path_of("small", "1.0")
    content = bytearray(path.read_bytes())
    content[100] ^= 1

    path.write_bytes(content)
    with pytest.raises(ReleaseDamaged, match="SHA-256 differs"):
        open_release(release)
    path.unlink()
    with pytest.raises(ReleaseDamaged, match=r"small 1\.0 is missing"):
        open_release(release)


# The job


def test_the_job_publishes(collection):
    admin = User.objects.get(username="admin")
    job = request_release(collection=collection, version="1.0", requested_by=admin)

    run(job.pk)

    release = Release.objects.get()
    job.refresh_from_db()
    assert (job.state, job.result["sha256"]) == (State.SUCCEEDED, release.sha256)
    assert release.published_by == admin


def test_the_job_says_what_to_mend(unlicensed):
    job = request_release(collection=unlicensed, version="1.0")

    run(job.pk)

    job.refresh_from_db()
    assert job.state == State.FAILED
    assert job.error.startswith("Nothing was published. Fix these findings first:\n- licence:")


def test_asking_twice_is_one_job(collection):
    first = request_release(collection=collection, version="1.0")

    assert request_release(collection=collection, version="1.0") == first
    assert Job.objects.count() == 1


def test_a_request_to_accept_what_cannot_be_accepted_makes_no_job(collection):
    with pytest.raises(UnknownCheck):
        request_release(collection=collection, version="1.0", accept={"empty": "Why not?"})
    assert not Job.objects.exists()


# Real concurrency


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_of_many_who_publish_a_version_at_once_one_wins_and_its_file_stands():
    collection = a_judged_collection()
    start = threading.Barrier(4)

    def publish(_):
        try:
            start.wait()
            return publish_release(collection=collection, version="1.0")
        except VersionTaken:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        published = [release for release in pool.map(publish, range(4)) if release]

    assert published == [Release.objects.get()]
    assert open_release(published[0])
    assert [path.name for path in path_of("small", "1.0").parent.iterdir()] == ["1.0.zip"]


# One moment


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_judgment_that_comes_while_the_snapshot_is_taken_is_not_in_it(monkeypatch):
    """PostgreSQL only: on SQLite no other process can write while the snapshot is taken."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL; set DATABASE_URL")
    collection = a_judged_collection()
    slot = slot_of(collection, "q1_method", "d1", 1)
    read_ratings = snapshot.stored_ratings

    def revise():
        judge(slot, 0)
        connection.close()

    def ratings_after_a_revision(*args):
        thread = threading.Thread(target=revise)
        thread.start()
        thread.join()
        return read_ratings(*args)

    monkeypatch.setattr(snapshot, "stored_ratings", ratings_after_a_revision)
    result = take_snapshot(collection)

    grades = {(r.query, r.docno, r.slot): r.grade for r in result.ratings}
    assert grades["q1_method", "d1", 1] == 3
    slot.refresh_from_db()
    assert slot.judgment.grade == 0
