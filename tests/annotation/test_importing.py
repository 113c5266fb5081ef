"""Judgments from CSV: what the dry run says is what happens, all of it or nothing."""

from __future__ import annotations

import csv
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import User
from adjudication.labels import final_labels, labelled_pairs
from agreement.report import agreement_report
from annotation import importing, openings
from annotation.models import Judgment, Opening, Pair, Slot
from corpus.models import Document, Query
from jobs.work import run, run_now
from pooling.models import Candidate
from release.csfcube import read_release
from tests import builders
from web.errors import BadInput

pytestmark = pytest.mark.django_db
HEAD = "query,docno,judge,grade\n"


@pytest.fixture
def topics(collection):
    """Topics 1 and 2, and documents 1, 2, a and b."""
    for docno in ("1", "2", "a", "b"):
        builders.document(collection, docno)
    return [builders.topic(collection, name, f"Topic {name}") for name in ("1", "2")]


def columns(path: str, **chosen) -> dict[str, object]:
    return importing.guess(importing.read_table(path)[0]) | chosen


def plan(collection, path: str, people=None, zeros: bool = False, **chosen) -> importing.Plan:
    about = {"columns": columns(path, **chosen), "people": people or {}, "match_leading_zeros": zeros}
    return importing.plan_import(collection, path, **about)


def imported(collection, path: str, people=None, **chosen) -> dict[str, object]:
    about = {"columns": columns(path, **chosen), "people": people or {}, "match_leading_zeros": False}
    return run_now(importing.KIND, collection=collection, path=path, **about)


def grades(found: importing.Plan) -> dict[tuple[str, str], tuple[int | None, int | None]]:
    return {pair: (one.grade, other.grade) for pair, (one, other) in found.pairs.items()}


def test_grades_that_contradict_are_refused_with_both_lines(collection, topics, upload):
    path = upload("judgments_contradict.csv")
    assert plan(collection, path).faults == [
        "judgments_contradict.csv:3: ada gave 1 a 1, and 2 on line 2. Keep one of them."
    ]
    with pytest.raises(BadInput, match="on line 2"):
        imported(collection, path)
    for written in (Judgment.objects.all(), Candidate.objects.all(), User.objects.filter(username="papers-ben")):
        assert not written


def test_a_column_for_each_person_is_read_and_names_alike_are_named(collection, topics, upload):
    found = plan(collection, upload("judgments_wide.csv"))
    assert (found.alike, found.faults) == ([["Ann", "ann"]], [])
    assert grades(found) == {("1", "1"): (2, 1), ("1", "2"): (0, 0)}
    assert [each.username for each in found.who.values()] == ["papers-Ann", "ann"]  # of whom one is a member
    assert (found.cases, found.missing, len(found.unpooled)) == (1, 0, 2)
    same = plan(collection, upload("judgments_wide.csv"), people={"Ann": str(User.objects.get(username="ann").pk)})
    assert "2, and" not in " ".join(same.faults[1:])
    assert "judged by 1 (Ann)" in same.faults[-1]


def test_columns_with_other_names_are_chosen(collection, topics, upload):
    path = upload("judgments_other_names.csv")
    assert plan(collection, path).faults == ["Which column has the grade? The file has topic, doc, judge, score."]
    assert grades(plan(collection, path, grade="score")) == {("1", "1"): (2, 1)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "1,a,x,-1\n1,a,y,\n", (None, None)),
        (HEAD + "1,a,x,2.0\n1,a,y,0\n", (2, 0)),
        ("query;docno;x;y\n1;a;;0\n", (None, 0)),
        ("query\tdocno\tx\ty\tz\n1\ta\t\t3\t-1\n", (3, None)),  # of three, who has nothing did not get the pair
        (HEAD + '1,a,x,2\n1,a,y,1\n1,a,x,2\n"1",a,y,1.0\n', (2, 1)),
    ],
)
def test_missing_grades_are_never_zero(collection, topics, upload, text, expected):
    found = plan(collection, upload("f.csv", text))
    assert (grades(found), found.faults) == ({("1", "a"): expected}, [])


FAULTS = [
    (HEAD + "1,a,x,2\n", "f.csv:2: 1 a is judged by 1 (x). A pair needs two people."),
    (HEAD + "1,a,x,2\n1,a,y,2\n1,a,z,2\n", "f.csv:4: 1 a is judged by 3 (x, y, z). A pair needs two people."),
    (HEAD + "1,a,x,4\n1,a,y,2\n", "f.csv:2: a grade is 0 to 3, or −1 where it is missing; got '4'."),
    (HEAD + "1,a,x,no\n1,a,y,2\n", "f.csv:2: a grade is 0 to 3, or −1 where it is missing; got 'no'."),
    (HEAD + "9,a,x,1\n9,a,y,2\n", "f.csv:2: there is no query '9' here."),
    (HEAD + "1,zz,x,1\n1,zz,y,2\n", "f.csv:2: there is no document 'zz' here."),
    (HEAD + "1,a,x\n", "f.csv:2: the row must have 4 columns, got 3."),
    (HEAD + ",a,x,1\n", "f.csv:2: the query, the document or the judge is empty."),
    (HEAD + "1,a,x,1\n1,a,y,\n1,a,y,2\n", "f.csv:4: y gave 1 a 2, and no grade on line 3. Keep one of them."),
    (HEAD, "f.csv has no judgments."),
    (HEAD + "".join(f"1,a,{n},1\n" for n in range(101)), "f.csv has 101 judges. Choose the column of the judges."),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_what_cannot_be_imported_is_named_with_its_line(collection, topics, upload, text, fault):
    assert fault in plan(collection, upload("f.csv", text)).faults


def test_a_file_without_names_of_columns_is_refused(collection, upload):
    with pytest.raises(BadInput, match="first line must name the columns"):
        importing.read_table(upload("f.csv", "1 0 a 1\n"))
    with pytest.raises(BadInput, match="two columns are called 'ann'"):
        importing.read_table(upload("f.csv", "query,docno,ann,ann\n"))


def test_ids_that_differ_in_leading_zeros_are_matched_only_when_asked(collection, topics, upload):
    path = upload("f.csv", HEAD + "01,a,x,1\n01,a,y,2\n")
    assert (
        "1 of 1 ids (query) are known here only without leading zeros, such as '01' as '1'"
        in plan(collection, path).faults[0]
    )
    assert grades(plan(collection, path, zeros=True)) == {("1", "a"): (1, 2)}


def test_judgments_become_pairs_cases_and_labels(collection, topics, upload, people):
    frozen = builders.frozen_pool(topics[0], list(Document.objects.filter(docno__in=["a", "b"])))
    text = "query,docno,judge,grade,reason,note\n1,a,ann,2,,Fine\n1,a,Zoë,2,,\n1,b,ann,1,,\n1,b,Zoë,,text,\n"
    result = imported(collection, upload("f.csv", text + "2,1,Zoë,0,,\n2,1,ann,-1,,too long\n"))
    assert result == {"pairs": 3, "cases": 2, "people": 2}
    rows = labelled_pairs(collection).astype(object)
    assert rows[["query", "docno", "state"]].to_numpy().tolist() == [
        ["1", "a", "agreed"],
        ["1", "b", "case"],
        ["2", "1", "case"],
    ]
    assert set(Slot.objects.values_list("number", "judge__username")) == {(1, "ann"), (2, "papers-Zoë")}
    assert rows["second_reason"].tolist() == ["", "text", ""]
    missing = Judgment.objects.get(judge=people.ann, grade=None)
    assert (missing.reason, missing.note, missing.seconds) == ("other", "too long", None)
    assert Opening.objects.get(query=topics[0]).pool_set == frozen
    assert not Opening.objects.filter(closed_at=None)
    assert set(Candidate.objects.filter(pool__query=topics[1]).values_list("position", "source")) == {(1, "judgments")}
    assert final_labels(collection)["final"].tolist() == [2]


def test_an_imported_person_cannot_log_in_and_gets_no_work(collection, topics, upload):
    imported(collection, upload("f.csv", HEAD + "1,a,x,1\n1,a,y,2\n"))
    x = User.objects.get(username="papers-x")
    assert (x.name, x.has_usable_password()) == ("x", False)
    assert not collection.memberships.judging().filter(user=x)
    again = plan(collection, upload("g.csv", HEAD + "1,b,x,1\n1,b,new,2\n"))  # in a later file it is the same one
    assert [each.pk for each in again.who.values()] == [x.pk, None]


def test_a_pool_takes_judgments_of_several_files(collection, topics, upload):
    builders.frozen_pool(topics[0], list(Document.objects.filter(docno__in=["a", "b"])))
    imported(collection, upload("f.csv", HEAD + "1,a,x,1\n1,a,y,2\n"))
    path = upload("g.csv", HEAD + "1,b,x,1\n1,b,z,1\n1,a,x,1\n1,a,y,2\n")
    assert plan(collection, path).faults == ["g.csv:5: 1 a is given to judges here already. Remove its rows."]
    imported(collection, upload("g.csv", HEAD + "1,b,x,1\n1,b,z,1\n"))
    assert Pair.objects.of(collection).judged().count() == 2
    assert Opening.objects.exclude(closed_at=None).count() == 1


def test_judgments_are_looked_at_then_imported(collection, topics, as_, people):
    admin, url = as_("admin"), reverse("import-judgments", args=[collection.slug])
    file = SimpleUploadedFile("f.csv", b"topic,doc,judge,score\n1,a,ann,2\n1,a,ben,1\n")
    page = admin.post(url, {"file": file}, follow=True)
    assert "Which column has the grade? The file has topic, doc, judge, score." in page.content.decode()
    chosen = {"query": "topic", "docno": "doc", "judge": "judge", "grade": "score", "person:ben": str(people.bob.pk)}
    address = f"{page.redirect_chain[-1][0]}&" + "&".join(f"{key}={value}" for key, value in chosen.items())
    page = admin.get(address)
    assert (page.context["plan"].faults, page.context["plan"].cases) == ([], 1)
    assert re.search(rf'value="{people.bob.pk}" selected', page.content.decode())
    assert not Judgment.objects.exists()
    assert admin.post(address).status_code == 302
    run(collection.jobs.get(kind=importing.KIND).pk)
    assert {each.judge for each in Judgment.objects.all()} == {people.ann, people.bob}
    assert admin.get(address).context["job"].result == {"pairs": 1, "cases": 1, "people": 2}


@pytest.mark.csfcube
def test_csfcubes_ratings_as_csv_have_the_published_agreement(collection, csfcube, upload, tmp_path):
    """Medians over queries, of 4,051 pairs, missing counted as 0 (Mysore et al., 2021)."""
    release = read_release(csfcube)
    docnos = {docno for rated in release.ratings.values() for docno, *_ in rated.pairs}
    Document.objects.bulk_create(Document(collection=collection, docno=docno, title=docno) for docno in docnos)
    for name in release.ratings:
        Query.objects.create(collection=collection, name=name, title=name, facet=release.queries[name]["facet"])
    path = tmp_path / "ratings.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["query", "docno", "annotator", "relevance"])
        for name, rated in release.ratings.items():
            for docno, *both, _ in rated.pairs:
                for annotator, grade in zip(rated.annotators, both, strict=True):
                    rows.writerow([name, docno, annotator, -1 if grade is None else grade])
    imported(collection, upload("ratings.csv", path.read_text()))
    about = {"facets": ["background", "method"], "grades": 4, "seed": "s", "missing": "zero"}
    report = agreement_report(labelled_pairs(collection), **about)
    medians = {row["facet"]: row["before"] for row in report["facets"]}
    assert {facet: [round(each["median"], 4) for each in list(row.values())[:4]] for facet, row in medians.items()} == {
        "background": [0.4553, 0.4288, 0.2814, 57.0672],
        "method": [0.3086, 0.2557, 0.2029, 69.6],
    }


def test_what_an_import_leaves_of_a_pool_can_be_judged(query, collection, people, upload, papers):
    other = builders.query(collection, papers[0], "result")
    builders.frozen_pool(other, papers[1:5])
    imported(collection, upload("a.csv", f"{HEAD}d00_result,d01,ann,1\nd00_result,d01,bob,1\n"))
    assert list(openings.openable_queries(collection)) == [other]
    openings.open_queries(collection=collection, queries=[other], couples={other.pk: (people.ann, people.bob)}, by=None)
    docnos = other.pairs.filter(state="open").values_list("document__docno", flat=True)
    assert (sorted(docnos), openings.openable_queries(collection).count()) == (["d02", "d03", "d04"], 0)
    assert other.pairs.filter(counts=False).count() == 0


def test_a_person_of_an_earlier_import_is_found_by_the_exact_name(collection, topics, upload):
    imported(collection, upload("a.csv", f"{HEAD}1,a,ann b,1\n1,a,😀,1\n"))
    found = plan(collection, upload("b.csv", f"{HEAD}1,b,ann-b,1\n1,b,😎,1\n2,b,ann b,1\n2,b,😀,1\n"))
    assert {name: user.pk is None for name, user in found.who.items()} == {
        "ann-b": True,
        "😎": True,
        "ann b": False,
        "😀": False,
    }
    assert found.faults == []
    assert "ann" not in str(collection.jobs.get().parameters)
