"""An import of judgments: seats, slots, pools, decisions, and what its report counts."""

from __future__ import annotations

import uuid
from dataclasses import asdict

import pytest
from django.db import IntegrityError
from django.utils import timezone

from accounts.models import Membership, Role, User
from accounts.services import imported_username
from adjudication.judgment_import import (
    ImportOptions,
    JudgmentImportReport,
    JudgmentsRefused,
    import_judgments,
)
from adjudication.judgment_import import service as import_service
from adjudication.models import Decision, JudgmentImport
from annotation.models import Judgment, Opening, Slot
from annotation.services import open_query, places
from corpus.formats.sources import SourceError
from jobs.context import DirectRun
from pooling.models import Candidate, Pool
from tests.adjudication.test_judgment_import import HEADER, TWO, with_documents
from tests.support.factories import a_pool, annotators, member
from tests.support.recorded_work import RecordedWork
from tests.support.sittings import judge
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

WITH_SLOTS = "query,docno,annotator,grade,slot\n"
DECISIONS = "query,docno,adjudicator,grade,reason,note\n"


@once_a_file
def collection():
    return with_documents()


@pytest.fixture
def load(tmp_path, collection):
    def run(*texts: str, work=None, imported_by=None, **options) -> JudgmentImportReport:
        files = []
        for number, text in enumerate(texts, start=1):
            path = tmp_path / f"file{number}.csv"
            path.write_text(text)
            files.append((path, path.name))
        return import_judgments(
            collection=collection,
            files=files,
            options=ImportOptions(**options),
            work=work or DirectRun(),
            imported_by=imported_by,
        )

    return run


@pytest.fixture
def refused(load):
    """The problems of a refused import."""

    def run(*texts: str, **options) -> tuple[str, ...]:
        with pytest.raises(JudgmentsRefused) as caught:
            load(*texts, **options)
        return caught.value.problems

    return run


def problems_of(collection, path) -> tuple[str, ...]:
    """The problems of a refused import into a collection of the test's own."""
    with pytest.raises(JudgmentsRefused) as caught:
        import_judgments(
            collection=collection,
            files=[(path, path.name)],
            options=ImportOptions(),
            work=DirectRun(),
        )
    return caught.value.problems


@pytest.fixture
def opened(collection):
    """The query is open for two people with d1 and d2 in its pool."""
    paper = collection.query_papers.get()
    a_pool(paper, list(collection.documents.filter(docno__in=["d1", "d2"])))
    people = annotators(collection)
    open_query(query=collection.queries.get(), annotators=people, opened_by=None)
    return people


def slots(docno: str) -> list[Slot]:
    rows = Slot.objects.filter(pair__candidate__document__docno=docno)
    return list(rows.select_related("annotator", "judgment").order_by("number"))


def people_of(docno: str) -> list[tuple[int, str, int | None]]:
    return [
        (slot.number, slot.annotator.shown_name, slot.judgment and slot.judgment.grade)
        for slot in slots(docno)
    ]


class TestSlots:
    def test_every_judgment_without_a_slot_is_reported(self, load, refused):
        load(TWO)
        rows = "q1_method,d1,otto,1,,,\nq1_method,d1,pia,1,,,\n"

        problems = refused(HEADER + rows)

        assert [problem.partition(": ")[0] for problem in problems] == [
            "file1.csv:2",
            "file1.csv:3",
        ]
        assert problems[1].startswith(
            "file1.csv:3: both judgments of q1_method d1 exist already, so that of pia was not"
        )

    def test_a_second_new_person_finds_one_free_slot(self, opened, refused):
        judge(slots("d1")[0], 1)

        problems = refused(HEADER + "q1_method,d1,otto,1,,,\nq1_method,d1,anna,1,,,\n")

        assert len(problems) == 1
        assert problems[0].startswith("file1.csv:2: both judgments")  # anna comes first
        assert Judgment.objects.count() == 1

    def test_a_judgment_goes_into_the_slot_that_its_record_names(self, opened, load):
        rows = "q1_method,d1,anna,1,2\nq1_method,d1,ben,3,1\nq1_method,d2,anna,0,\n"

        report = load(WITH_SLOTS + rows)

        assert (report.judgments, report.taken_over, report.queries_opened) == (3, 3, 0)
        assert people_of("d1") == [(1, "ben", 3), (2, "anna", 1)]
        assert people_of("d2") == [(1, "anna", 0), (2, opened[1].shown_name, None)]

    def test_the_free_slot_with_the_lowest_number_is_next(self, opened, load):
        load(WITH_SLOTS + "q1_method,d1,anna,1,1\nq1_method,d1,ben,3,1\n")

        assert people_of("d1") == [(1, "anna", 1), (2, "ben", 3)]

    def test_people_fill_slots_in_the_natural_order_of_their_names(self, opened, load):
        load(HEADER + "q1_method,d1,p10,1,,,\nq1_method,d1,p9,3,,,\n")

        assert people_of("d1") == [(1, "p9", 3), (2, "p10", 1)]

    def test_an_own_unjudged_slot_is_filled_first(self, load):
        rows = "q1_method,d1,mara,2,,,\nq1_method,d1,ines,3,,,\nq1_method,d2,mara,1,,,\n"
        load(HEADER + rows)
        (own,) = (slot.number for slot in slots("d2") if slot.judgment is None)

        report = load(HEADER + "q1_method,d2,otto,0,,,\n")
        assert report.taken_over == 0  # ines has no login
        assert [row for row in people_of("d2") if row[0] == own] == [(own, "otto", 0)]

    def test_an_own_slot_is_not_given_to_another(self, load):
        rows = "q1_method,d1,mara,2,,,\nq1_method,d1,ines,3,,,\nq1_method,d2,mara,1,,,\n"
        load(HEADER + rows)
        (own,) = (slot for slot in slots("d2") if slot.judgment is None)

        problems = None
        with pytest.raises(JudgmentsRefused) as caught:
            load(HEADER + "q1_method,d2,ines,0,,,\nq1_method,d2,otto,0,,,\n")
        problems = caught.value.problems
        assert len(problems) == 1
        assert "that of otto was not added" in problems[0]
        assert load(HEADER + "q1_method,d2,ines,0,,,\n").judgments == 1
        assert Slot.objects.get(pk=own.pk).judgment.grade == 0

    def test_a_slot_that_was_postponed_has_a_new_place(self, collection, opened, load):
        Slot.objects.update(postponed_at=timezone.now(), position=77)

        load(HEADER + "q1_method,d1,anna,1,,,\nq1_method,d2,anna,1,,,\n")

        anna = User.objects.get(username=imported_username(collection.slug, "anna"))
        order = places(collection.queries.get(), anna)
        for slot in Slot.objects.filter(annotator=anna):
            assert (slot.position, slot.postponed_at) == (order[slot.pair_id], None)
        assert Slot.objects.filter(annotator=anna).count() == 2
        others = Slot.objects.exclude(annotator=anna)
        assert {slot.position for slot in others} == {77}
        assert None not in {slot.postponed_at for slot in others}

    def test_another_answer_or_reason_is_refused_and_the_same_counts(self, load, refused):
        rows = "q1_method,d1,mara,,garbled,,\nq1_method,d1,ines,3,,,\n"
        load(HEADER + rows)

        assert load(HEADER + rows).judgments_unchanged == 2
        (problem,) = refused(HEADER + rows.replace("garbled", "language"))
        assert "mara judged q1_method d1 with another answer in an earlier import" in problem

    def test_a_judgment_keeps_all_that_its_record_has(self, collection, load):
        load(HEADER + "q1_method,d1,mara,,garbled,odd,4\nq1_method,d1,ines,3,,,\n")

        mara = Judgment.objects.get(annotator__first_name="mara")
        slot = mara.slot
        assert (mara.grade, mara.reason, mara.note, mara.seconds, mara.sequence) == (
            *(None, "garbled", "odd", 4.0, 1),
        )
        assert mara.presentation_digest == slot.pair.presentation_digest
        name = f"imported|fresh|judgment|{slot.pk}|mara"
        assert mara.key == uuid.uuid5(uuid.NAMESPACE_URL, name)


class TestSeats:
    def test_the_second_annotator_has_the_role_in_this_collection(self, collection, load, refused):
        one = HEADER + "q1_method,d1,mara,2,,,\n"
        other = with_documents("other")
        User.objects.create_user("stranger")
        member(other, Role.ANNOTATOR, "elsewhere")
        member(collection, Role.CURATOR, "curator")
        for name in ("nobody", "stranger", "elsewhere", "curator"):
            (problem,) = refused(one, second_annotator=name)
            assert problem.startswith(f"{name} is not an annotator of ")

        load(one, second_annotator="ann2")

        assert people_of("d1") == [(1, "mara", 2), (2, slots("d1")[1].annotator.shown_name, None)]
        assert slots("d1")[1].annotator.username == "ann2"

    def test_every_query_with_one_annotator_is_reported(self, tmp_path):
        collection = with_documents("two", queries=("q1_method", "q2_method"))
        path = tmp_path / "f.csv"
        path.write_text(HEADER + "q1_method,d1,mara,2,,,\nq2_method,d1,ines,2,,,\n")

        problems = problems_of(collection, path)

        assert [problem.partition(": ")[0] for problem in problems] == ["f.csv:2", "f.csv:3"]
        assert "all judgments of q2_method in the files are by ines" in problems[1]

    def test_people_are_counted_and_get_their_roles_once(self, collection, load):
        report = load(TWO, DECISIONS + "q1_method,d1,kim,3,,\n")

        assert report.people == 3
        roles = Membership.objects.filter(user__username__startswith="imported-")
        assert sorted(roles.values_list("user__first_name", "role")) == [
            ("ines", Role.ANNOTATOR),
            ("kim", Role.ADJUDICATOR),
            ("mara", Role.ANNOTATOR),
        ]
        assert load(TWO, DECISIONS + "q1_method,d1,otto,3,,\n").people == 0

    def test_the_person_who_imports_is_recorded(self, collection, load):
        admin = User.objects.get(username="admin")

        load(TWO, imported_by=admin)

        assert Opening.objects.get().opened_by == admin
        assert JudgmentImport.objects.get().imported_by == admin
        assert Pool.objects.get().build.built_by == admin


class TestPools:
    def test_an_imported_pool_has_the_documents_in_natural_order(self, collection, load):
        rows = [f"q1_method,{docno},{who},1,,,\n" for docno in ("d2", "d1") for who in "ab"]

        report = load(HEADER + "".join(rows))

        assert report.pools_imported == 1
        pooled = Candidate.objects.order_by("pk").values_list("document__docno", flat=True)
        assert list(pooled) == ["d1", "d2"]

    def test_a_frozen_pool_never_changes(self, collection, load, refused):
        load(TWO)
        rows = HEADER + "".join(
            f"q1_method,d{number},{who},1,,,\n" for number in (2, 3) for who in "ab"
        )
        for replace in (False, True):
            (problem,) = refused(rows, replace_drafts=replace)
            assert problem == (
                "The frozen pool of q1 does not hold 2 judged documents among those to judge: d2, "
                "d3. A frozen pool cannot change. Remove these judgments from the files."
            )
        assert Pool.with_hidden.count() == 1

    def test_a_draft_with_all_judged_documents_stays(self, collection, load):
        paper = collection.query_papers.get()
        pool = a_pool(paper, list(collection.documents.filter(docno__in=["d1", "d2"])))

        report = load(TWO, replace_drafts=True)

        assert report.pools_imported == 0
        assert Pool.objects.get().pk == pool.pk

    def test_a_dry_run_keeps_the_draft(self, collection, load):
        paper = collection.query_papers.get()
        pool = a_pool(paper, list(collection.documents.filter(docno="d2")))

        report = load(TWO, replace_drafts=True, dry_run=True)

        assert (report.pools_imported, report.dry_run) == (1, True)
        assert list(Pool.with_hidden.values_list("pk", flat=True)) == [pool.pk]

    def test_every_pool_without_its_documents_is_reported(self, tmp_path):
        collection = with_documents("two", queries=("q1_method", "q2_method"))
        for paper in collection.query_papers.all():
            a_pool(paper, list(collection.documents.filter(docno="d4")))
        path = tmp_path / "f.csv"
        rows = [f"q{n}_method,d1,{who},1,,,\n" for n in (1, 2) for who in "ab"]
        path.write_text(HEADER + "".join(rows))

        assert [problem.partition(" does")[0] for problem in problems_of(collection, path)] == [
            "The draft pool of q1",
            "The draft pool of q2",
        ]


class TestRecords:
    def test_a_docno_names_no_query_if_it_has_two(self, tmp_path):
        collection = with_documents("two", queries=("q1_method", "q1_result"))
        path = tmp_path / "f.csv"
        path.write_text(TWO.replace("q1_method", "q1"))

        with pytest.raises(JudgmentsRefused, match="two does not have 1 query of the files: q1"):
            import_judgments(
                collection=collection,
                files=[(path, "f.csv")],
                options=ImportOptions(),
                work=DirectRun(),
            )

    def test_the_same_judgment_in_two_files_counts_once(self, load):
        assert load(TWO, TWO).judgments == 2

    def test_a_second_grade_or_reason_of_one_person_is_refused(self, refused):
        rows = HEADER + "q1_method,d1,mara,,garbled,,\nq1_method,d1,mara,,language,,\n"

        (problem,) = refused(rows)

        assert problem == (
            "file1.csv:3: mara judged q1_method d1 twice, first at file1.csv:2, with another "
            "answer. Keep one of the two."
        )

    def test_the_third_person_of_a_pair_is_named_by_their_line(self, refused):
        rows = "".join(f"q1_method,d1,{name},1,,,\n" for name in "cab")

        (problem,) = refused(HEADER + rows)

        assert problem.startswith("file1.csv:4: q1_method d1 has judgments of c, a, b. A pair has")

    def test_unknown_ids_of_decisions_are_reported_too(self, refused):
        problems = refused(TWO, DECISIONS + "q9,x1,kim,3,,\nq1_method,x2,kim,3,,\n")

        assert [problem.partition(". ")[0] for problem in problems] == [
            "file2.csv:2: fresh does not have 1 query of the files: q9",
            "file2.csv:2: fresh does not have 2 documents of the files: x1, x2",
        ]

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_no_decision_tells_what_the_only_judge_of_a_pair_said(
        self, opened, refused, load, dry_run
    ):
        """The answer is the same for every grade that the file guesses."""
        judge(Slot.objects.get(pair__candidate__document__docno="d1", number=1), 2)
        answers = {
            refused(
                f"{HEADER}q1_method,d1,x,{guess},,,\n",
                f"{DECISIONS}q1_method,d1,kim,{decided},,\n",
                dry_run=dry_run,
            )
            for guess in range(4)
            for decided in range(4)
        }

        assert len(answers) == 1
        assert "stays secret until the pair has both" in answers.pop()[0]
        load(f"{HEADER}q1_method,d1,x,3,,,\n")
        assert load(f"{DECISIONS}q1_method,d1,kim,3,,\n").decisions == 1

    def test_twenty_unknown_ids_are_named(self, refused):
        rows = [f"q1_method,x{number},{who},1,,,\n" for number in range(22) for who in "ab"]

        (problem,) = refused(HEADER + "".join(rows))

        assert "22 documents of the files: x0, " in problem
        assert "x19" in problem
        assert "x20" not in problem

    def test_a_second_decision_must_be_equal(self, refused, load):
        same = DECISIONS + "q1_method,d1,kim,3,,\nq1_method,d1,kim,3,,\n"
        for other in ("kim,2,,", "lee,3,,", "kim,,garbled,"):
            (problem,) = refused(TWO, DECISIONS + f"q1_method,d1,kim,3,,\nq1_method,d1,{other}\n")
            assert problem == (
                "file2.csv:3: q1_method d1 has another decision at file2.csv:2. Keep one of the "
                "two."
            )
        assert load(TWO, same).decisions == 1

    def test_queries_are_imported_in_their_natural_order(self, tmp_path):
        collection = with_documents("two", queries=("q2_method", "q1_method"))
        path = tmp_path / "f.csv"
        rows = [f"q{n}_method,d1,{who},{n},,,\n" for n in (2, 1) for who in "ab"]
        path.write_text(HEADER + "".join(rows))
        work = RecordedWork()

        report = import_judgments(
            collection=collection, files=[(path, "f.csv")], options=ImportOptions(), work=work
        )

        assert list(Opening.objects.order_by("pk").values_list("query__name", flat=True)) == [
            "q1_method",
            "q2_method",
        ]
        assert [step for step in work.seen if step[2] == "queries imported"] == [
            (1, 2, "queries imported"),
            (2, 2, "queries imported"),
        ]
        assert work.result["queries_opened"] == report.queries_opened == 2


class TestDecisions:
    def test_a_decision_keeps_all_that_its_record_has(self, collection, load):
        load(TWO, DECISIONS + "q1_method,d1,kim,,garbled,odd\n")

        decision = Decision.objects.get()
        first, second = (slot.judgment_id for slot in slots("d1"))
        assert (decision.grade, decision.reason, decision.note, decision.sequence) == (
            *(None, "garbled", "odd", 1),
        )
        assert (decision.first_id, decision.second_id) == (first, second)
        name = f"imported|fresh|decision|{first}|{second}|kim"
        assert decision.key == uuid.uuid5(uuid.NAMESPACE_URL, name)

    def test_two_missing_grades_do_not_agree(self, load):
        rows = HEADER + "q1_method,d1,a,,garbled,,\nq1_method,d1,b,,garbled,,\n"

        report = load(rows, DECISIONS + "q1_method,d1,kim,1,,\n")

        assert (report.agreed, report.decisions) == (0, 1)

    def test_a_decision_equal_to_two_equal_grades_is_counted_and_not_stored(self, load):
        report = load(TWO.replace(",3,", ",2,"), DECISIONS + "q1_method,d1,kim,2,,\n")

        assert (report.agreed, report.decisions, Decision.objects.count()) == (1, 0, 0)

    def test_a_reason_does_not_overrule_two_equal_grades(self, refused):
        decided = DECISIONS + "q1_method,d1,kim,,garbled,\n"

        (problem,) = refused(TWO.replace(",3,", ",2,"), decided)

        assert "both judgments of q1_method d1 are 2, so the decision garbled cannot" in problem

    def test_another_adjudicator_with_the_same_answer_changes_nothing(self, load):
        load(TWO, DECISIONS + "q1_method,d1,kim,3,,\n")

        report = load(TWO, DECISIONS + "q1_method,d1,lee,3,,\n")

        assert (report.decisions, report.decisions_unchanged) == (0, 1)
        assert Decision.objects.count() == 1

    def test_a_decision_about_earlier_judgments_is_followed_by_another(self, opened, load):
        one, two = slots("d1")
        judge(one, 1)
        judge(two, 3)
        load(DECISIONS + "q1_method,d1,kim,3,,\n")
        judge(slots("d1")[0], 2)

        report = load(DECISIONS + "q1_method,d1,kim,1,,\n")

        assert report.decisions == 1
        judge(slots("d1")[0], 0)
        assert load(DECISIONS + "q1_method,d1,kim,2,,\n").decisions == 1
        assert list(Decision.objects.order_by("sequence").values_list("sequence", "grade")) == [
            (1, 3),
            (2, 1),
            (3, 2),
        ]

    def test_every_problem_is_reported_and_nothing_is_stored(self, refused):
        rows = TWO + "q1_method,d2,mara,2,,,\nq1_method,d2,ines,3,,,\n"
        decided = "q1_method,d2,kim,1,,\nq1_method,d3,kim,1,,\nq1_method,d1,mara,3,,\n"

        problems = refused(rows, DECISIONS + decided)

        assert len(problems) == 2
        assert "q1_method d3 does not have two judgments" in problems[0]
        assert "mara judged q1_method d1, so cannot decide it." in problems[1]
        assert not Decision.objects.exists()
        assert not Judgment.objects.exists()


class TestTheImport:
    def test_the_report_counts_everything(self, collection, load):
        work = RecordedWork()

        report = load(TWO, DECISIONS + "q1_method,d1,kim,3,,\n", work=work)

        assert report == JudgmentImportReport(
            dry_run=False,
            judgments=2,
            decisions=1,
            people=3,
            queries_opened=1,
            pools_imported=1,
        )
        unused = ["judgments_unchanged", "decisions_unchanged", "agreed", "skipped", "taken_over"]
        assert [getattr(report, name) for name in unused] == [0] * 5
        assert work.result == {**vars(report)}
        row = JudgmentImport.objects.get()
        assert (row.judgments, row.decisions, set(row.files)) == (2, 1, {"file1.csv", "file2.csv"})

    def test_an_import_of_decisions_alone_is_noted_and_one_without_news_is_not(self, load):
        load(TWO)
        load(DECISIONS + "q1_method,d1,kim,3,,\n")
        load(TWO)

        assert list(
            JudgmentImport.objects.order_by("pk").values_list("judgments", "decisions")
        ) == [(2, 0), (0, 1)]

    def test_files_with_one_name_are_told_apart(self, collection, tmp_path):
        paths = []
        for folder, text in (("a", TWO), ("b", TWO + "q1_method,d2,mara,2,,,\n")):
            (tmp_path / folder).mkdir()
            path = tmp_path / folder / "f.csv"
            path.write_text(text)
            paths.append((path, f"{folder}/f.csv"))

        import_judgments(
            collection=collection, files=paths, options=ImportOptions(), work=DirectRun()
        )

        files = JudgmentImport.objects.get().files
        assert list(files) == ["f.csv", "f.csv (2)"]
        assert len(set(files.values())) == 2

    def test_problems_of_all_files_are_reported_together(self, refused):
        problems = refused(HEADER + "q1_method,d1,a,9,,,\n", HEADER + "q1_method,d1,a,8,,,\n")

        assert [problem.partition(": ")[0] for problem in problems] == [
            "file1.csv:2",
            "file2.csv:2",
        ]

    def test_the_message_lists_a_hundred_problems(self):
        one = str(JudgmentsRefused(["only"]))
        many = str(JudgmentsRefused([f"p{number}" for number in range(101)]))
        hundred = str(JudgmentsRefused([f"p{number}" for number in range(100)]))

        assert one == "Nothing was imported. 1 problem:\nonly"
        assert many.startswith("Nothing was imported. 101 problems:\np0\n")
        assert many.endswith("\np99\n… and 1 more")
        assert hundred.endswith("\np99")

    @pytest.mark.parametrize("key", ["prefix", "topic_prefix"])
    def test_a_prefix_has_no_white_space(self, load, key):
        with pytest.raises(SourceError):
            load(TWO, **{key: "a b"})

    def test_a_row_that_the_database_refuses_is_reported(self, load, monkeypatch):
        """Another request could take a slot between the check and the insert."""

        def fail(*_):
            raise IntegrityError("slot taken")

        monkeypatch.setattr(import_service, "_write", fail)
        with pytest.raises(JudgmentsRefused, match=r"The database refused a row: slot taken\."):
            load(TWO)

    def test_skipped_tasks_of_all_files_are_added_up(self, load):
        rows = "q1_method,d1,mara,\nq1_method,d1,ines,\n"
        first, second = (
            f"query,docno,annotator,label\nq1_method,d1,{name},1\n{rows}" for name in "ab"
        )

        assert load(first, second).skipped == 4

    def test_options_survive_their_job(self):
        options = ImportOptions(
            *("a", "b", "c", "d", {"x": "1"}, "e", "f"),
            second_annotator="ann1",
            replace_drafts=True,
            dry_run=True,
        )

        assert ImportOptions.of(asdict(options)) == options
        assert ImportOptions.of(asdict(ImportOptions())) == ImportOptions()
