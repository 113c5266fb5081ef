"""Run files as they come from other engines, and as they go out."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from retrieval.models import Run
from retrieval.run_files import import_run, run_lines
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def topics(collection):
    """Documents a, b, c, 1, 2, 3, and the topics 1 and 2."""
    for docno in "abc123":
        builders.document(collection, docno)
    return [builders.topic(collection, name, f"Topic {name}") for name in "12"]


def imported(collection, text, name="mine", **options):
    content = text if isinstance(text, bytes) else text.encode()
    return import_run(collection=collection, file=io.BytesIO(content), filename="x.run", name=name, **options)


def lists_of(run):
    return {each.query.name: (each.docnos, each.scores) for each in run.lists.select_related("query")}


def numbers(run):
    return {why: what["number"] for why, what in run.skipped.items()}


def test_duplicates_ties_and_unknown_topics(collection, topics):
    text = "1 Q0 a 1 3.0 x\n1 Q0 a 2 2.0 x\n1 Q0 b 3 2.0 x\n1 Q0 c 4 2.0000000001 x\n9 Q0 a 1 1e-3 x\n"
    run = imported(collection, text)
    assert lists_of(run) == {"1": (["a", "c", "b"], [3.0, 2.0000000001, 2.0])}
    assert numbers(run) == {"duplicate lines": 1, "unknown topics": 1}
    assert run.skipped["unknown topics"]["named"] == ["9"]
    assert run.warnings == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("1 Q0 a 1 nan x", "'nan'"),
        ("1 Q0 a 1 inf x", "'inf'"),
        ("1 Q0 a 1 1_000 x", "'1_000'"),
        ("1 Q0 a 1 high x", "'high'"),
        ("1 Q0 a 1 2.0", "got 5"),
        ("1 Q0 a b 1 2.0 x", "got 7"),
    ],
)
def test_a_line_that_is_none_is_refused_with_file_and_line(collection, topics, line, why):
    with pytest.raises(BadInput, match=r"^x\.run:3: ") as error:
        imported(collection, f"1 Q0 b 1 9 x\n\n{line}\n")
    assert why in str(error.value)
    assert not Run.objects.exists()


def test_the_scores_count_and_a_rank_column_that_contradicts_them_is_a_warning(collection, topics):
    run = imported(collection, "1 Q0 2 1 0.1 x\n1 Q0 3 2 0.2 x\n1 Q0 1 3 0.9 x\n2 Q0 a 1 2 x\n2 Q0 b 2 1 x\n")
    assert lists_of(run)["1"][0] == ["1", "3", "2"]
    (warning,) = run.warnings
    assert "1 of 2 lists" in warning


def test_equal_scores_are_a_warning_and_equal_ranks_are_none(collection, topics):
    run = imported(collection, "1 Q0 a 1 1 x\n1 Q0 b 1 1 x\n2 Q0 a 0 5 x\n2 Q0 b 0 9 x\n")
    assert lists_of(run)["1"][0] == ["b", "a"]
    (warning,) = run.warnings
    assert "equal" in warning
    assert "1 of 2" in warning


def test_what_is_not_in_the_corpus_is_counted_and_named(collection, topics):
    run = imported(collection, "".join(f"1 Q0 n{n} {n} {n} x\n1 Q0 n{n} 1 1 x\n" for n in range(30)) + "1 Q0 a 1 1 x\n")
    outside = run.skipped["documents outside the corpus"]
    assert (outside["number"], len(outside["named"])) == (30, 20)
    assert lists_of(run) == {"1": (["a"], [1.0])}
    with pytest.raises(BadInput, match=r"none of its documents .* 'n1'"):
        imported(collection, "1 Q0 n1 1 1 x\n", "other")
    with pytest.raises(BadInput, match=r"none of its topics .* '77'"):
        imported(collection, "77 Q0 a 1 1 x\n", "other")


def test_the_query_paper_is_left_out_of_its_own_list(collection, papers):
    query = builders.query(collection, papers[0])
    run = imported(collection, "d00_method Q0 d00 1 9 x\nd00_method Q0 d01 2 8 x\n")
    assert run.lists.get(query=query).docnos == ["d01"]
    assert numbers(run) == {"lines of the query paper itself": 1}


def test_a_topic_may_be_a_query_paper_for_all_its_queries(collection, papers):
    for facet in ("method", "result"):
        builders.query(collection, papers[0], facet)
    assert set(lists_of(imported(collection, "d00 Q0 d01 1 9 x\n"))) == {"d00_method", "d00_result"}
    with pytest.raises(BadInput, match="'d00' and 'd00_result' are both"):
        imported(collection, "d00 Q0 d01 1 9 x\nd00_result Q0 d01 1 9 x\n", "other")


@pytest.mark.parametrize(("query", "topic"), [("051", "51"), ("51", "051")])
def test_topics_that_match_only_without_leading_zeros_are_named_and_matched_if_asked(collection, query, topic):
    builders.document(collection, "d1")
    for name in (query, "100"):
        builders.topic(collection, name, "Harbour dues")
    text = f"{topic} Q0 d1 1 1 x\n100 Q0 d1 1 1 x\n"
    with pytest.raises(BadInput, match=f"1 of 2 topics .* '{topic}' for '{query}'"):
        imported(collection, text)
    run = imported(collection, text, match_leading_zeros=True)
    assert (set(lists_of(run)), run.skipped) == ({query, "100"}, {})


def test_two_topics_are_never_one_query(collection):
    builders.document(collection, "d1")
    builders.topic(collection, "7", "Ferry fares")
    with pytest.raises(BadInput, match="'7' and '007' are both"):
        imported(collection, "7 Q0 d1 1 1 x\n007 Q0 d1 1 1 x\n", match_leading_zeros=True)


@pytest.mark.parametrize("name", ["bm25", "cited", "my run", "é", "", "x" * 101, "a/b"])
def test_a_name_that_a_run_cannot_have_is_refused(collection, topics, name):
    with pytest.raises(BadInput):
        imported(collection, "1 Q0 a 1 1 x\n", name)


def test_a_name_is_given_once(collection, topics):
    imported(collection, "1 Q0 a 1 1 x\n")
    with pytest.raises(Conflict, match="mine"):
        imported(collection, "1 Q0 b 1 1 x\n")


def test_an_empty_file_is_refused(collection, topics):
    with pytest.raises(BadInput, match="no lines"):
        imported(collection, "\n\n")


def test_packed_files_and_white_space_of_every_kind_are_read(collection, topics):
    run = imported(collection, gzip.compress(b"1\tQ0   a  1 1e-1\tx\r\n2 Q0 b first 2 x"))
    assert lists_of(run) == {"1": (["a"], [0.1]), "2": (["b"], [2.0])}


def test_a_zip_holds_one_run(collection, topics):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.run", "1 Q0 a 1 1 x\n")
    assert lists_of(imported(collection, packed.getvalue())) == {"1": (["a"], [1.0])}
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("two.run", "1 Q0 b 1 1 x\n")
    with pytest.raises(BadInput, match="one run at a time"):
        imported(collection, packed.getvalue(), "other")


@given(st.dictionaries(st.sampled_from("abc123"), st.floats(-1e300, 1e300), min_size=1))
def test_a_run_that_goes_out_comes_back_the_same(scores):
    from django.db import transaction

    with transaction.atomic():
        collection = builders.collection("round-trip")
        for docno in "abc123":
            builders.document(collection, docno)
        builders.topic(collection, "1", "Harbour dues")
        text = "".join(f"1 Q0 {docno} 0 {score!r} x\n" for docno, score in scores.items())
        first = imported(collection, text)
        written = "".join(run_lines(first))
        second = imported(collection, written, "again")
        assert lists_of(first) == lists_of(second)
        assert "".join(run_lines(second)) == written.replace(" mine\n", " again\n")
        transaction.set_rollback(True)


def test_a_written_run_has_its_queries_in_the_order_of_their_ids(collection, topics):
    run = imported(collection, "2 Q0 b 1 1 x\n1 Q0 a 1 0.1 x\n1 Q0 c 1 1e22 x\n")
    assert "".join(run_lines(run)) == "1 Q0 c 1 1e+22 mine\n1 Q0 a 2 0.1 mine\n2 Q0 b 1 1.0 mine\n"


def test_the_command_imports_or_says_why_not(collection, topics, capsys, tmp_path):
    good, bad = tmp_path / "good.run", tmp_path / "bad.run"
    good.write_text("1 Q0 a 1 0.1 x\n1 Q0 b 2 0.2 x\n9 Q0 a 1 1 x\n")
    bad.write_text("1 Q0 a 1 nan x\n")
    call_command("import_run", collection.slug, str(good), "--name", "distances")
    said = capsys.readouterr()
    assert "1 of 2 queries" in said.out
    assert "unknown topics: 9" in said.out
    assert "1 of 1 lists" in said.err
    with pytest.raises(CommandError, match=r"bad\.run:1: "):
        call_command("import_run", collection.slug, str(bad), "--name", "bad")
    with pytest.raises(CommandError, match="nowhere"):
        call_command("import_run", "nowhere", str(good), "--name", "odd")
