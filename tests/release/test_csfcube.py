"""CSFCube's release as a collection: what its files say is there, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from annotation.judging import state_of
from annotation.models import Judgment, Pair, Reason, Slot
from annotation.presentation import present
from corpus.models import Document
from jobs.models import Report
from pooling.models import Candidate
from release.csfcube import NOT_IN_RELEASE
from tests.builders import person
from tests.real_data import SHARED

pytestmark = pytest.mark.django_db
RATINGS = "test-pid2anns-csfcube-method.json"
RATED = {
    "cands": ["1", "2", "3", "4"],
    "relevance_ann2": [0, 2, -1, 3],
    "relevance_ann4": [0, 1, 1, 1],
    "relevance_adju": [0, 1, 1, 2],
}
POOLED = {"cands": ["4", "2", "1", "9", "3"], "cand_source": [["cited", "specter"], *([["specter"]] * 4)]}
PAPERS = [("7", "2015"), *((docno, "None") for docno in "1234")]


@pytest.fixture
def folder(tmp_path):
    """A release of one judged query, 7 under its method, and one that nobody judged."""
    rows = "pid,facet,year,title,paper type\n7,method,2015,On 7,theoretical\n8,result,2016,On 8,theoretical\n"
    (tmp_path / "queries-release.csv").write_text(rows)
    (tmp_path / "test-pid2pool-csfcube.json").write_text(json.dumps({"7": POOLED, "8": POOLED}))
    (tmp_path / RATINGS).write_text(json.dumps({"7": RATED}))
    splits = {"method": {"fold1_dev": ["7_method"], "fold1_test": [], "fold2_dev": [], "fold2_test": ["7_method"]}}
    (tmp_path / "evaluation_splits.json").write_text(json.dumps(splits))
    blocks = "".join(
        f"======\npaper_id: {docno}; YEAR: {year}\n{'adju relevance: 1' if docno != '7' else ''}\nTITLE: On {docno}\n"
        f"ABSTRACT: objective_label: Why\u2028{docno}.\nmethod_label: How.\n\n"
        for docno, year in PAPERS
    )
    (tmp_path / "readable_annotations").mkdir()
    (tmp_path / "readable_annotations" / "7-method-adju.txt").write_text(blocks)
    return tmp_path


def give_abstracts(folder: Path) -> None:
    lines = [
        {
            "paper_id": docno,
            "metadata": {"year": None if year == "None" else int(year), "venue": "ACL"},
            "title": f"On {docno}",
            "abstract": [f"Why\u2028{docno}.", "How."],
            "pred_labels": ["objective_label", "method_label"],
        }
        for docno, year in PAPERS
    ]
    (folder / "abstracts-csfcube-preds.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def imported(folder: Path, slug: str = "cube") -> Collection:
    call_command("import_csfcube", slug, folder, "--admin", person("admin").username)
    return Collection.objects.get(slug=slug)


def test_pairs_have_their_judgments_and_labels(folder):
    pairs = labelled_pairs(imported(folder))
    rows = pairs[["docno", "state", "first", "second", "final"]].astype(object).where(pairs.notna(), None)
    assert rows.to_numpy().tolist() == [
        ["1", "agreed", 0, 0, 0],
        ["2", "decided", 2, 1, 1],
        ["3", "decided", None, 1, 1],
        ["4", "decided", 3, 1, 2],
    ]
    judges = tuple(str(person(name).pk) for name in ("cube-ann2", "cube-ann4"))
    assert {*zip(pairs["first_judge"], pairs["second_judge"], strict=True)} == {judges}


def test_everything_else_holds_as_if_it_was_judged_here(folder):
    collection = imported(folder)
    query = collection.queries.get(name="7_method")
    assert (query.paper_type, query.fold, query.document.year) == ("theoretical", 2, 2015)
    for slot in Slot.objects.filter(pair__query=query).select_related("judgment", "pair__document"):
        assert slot.judgment.judge == slot.judge
        assert slot.judgment.digest == present(query, slot.pair.document, guideline_version=1).digest
    for pair in Pair.objects.filter(query=query, decisions=None):
        assert state_of([slot.judgment for slot in pair.slots.all()], pair.referred) == (pair.state, pair.final)
    missing = Judgment.objects.get(grade=None)
    assert (missing.reason, missing.note) == (Reason.OTHER, NOT_IN_RELEASE)
    assert query.openings.get().closed_at
    assert collection.guidelines.count() == 3
    assert collection.memberships.get(user__username="admin").roles == ["admin"]


def test_what_nobody_judged_stays_in_the_frozen_pool_without_a_pair(folder):
    query = imported(folder).queries.get(name="7_method")
    pool = query.pools.get()
    assert pool.pool_set.is_frozen
    assert list(pool.candidates.values_list("document__docno", "source"))[:2] == [("4", "cited"), ("2", "specter")]
    assert pool.candidates.count() == 5
    assert not query.pairs.filter(document__docno="9").exists()
    assert not query.collection.queries.get(name="8_result").openings.exists()


def test_nobody_can_log_in_as_an_annotator(folder):
    imported(folder)
    people = User.objects.filter(username__startswith="cube-")
    assert {user.username for user in people} == {"cube-ann2", "cube-ann4", "cube-adjudicator"}
    assert not any(user.has_usable_password() or user.email for user in people)


def test_texts_come_from_either_file(folder):
    first = imported(folder, "texts")
    give_abstracts(folder)
    second = imported(folder, "abstracts")
    one, other = (
        each.documents.values_list("docno", "title", "sentences", "labels", "year") for each in (first, second)
    )
    assert list(one.order_by("docno")) == list(other.order_by("docno"))
    assert Document.objects.get(collection=first, docno="1").sentences == ["Why\u20281.", "How."]
    assert Document.objects.get(collection=first, docno="8").title == "On 8"  # from the list of queries
    predicted = second.documents.filter(labels_predicted=True)
    assert set(predicted.values_list("docno", flat=True)) == {"1", "2", "3", "4"}  # those of queries are corrected


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (RATINGS, "[0, 2, -1, 3]", "[0, 2, -1]", "one length"),
        (RATINGS, "[0, 2, -1, 3]", "[0, 2, -1, 4]", "is 4"),
        (RATINGS, "[0, 2, -1, 3]", "[0, 2, -1, 1.5]", "is 1.5"),
        (RATINGS, '"relevance_ann4"', '"ann4"', "two annotators"),
        (RATINGS, "[0, 1, 1, 2]", "[1, 1, 1, 2]", "its label is 1"),
        (RATINGS, '"4"]', '"3"]', "twice"),
        (RATINGS, '"4"]', '"5"]', "no text"),
        (RATINGS, '"7"', '"6"', "does not list"),
        (RATINGS, "{", "", "not JSON"),
        ("test-pid2pool-csfcube.json", '"3"]', '"33"]', "not in the pool"),
        ("test-pid2pool-csfcube.json", '["cited", "specter"]', "[]", "no source"),
        ("test-pid2pool-csfcube.json", '"8"', '"88"', "a pool in"),
        ("readable_annotations/7-method-adju.txt", "TITLE: On 2", "On 2", "paper 3"),
        ("readable_annotations/7-method-adju.txt", "method_label: ", "", "begins with its label"),
    ],
)
def test_a_broken_release_is_refused_whole(folder, file, old, new, said):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    with pytest.raises(CommandError, match=said):
        imported(folder)
    assert not Collection.objects.exists()


def test_what_exists_is_not_touched(folder):
    imported(folder)
    with pytest.raises(CommandError, match="already exists"):
        imported(folder)
    person("other-ann2")
    with pytest.raises(CommandError, match="belongs to someone"):
        imported(folder, "other")
    with pytest.raises(CommandError, match="no account"):
        call_command("import_csfcube", "third", folder, "--admin", "nobody")


CSFCUBE = SHARED / "csfcube"
# Medians over queries before and after adjudication: ρ, α, κ, %. Then queries, pairs, and what was overruled in %.
PUBLISHED = {
    "background": ([0.4553, 0.4288, 0.2814, 57.0672], [0.7310, 0.7201, 0.6214, 77.6813], (16, 1877, 3.44, 3.09)),
    "method": ([0.3086, 0.2557, 0.2029, 69.6000], [0.6258, 0.6107, 0.5371, 84.4660], (17, 2174, 2.40, 2.02)),
}


@pytest.mark.csfcube
@pytest.mark.skipif(not CSFCUBE.exists(), reason="CSFCube's release is not here")
def test_the_published_release_has_the_published_agreement():
    collection = imported(CSFCUBE, "csfcube")
    for facet in PUBLISHED:
        for paper, rated in json.loads((CSFCUBE / f"test-pid2anns-csfcube-{facet}.json").read_text()).items():
            pairs = Pair.objects.filter(query__collection=collection, query__name=f"{paper}_{facet}")
            labels = dict(pairs.values_list("document__docno", "final"))
            assert labels == dict(zip(rated["cands"], rated["relevance_adju"], strict=True))
    pairs = set(Pair.objects.of(collection).values_list("query", "document__docno"))
    pooled = Candidate.objects.filter(pool__pool_set__collection=collection, pool__query__openings__isnull=False)
    unjudged = {*pooled.values_list("pool__query", "document__docno")} - pairs
    assert {docno for _, docno in unjudged} == {"5111924", "41022419"}
    assert Pair.objects.of(collection).filter(query__name="8781666_background", document__docno="8781666").exists()
    call_command("compute_agreement", "csfcube", "--missing", "zero")
    for row in Report.objects.find(collection, "agreement", missing="zero").data["facets"]:
        before, after, sizes = PUBLISHED[row["facet"]]
        for stage, expected in (("before", before), ("after", after)):
            found = [row[stage][key]["median"] for key in ("spearman", "alpha", "kappa", "percent")]
            assert [round(value, 4) for value in found] == expected
        assert (row["queries"], row["judged"], round(row["overruled_mean"], 2), round(row["overruled"], 2)) == sizes
