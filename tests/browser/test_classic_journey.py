"""A classic collection in a browser: topics, binary grades, no facets; from files to scores."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections import defaultdict
from pathlib import Path
from statistics import mean

import ir_datasets
import ir_measures
import pytest
import pytrec_eval
from ir_measures import nDCG
from playwright.sync_api import Page, expect

from accounts.models import Collection, User
from annotation.models import Opening, Slot
from pooling.models import Candidate, Pool
from tests.support.classic_collection import is_relevant, write_importable_collection
from tests.support.journeys import add_people, publish, wait_for_jobs
from tests.support.judging_page import read_and_press
from tests.support.running import wait_until

# The workers and the services are tested on each database elsewhere.
pytestmark = [
    pytest.mark.by_day(4, day=3),
    pytest.mark.browser,
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
]

# FULL_WALK=1 makes it as large as Cranfield.
DOCUMENTS, TOPICS = (1_400, 225) if os.environ.get("FULL_WALK") else (80, 8)


def test_topics_and_documents_with_the_same_ids_become_qrels_that_every_tool_scores(
    people, visit, start_worker, tmp_path
):
    write_importable_collection(tmp_path, documents=DOCUMENTS, topics=TOPICS)
    start_worker(include="")
    admin = visit("ada")
    create(admin)
    import_files(admin, tmp_path)
    build_and_freeze_pools(admin)
    open_all(admin)
    topic = judge_first_topic(visit("bea"))
    import_the_other_judgments(admin, tmp_path, topic)

    with zipfile.ZipFile(io.BytesIO(publish(admin, "classic"))) as archive:
        archive.extractall(tmp_path / "release")
    scores = check_scores(tmp_path / "release", tmp_path / "mine.run")
    check_leaderboard(admin, scores["mine"])


def create(admin: Page) -> None:
    admin.goto("/collections/new/")
    admin.get_by_label("Name", exact=True).fill("Classic")
    admin.locator("select[name=licence]").select_option("CC0-1.0")
    expect(admin.get_by_role("button", name="Add a facet")).to_have_count(0)
    admin.get_by_label("No facets").check()
    admin.get_by_label("Scale").select_option("1")
    expect(admin.locator("#grade-names tbody tr")).to_have_count(2)
    expect(admin.locator("#grade-names")).to_contain_text("Not relevant")
    admin.get_by_label("Name of grade 1").fill("Useful")
    admin.get_by_role("button", name="Create the collection").click()
    expect(admin.get_by_text("You are its admin")).to_be_visible()
    collection = Collection.objects.get(slug="classic")
    assert (collection.highest_grade, collection.facets.get().key) == (1, "")


def import_files(admin: Page, folder: Path) -> None:
    for page, name, action in (
        ("documents/import/", "documents.jsonl", ""),
        ("queries/add/", "topics.txt", "topics"),
        ("runs/add/", "mine.run", "runs/import/"),
    ):
        admin.goto(f"/c/classic/{page}")
        form = admin.locator(f"form[enctype][action*='{action}']" if action else "form[enctype]")
        form.locator("input[type=file]").first.set_input_files(folder / name)
        form.get_by_role("button", name=re.compile("^Import the")).click()
        expect(admin.get_by_text("Done").first).to_be_visible()
        wait_for_jobs()
    collection = Collection.objects.get(slug="classic")
    assert (collection.documents.count(), collection.queries.count()) == (DOCUMENTS, TOPICS)


def build_and_freeze_pools(admin: Page) -> None:
    admin.goto("/c/classic/pools/plan/")
    admin.locator("input[name=interleaved-n]").fill("3")
    admin.get_by_role("button", name=re.compile("^Build")).click()
    admin.wait_for_url("**/pools/")
    wait_for_jobs()
    admin.goto("/c/classic/pools/")
    admin.get_by_role("button", name=re.compile("^Freeze")).click()
    admin.get_by_role("button", name=f"Freeze {TOPICS} pools", exact=True).click()
    wait_until(lambda: Pool.objects.filter(frozen_at=None).count() == 0, 60, "all are frozen")


def open_all(admin: Page) -> None:
    add_people(admin, "classic", {"bea": "annotator", "cid": "annotator"})
    admin.goto("/c/classic/judging/?state=not-open")
    everything = admin.locator("input[name=everything]")  # only if there are several pages
    (everything if everything.count() else admin.get_by_label("Tick all on this page")).check()
    for name in ("bea", "cid"):
        admin.get_by_label(name).check()
    admin.get_by_role("button", name=re.compile("^Open .*quer(y|ies)…")).click()
    admin.get_by_role("button", name=f"Open {TOPICS} queries", exact=True).click()
    wait_until(lambda: Opening.objects.count() == TOPICS, 60, "all are open")


def judge_first_topic(annotator: Page) -> str:
    """By keyboard alone, after the link to the topic. Returns the topic."""
    annotator.goto("/c/classic/judge/")
    annotator.get_by_role("link", name="Start judging").first.click()
    annotator.wait_for_url(re.compile("/judge/[0-9]+/"))
    topic = annotator.url.split("/judge/")[1].split("/")[0]
    bea = User.objects.get(username="bea")
    slots = Slot.objects.filter(annotator=bea, pair__query__name=topic)
    expect(annotator.locator(".query")).to_contain_text("is relevant")  # the narrative
    for done in range(slots.count()):
        slot = slots.unjudged().select_related("pair__candidate__document").earliest("position")
        relevant = is_relevant(topic, slot.pair.candidate.document.docno, topics=TOPICS)
        read_and_press(annotator, str(int(relevant)))
        wait_until(lambda done=done: slots.judged().count() == done + 1, 10, "it is saved")
    return topic


def import_the_other_judgments(admin: Page, folder: Path, judged: str) -> None:
    lines = ["query,docno,annotator,grade"]
    pairs = Candidate.objects.values_list("pool__query_paper__name", "document__docno")
    for query, docno in pairs:
        grade = int(is_relevant(query, docno, topics=TOPICS))
        for annotator in ("first", "second")[: 1 if query == judged else 2]:
            lines.append(f"{query},{docno},{annotator},{grade}")
    path = folder / "judgments.csv"
    path.write_text("\n".join(lines))
    admin.goto("/c/classic/judgments/import/")
    form = admin.locator("form[enctype]")
    form.locator("input[type=file]").first.set_input_files(path)
    form.get_by_role("button", name=re.compile("^Import the")).click()
    wait_until(lambda: not Slot.objects.unjudged().exists(), 60, "all pairs are judged")
    wait_for_jobs()


def check_scores(release: Path, own_run: Path) -> dict[str, float]:
    """The same scores from three tools, for a run of the release and for the file as it was.

    Returns each run's mean nDCG@10.
    """
    topics = {str(number) for number in range(1, TOPICS + 1)}
    qrels_file = release / "trec/qrels.all.txt"
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in qrels_file.read_text().splitlines():
        topic, _, docno, grade = line.split()
        qrels[topic][docno] = int(grade)
    assert set(qrels) == topics
    runs = {path.stem: path for path in (release / "runs").glob("*.txt")}
    assert {"mine", "bm25_abstract.english"} <= set(runs)

    dataset = ir_datasets.create_dataset(
        queries_tsv=str(release / "trec/topics.tsv"), qrels_trec=str(qrels_file)
    )
    assert {query.query_id for query in dataset.queries_iter()} == topics
    assert dataset.qrels_dict() == qrels

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"})
    means = {}
    for path in (own_run, *runs.values()):
        run = list(ir_measures.read_trec_run(str(path)))
        by_topic: dict[str, dict[str, float]] = defaultdict(dict)
        for scored in run:
            by_topic[scored.query_id][scored.doc_id] = scored.score
        direct = {
            topic: values["ndcg_cut_10"] for topic, values in evaluator.evaluate(by_topic).items()
        }
        measured = {
            metric.query_id: metric.value
            for metric in ir_measures.iter_calc([nDCG @ 10], dataset.qrels_iter(), run)
        }
        assert set(direct) == topics, path
        assert measured == pytest.approx(direct)
        assert min(direct.values()) > 0 if path == own_run else max(direct.values()) > 0, path
        means[path.stem] = mean(direct.values())
    return means


def check_leaderboard(admin: Page, expected: float) -> None:
    admin.goto("/c/classic/evaluation/")
    admin.get_by_role("button", name="Score all systems").click()
    wait_for_jobs()
    admin.goto("/c/classic/evaluation/?profile=trec&measure=nDCG@10")
    row = admin.get_by_role("row").filter(has=admin.get_by_role("rowheader", name="mine"))
    expect(row.locator("td.strong")).to_have_text(f"{expected * 100:.2f}")
    expect(row).to_contain_text("in the pool")
