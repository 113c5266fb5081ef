"""Published labels: from a file of qrels, with their origin, and nobody invented as their judge."""

from __future__ import annotations

import io
import re
import zipfile

import ir_measures
import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse

from adjudication.labels import final_labels, labels_state
from annotation import importing, openings, published
from annotation.models import Pair, PublishedLabel, Qrels, Slot
from corpus.queries import import_topics
from corpus.uploads import find_upload, keep_upload
from dashboard import overview
from evaluation.copies import make_copy
from evaluation.measures import OPEN, score
from evaluation.scores import labels_of
from jobs.models import Report
from jobs.work import run, run_now
from pooling.building import freeze_pools
from pooling.models import Candidate
from release import gate
from release.verify import verify
from tests import builders
from tests.release.helpers import built, files_of, unpacked
from tests.release.test_verify import change
from web.errors import BadInput

pytestmark = pytest.mark.django_db
ORIGIN = "Harbour qrels, a made-up lab, https://example.org/qrels, CC0"


@pytest.fixture
def topics(collection):
    """Topics 1 and 2 of twelve documents, two of which no qrels have."""
    for docno in "abcdefghij":
        builders.document(collection, docno)
    return [builders.topic(collection, name, f"Topic {name}") for name in ("1", "2")]


QRELS = "1 0 a 2\n1 0 b 0\n1 0 zz 1\n2 0 b 1\n2 0 c 0\n9 0 a 1\n"


def plan(collection, path: str, zeros: bool = False, **grades) -> published.LabelPlan:
    return published.plan_labels(collection, path, grades=grades, match_leading_zeros=zeros)


def imported(collection, path: str, zeros: bool = False, **grades) -> dict[str, object]:
    about = {"origin": ORIGIN, "grades": grades, "match_leading_zeros": zeros}
    return run_now(published.KIND, collection=collection, path=path, **about)


@pytest.fixture
def labelled(collection, topics, upload):
    imported(collection, upload("harbour.txt", QRELS))
    return collection


def judged(collection, upload, rows: str) -> None:
    path = upload("judged.csv", "query,docno,judge,grade\n" + rows)
    columns = importing.guess(["query", "docno", "judge", "grade"])
    importing.write_judgments(collection, path, columns=columns, people={}, match_leading_zeros=False)


def test_a_grade_that_contradicts_is_refused_with_both_lines(collection, topics, upload):
    path = upload("qrels_contradict.txt")
    with pytest.raises(BadInput, match=r"qrels_contradict.txt:2: 1 a has the grade 2, and 0 on line 1"):
        plan(collection, path)
    found = plan(collection, upload("f.txt", "2 0 b 1\n2 0 b 1\n"))
    assert (len(found.labels), found.repeated, found.lines) == (1, 1, {1: 1})


def test_leading_zeros_are_named_and_matched_only_when_asked(collection, upload):
    for docno in ("d1", "d2"):
        builders.document(collection, docno)
    import_topics(collection=collection, path=upload("topics_leading_zero.txt"))
    path = upload("qrels_leading_zero.txt")
    (fault,) = plan(collection, path).faults
    assert fault.startswith("1 of 2 queries are known here only without leading zeros, such as '51' as '051'.")
    with pytest.raises(BadInput, match="Match leading zeros"):
        imported(collection, path)
    imported(collection, path, zeros=True)
    assert labels_of(collection) == {"051": {"d1": 1}, "100": {"d2": 1}}


def test_a_negative_grade_is_named_and_never_positive(collection, topics, upload):
    path = upload("qrels_negative_bom.tsv")
    found = plan(collection, path)
    assert (found.lines, found.grades, found.faults) == ({-1: 1, 2: 1}, {-1: None, 2: 2}, [])
    assert plan(collection, path, **{"-1": 1}).faults == [
        "The grade -1 is below the scale: leave it out, or take it as 0."
    ]
    imported(collection, path)
    assert labels_of(collection) == {"1": {"b": 2}}
    assert Qrels.objects.get().grades == {"-1": None, "2": 2}
    imported(collection, upload("again.tsv", "1\ta\t-1\n"), **{"-1": 0})
    assert labels_of(collection) == {"1": {"a": 0, "b": 2}}


def test_grades_above_the_scale_are_chosen(collection, topics, upload):
    path = upload("f.txt", "1 a 4\n1 b 1\n")
    assert plan(collection, path).faults == ["The grade 4 is not on the scale, 0 to 3: choose one for it."]
    assert not plan(collection, path, **{"4": 3}).faults


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 0 a\n", "a grade is a whole number, got 'a'"),
        ("1 Q0 a 1 0.5 run\n", "qrels have 4 columns"),
        ("1 0 a 0.5\n", "a grade is a whole number, got '0.5'"),
        ("\n", "no labels"),
        ("".join(f"1 d{grade} {grade}\n" for grade in range(30)), "Are these the scores of a run"),
    ],
)
def test_what_is_no_qrels_is_refused(collection, topics, upload, text, words):
    with pytest.raises(BadInput, match=words):
        plan(collection, upload("f.txt", text))


def test_of_a_zip_with_several_files_none_is_passed_by(collection, topics):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("test.tsv", "train.tsv"):
            archive.writestr(name, "1\ta\t1\n")
    path = find_upload(collection, keep_upload(collection, ContentFile(packed.getvalue(), "qrels.zip")))
    with pytest.raises(BadInput, match="holds more than one file"):
        plan(collection, path)


def test_labels_come_with_frozen_pools_and_without_judges(labelled, topics):
    (qrels,) = labelled.qrels.all()
    assert (qrels.origin, qrels.file_name, len(qrels.sha256)) == (ORIGIN, "harbour.txt", 64)
    assert qrels.left_out == {
        "documents outside the corpus": {"number": 1, "named": ["zz"]},
        "unknown queries": {"number": 1, "named": ["9"]},
    }
    assert final_labels(labelled)[["query", "docno", "final"]].to_numpy().tolist() == [
        ["1", "a", 2],
        ["1", "b", 0],
        ["2", "b", 1],
        ["2", "c", 0],
    ]
    (pools,) = labelled.pool_sets.frozen()
    assert (pools.round, set(Candidate.objects.values_list("source", flat=True))) == (1, {"qrels"})
    assert not openings.openable_queries(labelled)
    assert {each.check.key for each in gate.findings(labelled) if each.is_fault} == {"licence", "datasheet"}
    assert overview.next_step(overview.steps(labelled)).name == "Release"
    for change_it in (PublishedLabel.objects.all().delete, lambda: Qrels.objects.update(origin="Ours")):
        with pytest.raises(IntegrityError), transaction.atomic():
            change_it()


def test_scores_are_ir_measures_own_on_the_file(labelled, topics):
    lists = {"1": ["c", "a", "b"], "2": ["d", "b"]}
    asked = ["AP", "nDCG@10", "P@5", "Bpref", "Judged@10"]
    table = score(lists, labels_of(labelled), asked, scope=OPEN)
    kept = [line for line in QRELS.splitlines() if line.split()[0] != "9" and "zz" not in line]
    qrels = list(ir_measures.read_trec_qrels("\n".join(kept)))
    ranked = {query: {docno: -place for place, docno in enumerate(docnos)} for query, docnos in lists.items()}
    measures = [ir_measures.parse_measure(name) for name in asked]
    for each in ir_measures.iter_calc(measures, qrels, ranked):
        assert table.at[each.query_id, str(each.measure)] == pytest.approx(each.value)


def test_a_second_file_adds_and_never_changes(labelled, upload):
    state = labels_state(labelled)
    with pytest.raises(BadInput, match=r"f.txt:1: 1 a has the label 2 already, and it stays."):
        imported(labelled, upload("f.txt", "1 0 a 1\n"))
    assert imported(labelled, upload("f.txt", "1 0 a 2\n1 0 d 3\n"))["labels"] == 1
    assert labels_of(labelled)["1"] == {"a": 2, "b": 0, "d": 3}
    assert labels_state(labelled) != state
    assert sorted(labelled.pool_sets.values_list("round", flat=True)) == [1, 2]


def test_pairs_that_are_given_to_judges_get_no_published_label(collection, topics, upload, people):
    builders.opened(topics[0], list(collection.documents.filter(docno__in=["a", "e"])), people.ann, people.bob)
    imported(collection, upload("f.txt", QRELS))
    assert Qrels.objects.get().left_out["pairs given to judges here"] == {"number": 1, "named": ["1 a"]}
    assert labels_of(collection)["1"] == {"b": 0}


def test_judgments_of_a_pair_replace_its_published_label(labelled, upload, people):
    judged(labelled, upload, "1,a,x,3\n1,a,y,3\n1,b,x,1\n1,b,y,2\n")
    assert labels_of(labelled) == {"1": {"a": 3}, "2": {"b": 1, "c": 0}}  # 1 b is a case, and has no label until then
    builders.decide(Pair.objects.get(document__docno="b"), people.ada, 2)
    assert labels_of(labelled)["1"] == {"a": 3, "b": 2}


@pytest.fixture
def topped_up(labelled, topics, people):
    """A later round of both queries, judged: it gets d to f, and nothing that has a published label."""
    builders.run(labelled, "bm25", {query: list("abcdef") for query in topics})
    plan = {"strategy": "depth-k", "n": 6, "sources": ["bm25"], "forced": [], "depths": {}, "queries": [], "adds": True}
    run_now("build_pools", collection=labelled, plan=plan)
    freeze_pools(collection=labelled, pk=labelled.pool_sets.drafts().get().pk)
    assert {query.name for query in openings.openable_queries(labelled)} == {"1", "2"}
    couples = {query.pk: (people.ann, people.bob) for query in topics}
    openings.open_queries(collection=labelled, queries=topics, couples=couples, by=None)
    for slot in Slot.objects.select_related("pair__query", "judge"):
        builders.judge(slot.pair, slot.judge, 1)
    return labelled


def test_a_release_unites_published_and_judged_labels_and_proves_both(topped_up, upload, tmp_path):
    assert set(Pair.objects.values_list("query__name", "document__docno")) == {
        *(("1", docno) for docno in "cdef"),
        *(("2", docno) for docno in "adef"),
    }
    judged(topped_up, upload, "2,c,x,3\n2,c,y,3\n")
    made = built(topped_up)
    files, counts = files_of(made.content), made.manifest["counts"]
    assert (counts["labels"], counts["pairs"], counts["published"]) == (12, 9, 3)
    assert {line.split()[-1] for line in files["trec/qrels.all.txt"].splitlines()} == {"0", "1", "2", "3"}
    assert files["published.csv"].splitlines()[1:] == ["1,a,2,1", "1,b,0,1", "2,b,1,1", "2,c,0,1"]
    assert "1,,b,published,0,," in files["labels.csv"].splitlines()
    for name in ("README.md", "DATASHEET.md", "MANIFEST.json"):
        assert ORIGIN in files[name]
    assert made.manifest["qrels"][0]["grades"] == {"0": 0, "1": 1, "2": 2}
    folder = tmp_path / "release"
    unpacked(made.content, folder)
    assert verify(folder) == []
    originals = {name: (folder / name).read_bytes() for name in files}
    for name, old, new in [
        ("published.csv", "1,a,2,1", "1,a,3,1"),
        ("published.csv", "1,a,2,1\r\n", ""),
        ("published.csv", "1,a,2,1", "1,a,2,2"),
        ("labels.csv", "1,,a,published,2", "1,,a,agreed,2"),
        ("labels.csv", "1,,a,published,2,,", "1,,a,published,2,2,2"),
        ("labels.csv", "2,,c,agreed,3", "2,,c,published,0"),
        ("trec/qrels.all.txt", "1 0 a 2", "1 0 a 1"),
        ("MANIFEST.json", ORIGIN, ""),
    ]:
        change(folder, name, old, new)
        assert verify(folder), (name, new)
        for each in (name, "MANIFEST.json"):
            (folder / each).write_bytes(originals[each])
    assert verify(folder) == []


def test_labels_alone_make_a_release_without_judges(labelled, tmp_path):
    made = built(labelled)
    unpacked(made.content, tmp_path / "release")
    assert verify(tmp_path / "release") == []
    readme = " ".join(files_of(made.content)["README.md"].split())
    assert "nobody's judgments behind these labels are known" in readme
    assert not re.search("annotator|Two people|drawn from", readme.partition("## Files")[0])


def test_a_sample_of_published_labels_is_judged_again(labelled, people):
    sampled = make_copy(original=labelled, slug="again", name="Again", strata=["grade"], per_stratum=1, by=people.admin)
    assert sampled.sizes == {"grade 0": 2, "grade 1": 1, "grade 2": 1}
    assert openings.openable_queries(sampled.copy).count() == 2
    assert not sampled.copy.qrels.exists()


def test_every_page_that_shows_labels_says_their_origin(topped_up, as_, people):
    run_now("compute_trust", collection=topped_up, profile="trec", scope="open", measure="nDCG@10", split="test")
    run_now("compute_agreement", collection=topped_up)
    make_copy(original=topped_up, slug="again", name="Again", strata=[], per_stratum=9, by=people.admin)
    builders.run(topped_up, "other", {query: list("fedcba") for query in topped_up.queries.all()})
    admin, slug = as_("admin"), topped_up.slug
    query, document = topped_up.queries.get(name="1"), topped_up.documents.get(docno="a")
    pages = [reverse(name, args=[slug]) for name in ("collection", "leaderboard", "compare", "copies", "progress")]
    pages += [reverse(name, args=[slug]) for name in ("release", "api-scores-list")]
    pages += [reverse("trust", args=[slug]) + "?profile=trec&by=nDCG%4010"]
    pages += [reverse("query", args=[slug, query.pk]), reverse("document", args=[slug, document.pk])]
    pages += [reverse("system", args=[slug, run.pk]) for run in topped_up.runs.all()]
    pages += [reverse("comparison", args=["again"]), reverse("leaderboard", args=[slug]) + "?format=latex"]
    for page in pages:
        assert ORIGIN in admin.get(page).content.decode(), page
    assert "Published labels have no agreement" in admin.get(reverse("agreement", args=[slug])).content.decode()
    report = Report.objects.get(kind="trust").data
    assert [row["source"] for row in report["sources"]] == ["bm25"]
    assert report["facets"][0]["growth"][-1] == 0  # of the round alone, and grade 1 is not relevant


def test_labels_are_looked_at_then_imported(collection, topics, as_):
    admin, url = as_("admin"), reverse("import-labels", args=[collection.slug])
    file = SimpleUploadedFile("f.tsv", b"query-id\tcorpus-id\tscore\n1\ta\t5\n1\tb\t-1\n")
    assert admin.post(url, {"file": file, "origin": " "}).context["form"].errors["origin"]
    page = admin.post(url, {"file": SimpleUploadedFile("f.tsv", file.file.getvalue()), "origin": ORIGIN}, follow=True)
    assert "The grade 5 is not on the scale" in page.content.decode()
    address = f"{page.redirect_chain[-1][0]}&grade:5=3&grade:-1="
    page = admin.get(address)
    assert (page.context["plan"].grades, page.context["plan"].faults) == ({-1: None, 5: 3}, [])
    assert admin.post(address).status_code == 302
    run(collection.jobs.get(kind=published.KIND).pk)
    assert admin.get(address).context["job"].result["labels"] == 1
    assert labels_of(collection) == {"1": {"a": 3}}
