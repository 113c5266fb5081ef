"""Files of judgments, record by record: formats, fields, grades, people. Pure."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from adjudication.judgment_import import files as judgment_files
from adjudication.judgment_import.files import (
    LONGEST_NAME,
    Answered,
    FieldNames,
    FileContent,
    GradeCodes,
    read_judgment_file,
)

SCALE = GradeCodes(grades=range(4), reasons=["garbled", "language"])


@pytest.fixture
def read(tmp_path):
    """The content of a file with this text."""

    def run(text: str | bytes, *, name: str = "f.csv", **names) -> FileContent:
        path = tmp_path / "file"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_judgment_file(path, name=name, names=FieldNames(**names), scale=SCALE)

    return run


@pytest.fixture
def one(read):
    """The only record of a file with this object."""

    def run(values: dict, **names) -> Answered:
        content = read(json.dumps({"query": "q", "docno": "d", **values}), **names)
        assert content.problems == []
        (record,) = content.judgments + content.decisions
        return record

    return run


@pytest.fixture
def problem(read):
    """The problem of a file with this object, without its place."""

    def run(values: dict, **names) -> str:
        content = read(json.dumps(values), **names)
        assert not content.judgments
        (text,) = content.problems
        assert text.startswith("f.csv:1: ")
        return text.removeprefix("f.csv:1: ")

    return run


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_has_a_record_in_each_line(read, delimiter):
    rows = [
        "query, docno ,annotator,grade,reason,note,seconds,slot",
        "q,d,mara,2.0,, close ,8.5,2",
        " , ,,,,,,",
        "q,d,ines,,garbled,'=1,,",
    ]
    text = "\r\n".join(rows).replace(",", delimiter)

    content = read(text)

    assert content == FileContent(
        name="f.csv",
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        judgments=[
            Answered("f.csv:2", "q", "d", "mara", 2, "", "close", 8.5, 2),
            Answered("f.csv:4", "q", "d", "ines", None, "garbled", "=1", None, 0),
        ],
    )


def test_a_header_with_as_many_semicolons_as_commas_has_commas(read):
    assert read("query,docno,a;b;c;d,user,grade\nq,d,x,mara,1\n").judgments[0].grade == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("query,docno\nq\n", 2, "1 cells, but the header has 2. Correct the line."),
        ("query,docno\nq,d,x\n", 2, "3 cells, but the header has 2."),
        ("[1]", 1, "item 1 is not an object. Export tasks as JSON."),
        ('[{"query": "q"}, 7]', 1, "item 2 is not an object."),
        ('[\n{"a": 1},\n{"b"}]', 3, "not valid JSON ("),
        ("[" * 100_000, 1, "not valid JSON (too deeply nested). Export it again."),
        ('{"query": "q"}\n{', 2, "not valid JSON. Write one object per line."),
        ('{"a": ' * 100_000, 1, "not valid JSON. Write one object per line."),
        ('{"query": "q"}\n\n7', 3, "not an object. Write one object per line."),
        (b"query,docno\nq,\xff\n", 2, "not UTF-8. Save the file as UTF-8."),
    ],
)
def test_a_file_that_cannot_be_read_on_stops_with_its_line(read, text, place, message):
    assert f"f.csv:{place}: {message}" in read(text).problems[-1]


def test_a_cell_that_is_too_long_stops_the_file_with_its_line(read):
    limit = csv.field_size_limit(100)  # of the process; other modules raise it
    try:
        content = read('query,docno\nq,"' + "x" * 101 + '"\n')
    finally:
        csv.field_size_limit(limit)

    assert content.problems[-1].startswith("f.csv:2: not valid CSV (field larger than")


@pytest.mark.parametrize("text", ["", "query,docno\n", "[]", "\n\n"])
def test_a_file_without_records_says_so(read, text):
    assert read(text).problems == ["f.csv: it holds no judgment and no decision."]


def test_a_file_with_skipped_tasks_only_says_so(read):
    content = read('{"query": "q", "docno": "d", "label": []}')

    assert content.skipped == 1
    assert content.problems == ["f.csv: it holds no judgment and no decision."]


def test_a_problem_does_not_stop_the_records_after_it(read):
    content = read("query,docno,user,grade\nq,d,a,9\n,d,a,1\nq,d,a,1\n")

    assert [problem.partition(": ")[0] for problem in content.problems] == ["f.csv:2", "f.csv:3"]
    assert [record.place for record in content.judgments] == ["f.csv:4"]


def test_skipped_tasks_are_counted_and_do_not_stop_the_file(read):
    lines = [{"label": []}, {"label": ["1"], "user": "a"}, {"label": [], "user": "b"}]

    content = read("\n".join(json.dumps({"query": "q", "docno": "d", **line}) for line in lines))

    assert (content.skipped, len(content.judgments), content.problems) == (2, 1, [])


def test_characters_that_cannot_be_stored_are_refused(problem):
    assert "contains the character" in problem({"query": "q\0", "docno": "d", "user": "a"})


def test_meta_data_give_fields_unless_the_line_has_them(read):
    lines = [
        {"meta": {"query": "q", "docno": "m"}, "docno": "d", "label": "1", "user": "a"},
        {"metadata": {"query": "q", "docno": "m"}, "label": "1", "user": "a"},
        {"meta": "text", "query": "q", "docno": "n", "label": "1", "user": "a"},
    ]

    content = read("\n".join(map(json.dumps, lines)))

    assert [record.docno for record in content.judgments] == ["d", "m", "n"]
    assert [record.place for record in content.judgments] == ["f.csv:1", "f.csv:2", "f.csv:3"]


def test_a_list_of_plain_objects_is_read(read):
    content = read(json.dumps([{"query": "q", "docno": "d", "user": "a", "grade": 3}]))

    assert content.judgments == [Answered("f.csv: item 1", "q", "d", "a", 3, "", "")]


def task(*annotations, **data) -> str:
    return json.dumps([{"data": {"query": "q", "docno": "d", **data}, "annotations": annotations}])


def result(kind: str, value: object, name: str | None = None) -> dict:
    named = {} if name is None else {"from_name": name}
    return {"type": kind, "value": {kind: value}, **named}


class TestLabelStudio:
    def test_each_annotation_is_a_record(self, read):
        content = read(
            task(
                {
                    "completed_by": {"email": "a@b", "username": "no", "id": 1},
                    "lead_time": 3,
                    "result": [
                        result("choices", ["2"], "relevance"),
                        {"type": "textarea", "value": {"text": ["one", "", "two"]}},
                        {"type": "textarea", "value": {"text": "three"}},
                        {"type": "textarea", "value": {}},
                        {"type": "labels", "value": {"labels": ["x"]}},
                        {"type": "choices", "value": "2"},
                        "2",
                    ],
                },
                "no annotation",
                {"completed_by": {"username": "ben", "id": 2}, "result": [result("rating", 1)]},
                {"completed_by": {"id": 3}, "result": [result("number", 0, "n")]},
            )
        )

        assert content.problems == []
        assert content.judgments == [
            Answered("f.csv: item 1", "q", "d", "a@b", 2, "", "one\ntwo\nthree", 3.0),
            Answered("f.csv: item 1", "q", "d", "ben", 1, "", ""),
            Answered("f.csv: item 1", "q", "d", "3", 0, "", ""),
        ]

    def test_cancelled_and_empty_annotations_are_skipped(self, read):
        content = read(
            task(
                {"completed_by": 1, "was_cancelled": True, "result": [result("rating", 1)]},
                {"completed_by": 2, "was_cancelled": False, "result": []},
                {"completed_by": 3, "result": None},
                {"completed_by": 4, "was_cancelled": "no", "result": [result("rating", 1)]},
            )
        )

        assert (content.skipped, [each.person for each in content.judgments]) == (3, ["4"])

    def test_several_controls_need_a_name(self, read):
        text = task(
            {
                "completed_by": 1,
                "result": [result("rating", 1, "stars"), result("choices", ["3"], "grade_of")],
            }
        )

        (refused,) = read(text).problems
        assert "the controls 'stars', 'grade_of'. Name the one that holds the grade" in refused
        assert read(text, grade_field="grade_of").judgments[0].grade == 3
        assert read(text, grade_field="stars").judgments[0].grade == 1

    def test_a_task_whose_data_are_no_object_lacks_its_fields(self, read):
        text = json.dumps([{"data": 7, "annotations": [{"result": [result("rating", 1)]}]}])

        assert 'the field "query" is missing' in read(text).problems[0]

    def test_a_list_without_data_is_not_of_label_studio(self, read):
        values = {"query": "q", "docno": "d", "user": "a", "grade": 1}

        assert read(json.dumps([{**values, "annotations": []}])).judgments[0].grade == 1
        assert read(json.dumps([{**values, "data": {}}])).judgments[0].grade == 1


class TestIds:
    def test_prefixes_are_put_before_ids(self, one):
        record = one({"docno": 7, "user": "a", "grade": 1}, prefix="p-", topic_prefix="t-")
        decision = one({"adjudicator": "kim", "grade": 1}, prefix="p-", topic_prefix="t-")

        assert (record.query, record.docno) == ("t-q", "p-7")
        assert (decision.query, decision.docno) == ("t-q", "p-d")

    def test_fields_may_have_other_names(self, one):
        values = {"topic": " t ", "paper": "p", "who": "a", "user": "b", "value": 1, "grade": 2}

        record = one(
            values,
            query_field="topic",
            docno_field="paper",
            annotator_field="who",
            grade_field="value",
        )

        assert record == Answered("f.csv:1", "t", "p", "a", 1, "", "")

    def test_a_missing_field_is_named_with_up_to_ten_others(self, problem):
        values = {f"k{number}": 1 for number in range(12)}

        text = problem({**values, "user": "a", "grade": 1})

        assert text.startswith('the field "query" is missing. Its fields are ')
        assert "'k9'. Name it" in text

    @pytest.mark.parametrize("value", [True, 1.5, None, "", "  ", ["d"]])
    def test_an_id_is_text_or_a_whole_number(self, problem, value):
        text = problem({"query": "q", "docno": value, "user": "a", "grade": 1})

        assert text == f'"docno" must be an id, got {value!r}.'


class TestPeople:
    @pytest.mark.parametrize(
        "key", ["annotator", "username", "user", "annotation_approver", "completed_by"]
    )
    def test_a_person_stands_under_one_of_five_names(self, one, key):
        assert one({key: " mara ", "grade": 1}).person == "mara"

    def test_the_first_of_these_names_with_a_value_counts(self, one):
        assert one({"annotator": " ", "user": "b", "completed_by": "c", "grade": 1}).person == "b"

    def test_a_given_field_is_the_only_one(self, one, problem):
        assert one({"who": 7, "user": "b", "grade": 1}, annotator_field="who").person == "7"
        text = problem({"query": "q", "docno": "d", "user": "b", "label": 1}, annotator_field="who")
        assert text == '"who" is missing. Write in it who judged the pair.'

    @pytest.mark.parametrize("key", ["label", "labels"])
    def test_a_file_of_labels_has_the_name_of_the_person(self, one, key):
        assert one({key: "1"}, name="folder/mara.all.jsonl").person == "mara"

    def test_a_file_of_grades_has_no_name(self, problem):
        text = problem({"query": "q", "docno": "d", "grade": 1})
        assert text == '"annotator" is missing. Write in it who judged the pair.'

    @pytest.mark.parametrize("value", [True, {"name": "a"}])
    def test_something_else_is_no_person(self, problem, value):
        text = problem({"query": "q", "docno": "d", "annotator": value, "grade": 1})
        assert text.startswith('"annotator" is missing')

    def test_a_name_may_have_120_characters(self, one, problem):
        assert one({"user": "a" * 120, "grade": 1}).person == "a" * 120
        text = problem({"query": "q", "docno": "d", "user": "a" * 121, "grade": 1})
        assert text == '"user" has 121 characters. Use at most 120.'
        assert LONGEST_NAME == 120


class TestGrades:
    @pytest.mark.parametrize("key", ["grade", "label", "labels", "rating"])
    def test_a_grade_stands_under_one_of_four_names(self, one, key):
        assert one({key: 2, "user": "a"}).grade == 2

    def test_the_first_of_these_names_counts(self, one):
        assert one({"rating": 1, "label": 2, "user": "a"}).grade == 2

    @pytest.mark.parametrize(
        "value",
        [2, "2", " 2 ", 2.0, "2.0", ["2"], {"choices": ["2"]}, {"rating": 2}, {"number": 2}],
    )
    def test_a_grade_may_be_written_in_many_ways(self, one, value):
        assert one({"grade": value, "user": "a"}).grade == 2

    @pytest.mark.parametrize("value", ["4", "-1", "1.5", "one", "inf", "nan", "true"])
    def test_a_value_that_is_no_grade_says_how_to_map_it(self, problem, value):
        text = problem({"query": "q", "docno": "d", "grade": value, "user": "a"})
        assert text == (
            f"\"grade\" is '{value}', which is not one of the grades 0, 1, 2, 3. "
            f"Give the meaning of this label, such as {value}=3."
        )

    def test_labels_are_mapped_to_grades_and_reasons(self, one):
        names = {"labels": {"near": "3", "broken": "garbled"}}

        assert one({"label": "near", "user": "a"}, **names)[4:6] == (3, "")
        assert one({"label": "broken", "user": "a"}, **names)[4:6] == (None, "garbled")
        assert one({"label": "language", "user": "a"}, **names)[4:6] == (None, "language")
        assert one({"grade": "", "reason": "broken", "user": "a"}, **names)[4:6] == (
            None,
            "garbled",
        )

    def test_two_labels_are_refused_and_none_is_not_done(self, read, problem):
        values = {"query": "q", "docno": "d", "user": "a"}
        text = problem({**values, "labels": ["1", "2"]})
        assert text == '"labels" has 2 labels, but a pair has one grade.'
        for key, value in (("label", []), ("labels", ""), ("label", None)):
            assert read(json.dumps({**values, key: value})).skipped == 1

    def test_an_empty_label_with_a_reason_is_a_missing_grade(self, one):
        assert one({"label": [], "reason": "garbled", "user": "a"})[4:6] == (None, "garbled")

    @pytest.mark.parametrize("value", [None, "", " ", []])
    def test_an_empty_grade_needs_a_reason(self, problem, value):
        text = problem({"query": "q", "docno": "d", "grade": value, "user": "a"})
        assert text == (
            '"grade" and "reason" are empty. Give a grade, or one of the reasons garbled, language.'
        )

    def test_a_reason_is_one_of_the_collection_and_has_no_grade_beside_it(self, problem):
        values = {"query": "q", "docno": "d", "user": "a"}
        text = problem({**values, "grade": "", "reason": "tired"})
        assert text == "\"reason\" must be one of garbled, language, got 'tired'."
        text = problem({**values, "grade": 1, "reason": "garbled"})
        assert text == '"grade" is 1 and "reason" is \'garbled\'. Remove one of the two.'


class TestSecondsAndSlots:
    @pytest.mark.parametrize(
        ("values", "seconds"),
        [
            ({"seconds": "8.5"}, 8.5),
            ({"seconds": 0}, 0),
            ({"lead_time": 3}, 3),
            ({"seconds": 1, "lead_time": 3}, 1),
            ({"seconds": " "}, None),
            ({}, None),
        ],
    )
    def test_seconds_are_a_number_from_zero(self, one, values, seconds):
        assert one({**values, "grade": 1, "user": "a"}).seconds == seconds

    @pytest.mark.parametrize("value", [-0.1, "inf", "nan", "soon", [1]])
    def test_other_seconds_are_refused(self, problem, value):
        text = problem({"query": "q", "docno": "d", "grade": 1, "user": "a", "seconds": value})
        assert text == f'"seconds" must be a number from 0, got {value!r}. Or leave it empty.'

    @pytest.mark.parametrize(("value", "slot"), [(1, 1), ("2", 2), ("", 0), (None, 0)])
    def test_a_slot_is_1_or_2_or_not_given(self, one, value, slot):
        assert one({"slot": value, "grade": 1, "user": "a"}).slot == slot

    @pytest.mark.parametrize("value", [0, 3, "x", True])
    def test_other_slots_are_refused(self, problem, value):
        text = problem({"query": "q", "docno": "d", "grade": 1, "user": "a", "slot": value})
        assert text == f'"slot" must be 1 or 2, got {value!r}. Or leave it empty.'


class TestDecisions:
    def test_a_line_with_an_adjudicator_and_no_annotator_is_a_decision(self, read):
        line = {"query": "q", "docno": "d", "adjudicator": "kim", "grade": 2, "note": " why "}

        content = read(json.dumps(line))

        assert content.judgments == []
        assert content.decisions == [Answered("f.csv:1", "q", "d", "kim", 2, "", "why")]

    def test_a_decision_may_have_a_reason_or_no_name(self, one):
        assert one({"adjudicator": "", "grade": "", "reason": "garbled"})[3:6] == (
            "adjudicator",
            None,
            "garbled",
        )

    def test_a_judgment_may_have_a_decision_in_a_column(self, read):
        line = {"query": "q", "docno": "d", "user": "a", "adjudicator": "kim", "note": "mine"}
        lines = [
            {**line, "grade": 1, "decision": 2},
            {**line, "grade": "", "reason": "garbled", "decision": 0},
            {**line, "grade": 1, "decision": ""},
        ]

        content = read("\n".join(map(json.dumps, lines)))

        assert content.problems == []
        assert [record.grade for record in content.judgments] == [1, None, 1]
        assert content.decisions == [
            Answered("f.csv:1", "q", "d", "kim", 2, "", ""),
            Answered("f.csv:2", "q", "d", "kim", 0, "", ""),
        ]


def test_a_meter_is_asked_for_every_line(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("query,docno,user,grade\nq,d,a,1\n")
    seen = []

    class Counting:
        def __getattr__(self, name):
            seen.append(name)
            raise RuntimeError(name)

    with pytest.raises(RuntimeError):
        read_judgment_file(path, name="f", names=FieldNames(), scale=SCALE, meter=Counting())
    assert seen


def test_a_line_may_have_64_mebibytes_and_a_file_512():
    assert (judgment_files.LONGEST_LINE, judgment_files.LARGEST) == (64 * 2**20, 512 * 2**20)


def test_a_missing_file_raises(tmp_path: Path):
    with pytest.raises(OSError, match="none"):
        read_judgment_file(tmp_path / "none", name="f", names=FieldNames(), scale=SCALE)
