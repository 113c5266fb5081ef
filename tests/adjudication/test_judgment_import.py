import json
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Collection, Membership, Role, User
from accounts.services import imported_username
from adjudication.judgment_import import (
    ImportOptions,
    JudgmentsRefused,
    import_judgments,
    seats_of,
)
from adjudication.judgment_import.files import Answered
from adjudication.models import Decision, JudgmentImport
from annotation.models import Judgment, Opening, Slot
from annotation.services import open_query
from corpus.services import create_query
from jobs.context import DirectRun
from pooling.models import Contribution, Pool, PoolBuild
from release.files import open_release
from release.services import publish_release
from tests.support.datasheets import answer_datasheet
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_pool,
    annotators,
    everything,
    member,
)
from tests.support.release_scenes import QRELS, a_judged_collection
from tests.support.releases import accepting
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]

HEADER = "query,docno,annotator,grade,reason,note,seconds\n"
TWO = HEADER + "q1_method,d1,mara,2,,,8.5\nq1_method,d1,ines,3,,close,\n"


def with_documents(slug="fresh", *, queries=("q1_method",)) -> Collection:
    collection = answer_datasheet(a_collection(slug, licence="CC-BY-4.0"))
    for docno in ["q1", "q2", "d1", "d2", "d3", "d4"]:
        DocumentFactory(collection=collection, docno=docno)
    for name in queries:
        docno, facet = name.split("_")
        create_query(collection=collection, docno=docno, facet_key=facet)
    return collection


@once_a_file
def collection():
    return with_documents()


@pytest.fixture
def load(tmp_path, collection):
    """Write each text to a file and import all of them."""

    def run(*texts: str, into: Collection | None = None, suffix=".csv", **options):
        files = []
        for number, text in enumerate(texts, start=1):
            path = tmp_path / f"file{number}{suffix}"
            path.write_text(text)
            files.append((path, path.name))
        return import_judgments(
            collection=into or collection,
            files=files,
            options=ImportOptions(**options),
            work=DirectRun(),
        )

    return run


def grades(collection: Collection) -> set[tuple[str, str, int, str, int | None, str]]:
    rows = Slot.objects.of(collection).filter(judgment__isnull=False)
    return set(
        rows.values_list(
            "pair__query__name",
            "pair__candidate__document__docno",
            "number",
            "annotator__first_name",
            "judgment__grade",
            "judgment__reason",
        )
    )


ABOUT = "query,docno,annotator,grade,aspects\n"


@once_a_file
def asking():
    """A collection that asks for aspects. The query's are the sentences 2 and 3."""
    collection = with_documents("asking")
    collection.documents.filter(docno="q1").update(labels=["background", "method", "method"])
    collection.marks_aspects = True
    collection.save()
    return collection


def test_what_matches_are_about_is_imported_where_the_collection_asks(asking, load):
    text = ABOUT + "q1_method,d1,mara,2,2 3\nq1_method,d1,ines,0,\nq1_method,d2,mara,1,none\n"
    load(text, into=asking)

    rows = Judgment.objects.order_by("slot__pair__candidate__document__docno", "-grade")
    assert list(rows.values_list("grade", "aspects")) == [(2, [2, 3]), (0, []), (1, [])]


def test_the_field_is_ignored_where_the_collection_does_not_ask(collection, load):
    load(ABOUT + "q1_method,d1,mara,2,the idea\nq1_method,d1,ines,2,\n")

    assert not Judgment.objects.filter(aspects__isnull=False).exists()


def test_aspects_that_do_not_fit_are_refused_with_their_place(asking, load):
    for line, problem in (
        ("q1_method,d1,mara,2,the idea", r':2: "aspects" must be numbers in order'),
        ("q1_method,d1,mara,2,1", r":2: q1_method has no aspect 1\. Remove it"),
        ("q1_method,d1,mara,0,2", r':2: "aspects" go with a grade above 0'),
    ):
        with pytest.raises(JudgmentsRefused, match=problem):
            load(f"{ABOUT}{line}\nq1_method,d1,ines,2,\n", into=asking)

        assert not Judgment.objects.exists(), line


class TestARelease:
    def contents(self, release):
        with open_release(release) as file, zipfile.ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def test_imported_again_it_gives_the_same_qrels_and_agreement_and_states_the_import(self, load):
        judged = a_judged_collection()
        before = self.contents(publish_release(collection=judged, version="1.0"))
        queries = ("q1_background", "q1_method", "q2_method")
        fresh = with_documents("moved", queries=queries)
        texts = [
            before[f"annotations/{name}.csv"].decode() for name in ("ratings", "adjudications")
        ]

        load(*texts, into=fresh)

        after = self.contents(
            publish_release(collection=fresh, version="1.0", accept=accepting(["made-folds"]))
        )
        assert after["trec/qrels.all.txt"] == before["trec/qrels.all.txt"] == QRELS.encode()
        for name in ("agreement", "agreement.missing-zero"):
            old, new = (json.loads(files[f"reports/{name}.json"]) for files in (before, after))
            assert new["facets"] == old["facets"]
            assert new["queries"] == old["queries"]
        assert "judgment_imports" not in json.loads(before["manifest.json"])
        assert "made elsewhere" not in before["README.md"].decode()
        self.check_what_was_imported(after)

    def check_what_was_imported(self, after):
        readme = after["README.md"].decode()
        assert "Judgments made elsewhere and imported: 18." in readme
        assert "No annotator saw where a candidate came from" not in readme
        manifest = json.loads(after["manifest.json"])
        (row,) = manifest["judgment_imports"]
        assert row["judgments"] == 18
        assert row["decisions"] == 4
        assert set(row["files"]) == {"file1.csv", "file2.csv"}
        pool_lines = after["pools/pool.jsonl"].decode().splitlines()
        assert {json.loads(line)["drawn_by"] for line in pool_lines} == {"imported"}


class TestAFile:
    def test_judgments_become_those_of_people_who_cannot_log_in(self, collection, load):
        report = load(TWO)

        assert report.judgments == 2
        mara = User.objects.get(username=imported_username(collection.slug, "mara"))
        assert not mara.is_active
        assert not mara.has_usable_password()
        assert mara.shown_name == "mara"
        assert Membership.objects.filter(user=mara, role=Role.ANNOTATOR).exists()
        judgment = Judgment.objects.get(annotator=mara)
        assert (judgment.grade, judgment.seconds) == (2, 8.5)

    def test_a_second_import_changes_nothing(self, load):
        load(TWO)
        before = everything()

        report = load(TWO)

        assert everything() == before
        assert (report.judgments, report.judgments_unchanged) == (0, 2)

    def test_a_dry_run_counts_and_changes_nothing(self, load):
        before = {name: rows for name, (rows, _) in everything().items()}

        report = load(TWO, dry_run=True)

        assert (report.judgments, report.queries_opened, report.pools_imported) == (2, 1, 1)
        assert {name: rows for name, (rows, _) in everything().items()} == before

    def test_a_pair_without_a_pool_goes_into_an_imported_one(self, collection, load):
        load(TWO)

        pool = Pool.objects.get(query_paper__document__docno="q1")
        assert pool.is_frozen
        assert pool.build.manifest["source"] == "imported"
        assert pool.build.manifest["files"].keys() == {"file1.csv"}
        contribution = Contribution.objects.get(candidate__pool=pool)
        assert (contribution.source, contribution.rank, contribution.drawn) == (
            "imported",
            None,
            True,
        )

    def test_a_pool_that_is_there_is_used(self, collection, load):
        paper = collection.query_papers.get()
        a_pool(paper, list(collection.documents.filter(docno__in=["d1", "d2"])))

        report = load(TWO)

        assert report.pools_imported == 0
        assert Slot.objects.of(collection).unjudged().count() == 2  # of d2

    def test_a_draft_pool_without_a_judged_document_is_refused(self, collection, load):
        paper = collection.query_papers.get()
        a_pool(paper, list(collection.documents.filter(docno="d2")))

        with pytest.raises(JudgmentsRefused, match=r"draft pool of q1 .* d1\. .*replace draft"):
            load(TWO)
        assert not Opening.objects.exists()

    def test_a_draft_pool_is_replaced_on_request(self, collection, load):
        paper = collection.query_papers.get()
        a_pool(paper, list(collection.documents.filter(docno="d2")))

        load(TWO, replace_drafts=True)

        assert Pool.objects.get(query_paper=paper).build.manifest["source"] == "imported"
        assert PoolBuild.objects.count() == Pool.with_hidden.count() == 1

    def test_an_open_query_gives_its_unjudged_slots(self, collection, load):
        paper = collection.query_papers.get()
        a_pool(paper, list(collection.documents.filter(docno__in=["d1", "d2"])))
        first, _ = people = annotators(collection)
        opening = open_query(query=collection.queries.get(), annotators=people, opened_by=None)
        slot = Slot.objects.get(
            pair__query=opening.query, pair__candidate__document__docno="d1", number=1
        )
        judge(slot, 1)

        report = load(HEADER + "q1_method,d1,mara,2,,,\n")

        assert (report.judgments, report.taken_over) == (1, 1)
        slots = Slot.objects.filter(pair=slot.pair).order_by("number")
        assert [slot.judgment.grade for slot in slots] == [1, 2]
        assert slots[0].annotator == first

    def test_its_slots_are_locked_until_it_ends(self, load, on_postgresql):
        """An annotator could otherwise judge a slot between the check and the insert."""
        with CaptureQueriesContext(connection) as queries:
            load(TWO)

        assert any('FOR UPDATE OF "annotation_slot"' in query["sql"] for query in queries)

    def test_judgments_are_never_overwritten(self, load):
        load(TWO)

        with pytest.raises(JudgmentsRefused, match=r"file1\.csv:2: mara judged .* never overwr"):
            load(TWO.replace(",2,", ",1,"))
        with pytest.raises(JudgmentsRefused, match=r"file1\.csv:2: both judgments .* exist"):
            load(HEADER + "q1_method,d1,otto,1,,,\n")
        assert Judgment.objects.count() == 2

    def test_three_people_may_share_a_query_but_not_a_pair(self, collection, load):
        rows = (
            "q1_method,d1,a,1,,,\nq1_method,d1,b,2,,,\nq1_method,d2,b,1,,,\nq1_method,d2,c,1,,,\n"
        )

        load(HEADER + rows)

        people = {(docno, person) for _, docno, _, person, _, _ in grades(collection)}
        assert people == {("d1", "a"), ("d1", "b"), ("d2", "b"), ("d2", "c")}
        with pytest.raises(JudgmentsRefused, match=r"judgments of a, b, c\. A pair has two"):
            load(HEADER + "".join(f"q1_method,d3,{name},1,,,\n" for name in "abc"))

    def test_one_annotator_needs_a_second(self, collection, load):
        one = HEADER + "q1_method,d1,mara,2,,,\n"
        with pytest.raises(JudgmentsRefused, match=r"by mara\. Name the second annotator"):
            load(one)

        load(one, second_annotator="ann1")

        assert Slot.objects.unjudged().get().annotator.username == "ann1"

    def test_unknown_ids_are_counted_and_named(self, load):
        rows = "".join(f"q1_method,x{number},mara,1,,,\n" for number in range(25))
        with pytest.raises(JudgmentsRefused) as refused:
            load(HEADER + rows + "q9,d1,mara,1,,,\n")
        text = str(refused.value)
        assert "file1.csv:2: fresh does not have 25 documents of the files: x0, x1" in text
        assert "x19 and 5 more" in text
        assert "x20" not in text
        assert "file1.csv:27: fresh does not have 1 query of the files: q9" in text

    def test_a_topic_id_names_its_only_query(self, collection, load):
        load(TWO.replace("q1_method", "q1"))
        assert {row[0] for row in grades(collection)} == {"q1_method"}

    def test_an_invalid_line_is_named(self, load):
        for line, words in (
            ("q1_method,d1,mara,7,,,", r'"grade" is \'7\', which is not one of the grades 0, 1'),
            ("q1_method,d1,mara,,,,", '"grade" and "reason" are empty'),
            ("q1_method,d1,mara,1,garbled,,", "Remove one of the two"),
            ("q1_method,d1,mara,,tired,,", '"reason" must be one of garbled, language'),
            ("q1_method,d1,,1,,,", '"annotator" is missing'),
            ("q1_method,,mara,1,,,", '"docno" must be an id'),
            ("q1_method,d1,mara,1,,,soon", '"seconds" must be a number'),
            ("q1_method,d1,mara,1", "4 cells, but the header has 7"),
        ):
            with pytest.raises(JudgmentsRefused, match=rf"file1\.csv:2: .*{words}"):
                load(HEADER + line + "\n")
            assert not Judgment.objects.exists(), line

    def test_an_empty_file_is_refused(self, load):
        with pytest.raises(JudgmentsRefused, match="it holds no judgment and no decision"):
            load("")

    def test_one_person_cannot_judge_a_pair_twice(self, load):
        with pytest.raises(JudgmentsRefused, match=r"file1\.csv:4: mara judged .* twice"):
            load(TWO + "q1_method,d1,mara,0,,,\n")

    def test_the_name_of_an_account_with_a_login_is_refused(self, collection, load):
        member(collection, Role.ANNOTATOR, imported_username(collection.slug, "mara"))
        with pytest.raises(JudgmentsRefused, match="exists and can log in"):
            load(TWO)


class TestDecisions:
    DECIDED = "query,docno,adjudicator,grade,reason\nq1_method,d1,kim,3,\n"

    def test_they_are_imported_with_a_second_file(self, load):
        report = load(TWO, self.DECIDED)

        assert report.decisions == 1
        decision = Decision.objects.get()
        assert (decision.grade, decision.adjudicator.shown_name) == (3, "kim")
        assert JudgmentImport.objects.get().decisions == 1
        assert load(TWO, self.DECIDED).decisions_unchanged == 1

    def test_they_may_come_as_a_column(self, load):
        rows = "q1_method,d1,mara,2,3\nq1_method,d1,ines,1,3\n"
        rows += "q1_method,d2,mara,2,2\nq1_method,d2,ines,2,2\n"

        report = load("query,docno,annotator,grade,decision\n" + rows)

        assert (report.decisions, report.agreed) == (1, 1)
        assert Decision.objects.get().grade == 3

    def test_a_judge_of_the_pair_cannot_decide_it(self, load):
        with pytest.raises(JudgmentsRefused, match=r"file2\.csv:2: mara judged q1_method d1"):
            load(TWO, self.DECIDED.replace("kim", "mara"))

    def test_a_pair_without_two_judgments_cannot_have_one(self, load):
        with pytest.raises(JudgmentsRefused, match=r"file2\.csv:2: .*two judgments"):
            load(TWO, self.DECIDED.replace("d1", "d2"))

    def test_two_equal_grades_cannot_be_overruled(self, load):
        agreed = TWO.replace(",3,", ",2,")
        with pytest.raises(JudgmentsRefused, match="both judgments of q1_method d1 are 2"):
            load(agreed, self.DECIDED)

    def test_another_decision_is_refused(self, load):
        load(TWO, self.DECIDED)
        with pytest.raises(JudgmentsRefused, match="another decision already"):
            load(TWO, self.DECIDED.replace(",3,", ",0,"))


class TestOtherTools:
    def test_label_studio(self, collection, load):
        tasks = [
            {
                "id": 7,
                "data": {"query": "q1_method", "docno": "d1", "text": "…"},
                "annotations": [
                    {
                        "completed_by": {"id": 1, "email": "mara@example.org"},
                        "lead_time": 12.5,
                        "was_cancelled": False,
                        "result": [
                            {
                                "from_name": "relevance",
                                "to_name": "text",
                                "type": "choices",
                                "value": {"choices": ["Similar"]},
                            },
                            {
                                "from_name": "why",
                                "to_name": "text",
                                "type": "textarea",
                                "value": {"text": ["the same parser"]},
                            },
                        ],
                    },
                    {
                        "completed_by": 2,
                        "lead_time": 3.0,
                        "was_cancelled": False,
                        "result": [
                            {"from_name": "stars", "type": "rating", "value": {"rating": 3}}
                        ],
                    },
                    {"completed_by": 3, "was_cancelled": True, "result": []},
                ],
                "predictions": [],
            }
        ]

        report = load(json.dumps(tasks), suffix=".json", labels={"Similar": "2"})

        assert (report.judgments, report.skipped) == (2, 1)
        assert {(row[3], row[4]) for row in grades(collection)} == {
            ("mara@example.org", 2),
            ("2", 3),
        }
        assert Judgment.objects.get(grade=2).note == "the same parser"
        assert Judgment.objects.get(grade=2).seconds == 12.5

    def test_doccano_with_one_file_per_person(self, collection, load):
        line = {"id": 1, "text": "…", "query": "q1_method", "docno": "d1", "Comments": []}
        texts = [json.dumps({**line, "label": [label]}) + "\n" for label in ("near", "far")]

        load(*texts, suffix=".jsonl", labels={"near": "3", "far": "0"})

        assert {(row[3], row[4]) for row in grades(collection)} == {("file1", 3), ("file2", 0)}

    def test_doccano_with_usernames_and_metadata(self, collection, load):
        line = {"text": "…", "meta": {"query": "q1_method", "docno": "d1"}}
        lines = [
            {**line, "labels": ["2"], "username": "mara"},
            {**line, "labels": ["1"], "username": "ines"},
            {**line, "labels": [], "username": "otto"},
        ]

        report = load("\n".join(map(json.dumps, lines)), suffix=".jsonl")

        assert report.skipped == 1
        assert {(row[3], row[4]) for row in grades(collection)} == {("mara", 2), ("ines", 1)}

    def test_two_labels_are_refused(self, load):
        line = {"query": "q1_method", "docno": "d1", "label": ["1", "2"], "user": "mara"}
        with pytest.raises(JudgmentsRefused, match=r'file1\.jsonl:1: "label" has 2 labels'):
            load(json.dumps(line), suffix=".jsonl")

    def test_an_unknown_label_says_how_to_map_it(self, load):
        line = {"query": "q1_method", "docno": "d1", "label": ["Near"], "user": "mara"}
        with pytest.raises(JudgmentsRefused, match="such as Near=3"):
            load(json.dumps(line), suffix=".jsonl")

    def test_broken_json_is_refused(self, load):
        for text in ("[1]", "[{]", '{"a": 1', "[" * 100_000):
            with pytest.raises(JudgmentsRefused, match=r"file1\.json:1: "):
                load(text, suffix=".json")


class TestTheCommand:
    def test_it_reports_what_it_imported(self, collection, tmp_path):
        path = tmp_path / "judgments.csv"
        path.write_text(TWO.replace(",2,", ",near,"))
        out = StringIO()

        call_command("import_judgments", "fresh", path, "--label", "near=3", stdout=out)

        assert "fresh: judgments 2 imported, 0 unchanged" in out.getvalue()
        assert "1 query opened, 1 pool imported" in out.getvalue()

    def test_it_names_the_file_and_the_line(self, collection, tmp_path):
        path = tmp_path / "judgments.csv"
        path.write_text(TWO.replace(",2,", ",near,"))
        with pytest.raises(CommandError, match=r"judgments\.csv:2: "):
            call_command("import_judgments", "fresh", path)
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("import_judgments", "fresh", tmp_path / "none.csv")
        with pytest.raises(CommandError, match="Invalid meaning"):
            call_command("import_judgments", "fresh", path, "--label", "near")


def test_seats_go_to_those_with_most_judgments():
    def record(person, slot=0):
        return Answered("f:1", "q", "d", person, 1, "", "", None, slot)

    assert seats_of([record("b"), record("a")]) == ("a", "b")
    assert seats_of([record("b"), record("b"), record("c"), record("c"), record("a")]) == ("b", "c")
    assert seats_of([record("a", 2), record("b", 1)]) == ("b", "a")
    assert seats_of([record("a")]) == ("a", "")
    # Three records of slot 1 and two of slot 2 lean towards seat 1; no slot leans nowhere.
    leaning = [record("z", slot) for slot in (1, 1, 1, 2, 2)]
    assert seats_of([*leaning, *[record("a")] * 5]) == ("z", "a")
    assert seats_of([record("a", 2), record("z")]) == ("z", "a")
    # As many records of each slot as of the other lean nowhere, so the names decide.
    assert seats_of([record("z", 1), record("z", 2), record("a"), record("a")]) == ("a", "z")
