"""The rows that an import of a release makes, where no file of a later release shows them."""

from __future__ import annotations

import json
import re

import pytest

from accounts.models import Collection
from adjudication.models import Decision
from annotation.models import Judgment, Seat
from bundle.names import CORPUS, DOCUMENTS, QUERY_PAPERS, SETTINGS
from bundle.options import LabelSource, ReleaseOptions, Texts
from corpus.models import ImportStep
from jobs.context import DirectRun
from pooling.models import Contribution, Pool
from pooling.services import freeze_pools
from release.importing.context import ReleaseRefused
from release.importing.models import ReleaseImport
from release.importing.service import import_release
from tests.release.test_runs import judged as judge_all_of
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.every_kind import a_collection_of_every_kind
from tests.support.pooling_scenes import a_listed_collection, built

pytestmark = pytest.mark.django_db
RATINGS = "annotations/ratings.csv"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def files(rolled_back, tmp_path_factory) -> Files:
    with rolled_back():
        return released_files(a_collection_of_every_kind(tmp_path_factory.mktemp("every-kind")))


@pytest.fixture(scope="module")
def listed(rolled_back) -> dict[LabelSource, Files]:
    """Those of releases with runs: q1 cites d02 and d05, and the build forces nothing."""
    with rolled_back():
        collection = a_listed_collection()
        Collection.objects.filter(pk=collection.pk).update(licence="CC0-1.0")
        built(collection, forced=())
        freeze_pools(collection=collection)
        judge_all_of(collection.queries.get())
        return {
            labels: released_files(collection, ReleaseOptions(labels=labels))
            for labels in LabelSource
        }


def imported(files: Files, folder, **options) -> Collection:
    path = write_bundle(folder / "release.zip", with_new_sums(files))
    import_release(path=path, slug="copy", **options)
    return Collection.objects.get(slug="copy")


@pytest.fixture(scope="module")
def unchanged_of_file(made_once, files, tmp_path_factory):
    with made_once(lambda: imported(files, tmp_path_factory.mktemp("unchanged"))) as made:
        yield made


@pytest.fixture
def unchanged(unchanged_of_file, own_copy) -> Collection:
    """The import of a release as it is."""
    return own_copy(unchanged_of_file)


def changed(files: Files, name: str, old: str, new: str) -> Files:
    text, number = re.subn(old, new, files[name].decode())
    assert number
    return {**files, name: text.encode()}


def test_a_seat_goes_to_the_person_who_judged_most_pairs_in_its_slot(files, tmp_path):
    """In both slots together, each of the three judged two pairs."""
    rows = {("d1", 1): 1, ("d2", 1): 1, ("d3", 1): 2, ("d1", 2): 2, ("d2", 2): 3, ("d3", 2): 3}
    for (docno, slot), person in rows.items():
        start = f"(q1_background,background,{docno},{slot},annotator)-[0-9]"
        files = changed(files, RATINGS, start, rf"\1-{person}")

    copy = imported(files, tmp_path, verified=True)

    seats = Seat.objects.filter(opening__query__collection=copy)
    found = seats.filter(opening__query__name="q1_background").order_by("number")
    assert [(seat.number, seat.annotator.first_name) for seat in found] == [
        (1, "annotator-1"),
        (2, "annotator-3"),
    ]
    assert seats.values("annotator", "opening").distinct().count() == seats.count()


def test_what_matches_are_about_comes_back_with_the_names(unchanged):
    rows = Judgment.objects.filter(slot__pair__query__collection=unchanged).order_by("slot__number")
    found = {
        (query, docno): list(
            rows.filter(
                slot__pair__query__name=query, slot__pair__candidate__document__docno=docno
            ).values_list("aspects", flat=True)
        )
        for query, docno in [
            *(("q1_background", "d1"), ("t1_result", "d1")),
            *(("q1_method-aim", "d1"), ("q1_method-aim", "d2")),
        ]
    }
    assert list(found.values()) == [[None, None], [[1], [1, 2]], [[], []], [[], [3]]]
    assert unchanged.queries.get(name="t1_result").aspect_names == ["lift", "the drag, too"]


@pytest.mark.parametrize("aspects", ["5 2", "2 2", "0", "x"])
def test_aspects_of_a_release_that_are_no_numbers_in_order_are_refused(files, tmp_path, aspects):
    files = changed(files, RATINGS, r"(t1_result,result,d1,1,.*),1\r", rf"\1,{aspects}\r")

    with pytest.raises(ReleaseRefused, match="aspects must be numbers in order"):
        imported(files, tmp_path)


def test_aspects_of_a_release_without_a_match_are_refused(files, tmp_path):
    files = changed(files, RATINGS, r"(q1_method-aim,method,d1,1,.*),none\r", r"\1,3\r")

    with pytest.raises(ReleaseRefused, match="aspects go with a grade above 0"):
        imported(files, tmp_path)


def test_one_named_aspect_alone_is_refused(files, tmp_path):
    files = changed(files, QUERY_PAPERS, r', "the drag, too"', "")

    with pytest.raises(ReleaseRefused, match="t1_result: Name at least two aspects"):
        imported(files, tmp_path)


def test_an_imported_decision_is_the_first_on_its_pair(unchanged):
    decisions = Decision.objects.filter(pair__query__collection=unchanged)
    assert decisions.count() == 6
    assert set(decisions.values_list("sequence", flat=True)) == {1}


def test_the_imports_of_documents_are_recorded_with_their_steps(files, tmp_path):
    steps = [("valid", 4, 12), ("english", 2, 10)]
    counts = {"created": 5, "updated": 3, "unchanged": 2}
    common = {"source": "a.jsonl", "format": "JSON Lines", "recipe": {}, **counts}
    listed = [{"name": name, "removed": gone, "remaining": left} for name, gone, left in steps]
    history = {"imports": [{**common, "steps": listed}, {**common, "steps": []}]}

    copy = imported({**files, CORPUS: json.dumps(history).encode()}, tmp_path)

    first, second = copy.document_imports.all()
    for row, read in ((first, 12), (second, 10)):
        found = {name: getattr(row, name) for name in (*counts, "read")}
        assert found == {**counts, "read": read}
    rows = ImportStep.objects.filter(document_import=first).order_by("position")
    assert list(rows.values_list("position", "name", "removed", "remaining")) == [
        (place, *step) for place, step in enumerate(steps)
    ]


def test_values_computed_before_the_documents_came_are_out_of_date(unchanged):
    assert unchanged.corpus_version == 1


def test_the_release_and_its_manifest_are_recorded(files, unchanged):
    record = ReleaseImport.objects.get(collection=unchanged)
    sums = with_new_sums(files)["SHA256SUMS"].decode()
    assert record.version == "1.0"
    assert f"{record.sha256}  manifest.json\n" in sums
    assert not unchanged.judgment_imports.exclude(judgments=3, decisions=1).exists()


def test_the_groups_of_annotators_are_in_the_next_release_too(files, tmp_path):
    groups = [{"label": "Degree", "groups": [{"label": "Master", "people": 3}]}]
    settings = json.loads(files[SETTINGS])
    settings["datasheet"]["annotators"] = groups

    copy = imported({**files, SETTINGS: json.dumps(settings).encode()}, tmp_path)

    assert ReleaseImport.objects.get(collection=copy).annotators == groups
    again = released_files(copy)
    assert json.loads(again[SETTINGS])["datasheet"]["annotators"] == groups
    assert "| Degree | Master | 3 |" in again["datasheet.md"].decode()


# Pools


def test_sources_that_did_not_draw_are_not_among_the_drawers(unchanged):
    """A pool that was not drawn here: what drew each document follows from its sources."""
    pool = Pool.objects.get(query_paper__collection=unchanged, query_paper__name="q1")

    assert (pool.drawn, pool.retriever_order) == ({"bm25_title": 3}, ["bm25_title"])
    assert (pool.size, pool.to_judge, pool.forced, pool.deepest) == (3, 3, 0, None)
    assert (pool.depth, pool.shortfall, pool.shortfall_sum) == ({}, {}, 0)


def test_imported_and_cited_documents_have_no_retriever(files, tmp_path):
    rows = [json.loads(line) for line in files["pools/pool.jsonl"].splitlines()]
    pool = [row for row in rows if row["query_paper"] == "q1"]
    for row, drawer in zip(pool, ("cited", "imported", None), strict=True):
        for source in row["sources"]:
            source["drawn"] = drawer is not None and source["source"] == "bm25_title"
            source["source"] = drawer if source["drawn"] else source["source"]
    lines = "".join(json.dumps(row) + "\n" for row in rows)

    copy = imported({**files, "pools/pool.jsonl": lines.encode()}, tmp_path)

    found = Pool.objects.get(query_paper__collection=copy, query_paper__name="q1")
    assert (found.drawn, found.retriever_order) == ({"cited": 1, "imported": 1}, [])
    assert found.forced == 1


def test_only_a_release_of_citations_adds_what_is_cited(files, listed, tmp_path):
    """Its import has the sources of the pool, which the next such release completes again."""
    rows = [json.loads(line) for line in files["pools/pool.jsonl"].splitlines()]
    rows[0]["sources"].append({"source": "cited", "rank": None, "score": None, "drawn": False})
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    of_judgments = {**files, "pools/pool.jsonl": lines.encode()}
    of_citations = listed[LabelSource.CITATIONS]
    assert b'"cited"' in of_citations["pools/pool.jsonl"]

    found = {}
    for slug, some in (("judged", of_judgments), ("citing", of_citations)):
        path = write_bundle(tmp_path / f"{slug}.zip", with_new_sums(some))
        import_release(path=path, slug=slug)
        pools = Pool.objects.filter(query_paper__collection__slug=slug)
        sources = Contribution.objects.filter(candidate__pool__in=pools)
        found[slug] = set(sources.values_list("source", flat=True))

    assert found == {"judged": {"also", "bm25_title", "cited"}, "citing": {"up", "down"}}


# Runs


def test_a_run_that_a_build_names_must_have_a_file(listed, tmp_path):
    files = {**listed[LabelSource.JUDGED]}
    manifest = json.loads(files["manifest.json"])
    for run in manifest["runs"]:
        if run["name"] == "up":
            run["file"] = None
    del files["runs/up.txt"]

    with pytest.raises(ReleaseRefused, match=r"The run up of a pool build has no file"):
        imported({**files, "manifest.json": json.dumps(manifest).encode()}, tmp_path)


@pytest.mark.parametrize(("old", "new"), [("d05", "d06"), ("q1 Q0 d05 5 ", "q1 Q0 d05 ")])
def test_another_file_than_the_recorded_run_is_refused(listed, tmp_path, old, new):
    files = changed(listed[LabelSource.JUDGED], "runs/up.txt", old, new)

    with pytest.raises(ReleaseRefused, match=r"runs/up.txt: does not have the SHA-256 of the run"):
        imported(files, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("^q1 ", "q9 ", "runs/up.txt:1: the query 'q9' is not in the release."),
        ("^q1 Q0 d05 5 ", "q1 Q0 d05 ", "runs/up.txt:5: "),
    ],
)
def test_a_run_with_an_invalid_line_is_refused(listed, tmp_path, old, new, words):
    """Its digest is right, as a forger would write it."""
    files = changed(listed[LabelSource.JUDGED], "runs/up.txt", f"(?m){old}", new)
    manifest = json.loads(with_new_sums(files)["manifest.json"])
    sha256 = manifest["files"]["runs/up.txt"]["sha256"]
    up = next(run for run in manifest["runs"] if run["name"] == "up")
    old_sha256, up["sha256"] = up["sha256"], sha256
    text = json.dumps(manifest).replace(old_sha256, sha256)

    with pytest.raises(ReleaseRefused, match=re.escape(words)):
        imported({**files, "manifest.json": text.encode()}, tmp_path)


# Progress and refusals of files


class Recording(DirectRun):
    """Work whose progress is kept by its note: the last number, and of how many."""

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[str, tuple[int, int | None]] = {}
        self.result: dict[str, object] = {}

    def progress(self, done, total, note="") -> None:
        self.last[note] = (done, total)

    def complete(self, result) -> None:
        self.result = result


def test_an_import_reports_its_progress_and_its_result(files, listed, tmp_path):
    work = Recording()
    imported(listed[LabelSource.JUDGED], tmp_path, work=work)
    of_runs = work.last
    work = Recording()
    whole = with_new_sums(files)
    path = write_bundle(tmp_path / "more.zip", whole)

    report = import_release(path=path, slug="more", work=work)

    assert of_runs["runs imported"] == (2, None)
    assert of_runs["pools imported"] == (1, 1)
    total = sum(map(len, whole.values()))
    compared = total - len(whole["SHA256SUMS"])
    assert work.last.pop("bytes compared") == (compared, total + 1)
    assert work.last == {
        "checks made": (20, 20),
        "documents imported": (9, None),
        "pools imported": (4, 4),
        "judged queries imported": (6, 6),
    }
    assert work.result["judgments"] == report.judgments == 32
    assert (report.collection, report.version, report.query_papers) == ("more", "1.0", 5)
    assert (report.runs, report.runs_left_out, report.changed_texts) == (0, 0, 0)


def test_documents_that_cannot_be_read_are_named(files, tmp_path):
    collection = Collection.objects.filter(slug="small")
    assert not collection.exists()
    without = released_files(a_collection_of_every_kind(tmp_path), ReleaseOptions(texts=Texts.NONE))
    assert DOCUMENTS in without
    missing = tmp_path / "nothing" / "documents.jsonl"

    with pytest.raises(ReleaseRefused, match=r"documents\.jsonl cannot be read: No such file"):
        imported(without, tmp_path, texts=missing)
