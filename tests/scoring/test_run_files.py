"""Files of systems: TREC runs, CSFCube's ranked pools, and scores by pair."""

from __future__ import annotations

import gzip
import json

import pytest

from retrieval.formats import RunFormatError
from scoring.systems.run_files import facet_of, read_system_file

TOPICS = {"1_method", "1", "2_a_b"}


def lists_of(tmp_path, content: bytes | object) -> dict[str, list[str]]:
    path = tmp_path / "run"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    read = read_system_file(path, name="the.run", topics=TOPICS)
    return {topic: list(ranking.docnos) for topic, ranking in read.lists.items()}


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_trec_run_is_in_the_order_of_trec_eval(tmp_path, pack):
    lines = b"1 Q0 a 1 2.0 t\n1 Q0 b 2 2.0 t\n1 Q0 c 3 9 t\n1 Q0 a 4 1 t\n"

    assert lists_of(tmp_path, pack(lines)) == {"1": ["c", "b", "a"]}


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_ranked_pools_keep_the_order_of_the_list_because_scores_may_be_distances(tmp_path, pack):
    content = pack(json.dumps({"1": [["a", 0.5], ["b", 0.9], ["a", 1.0]]}).encode())

    assert lists_of(tmp_path, content) == {"1": ["a", "b"]}


def test_scores_by_document_are_sorted(tmp_path):
    assert lists_of(tmp_path, {"1": {"a": 1, "b": 3, "c": 1}}) == {"1": ["b", "c", "a"]}


def test_scores_by_pair_are_split_where_the_query_is_known(tmp_path):
    scores = {"1_method_x_y": 1, "1_method_z": 2, "2_a_b_w": 0.5, "unknown_q_v": 1}

    assert lists_of(tmp_path, scores) == {
        "1_method": ["z", "x_y"],
        "2_a_b": ["w"],
        "unknown_q": ["v"],
    }


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", r"the\.run: no lines"),
        (b"1 Q0 a 1 nan t\n", r"the\.run:1: the score must be a finite number"),
        (b"{", r"the\.run:1: not valid JSON"),
        (b"{}", "not be empty"),
        (b"[1]", "must be an object"),
        (b'{"1": [["a", NaN]]}', "score of '1' must be a finite number, got nan"),
        (b'{"1": [["a"]]}', r"list of \[docno, score\]"),
        (b'{"1": [], "2": 3}', "the entry of '2' must be a list"),
        (b'{"pair": 1}', 'must be "query_candidate"'),
        (b'{"1_a": "high"}', "must be a finite number"),
    ],
)
def test_an_invalid_file_is_refused_with_the_place(tmp_path, content, problem):
    with pytest.raises(RunFormatError, match=problem):
        lists_of(tmp_path, content)


def test_a_filename_names_its_facet_if_it_has_exactly_one():
    facets = {"background", "method"}

    assert facet_of("pool-specter-method-ranked.json", facets) == "method"
    assert facet_of("method-background.json", facets) is None
    assert facet_of("methods.json", facets) is None
