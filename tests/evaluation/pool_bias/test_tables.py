"""The tables of the page, from a payload."""

from evaluation.pool_bias.tables import (
    growth_lines,
    left_out_lines,
    system_lines,
    ways_of,
)


def a_change(system, score, reduced, rank=1, reduced_rank=1):
    return {
        "system": system,
        "score": score,
        "rank": rank,
        "reduced_score": reduced,
        "reduced_rank": reduced_rank,
        "reduced_condensed": 0.9,
        "is_left_out": False,
    }


def a_way(systems, tau=None, **fields):
    undefined = None if tau is not None else "fewer than two systems"
    measure = {"tau": tau, "undefined": undefined, "systems": systems}
    return {"labels": 7, "relevant": 3, "lost": 2, "measures": {"AP": measure}, **fields}


ROWS = [
    a_change("a", 0.5, 0.4, 1, 3),
    a_change("b", 0.3, 0.45, 2, 1),
    a_change("c", 0.2, 0.2, 3, 2),
]
PAYLOAD = {
    "redrawn": 1,
    "left_out": [
        {
            "sources": ["x", "y"],
            "unique": a_way(ROWS, tau=-0.25),
            "drawn": a_way([]),
            "redrawn": a_way(ROWS[:1], tau=1.0, documents=11, new=5),
        },
        {"sources": ["z"], "unique": a_way(ROWS[:1]), "drawn": a_way([]), "redrawn": None},
    ],
}


def test_a_line_has_the_counts_and_the_system_that_changes_most():
    line, other = left_out_lines(PAYLOAD, "AP", "unique")
    assert (line.name, line.labels, line.relevant, line.lost) == ("x + y", 7, 3, 2)
    assert (line.documents, line.new) == (None, None)
    assert line.most_changed.system == "b"
    assert (line.tau_text, line.change_text, line.most_ranks) == ("−0.250", "+15.00", 2)
    assert (other.tau_text, other.undefined) == ("undefined", "fewer than two systems")
    assert other.change_text == "−10.00"


def test_of_equal_changes_the_last_name_is_taken_and_without_systems_none():
    equal = [a_change("a", 0.5, 0.25), a_change("b", 0.25, 0.5)]
    payload = {"left_out": [{"sources": ["x"], "unique": a_way(equal)}]}
    (line,) = left_out_lines(payload, "AP", "unique")
    assert line.most_changed.system == "b"
    line, _ = left_out_lines(PAYLOAD, "AP", "drawn")
    assert (line.most_changed, line.change_text, line.most_ranks) == (None, "", 0)


def test_sources_whose_pools_cannot_be_drawn_again_have_no_line_for_that_way():
    (line,) = left_out_lines(PAYLOAD, "AP", "redrawn")
    assert (line.name, line.documents, line.new) == ("x + y", 11, 5)
    assert list(ways_of(PAYLOAD)) == ["unique", "drawn", "redrawn"]
    assert list(ways_of({"redrawn": 0})) == ["unique", "drawn"]


def test_the_system_with_the_highest_value_is_first_and_equal_ones_go_by_name():
    payload = {
        "systems": [
            {
                "system": name,
                "kind": "run",
                "judged": {"10": 0.1, "20": 0.2, "100": 0.3},
                "without_list": 1,
                "leaves_pools": True,
                "measures": {"AP": {"standard": value, "condensed": 0.5, "upper": None}},
            }
            for name, value in (("c", 0.3), ("b", 0.3), ("a", 0.1), ("d", 0.4))
        ]
    }
    lines = system_lines(payload, "AP")
    assert [line.name for line in lines] == ["d", "b", "c", "a"]
    assert lines[0].judged == [0.1, 0.2, 0.3]
    assert (lines[0].upper, lines[0].without_list, lines[0].leaves_pools) == (None, 1, True)


def test_the_queries_with_the_most_expected_documents_are_first_and_undefined_ones_last():
    def a_query(name, expected, relevant_at=(2, 3)):
        value = None if expected is None else {"value": expected, "low": 0, "high": 1}
        return {
            "query": name,
            "size": 4,
            "relevant": len(relevant_at),
            "relevant_at": relevant_at,
            "forced": 1,
            "in_window": 2,
            "window": 20,
            "expected": value,
        }

    queries = [a_query("a", None), a_query("b", 0), a_query("d", 2), a_query("c", 2, ())]
    lines = growth_lines({"growth": {"queries": queries}})
    assert [line.query for line in lines] == ["c", "d", "b", "a"]
    assert (lines[1].found, lines[1].last) == ([0, 1, 2, 2], 3)
    assert (lines[0].found, lines[0].last) == ([0, 0, 0, 0], None)
    assert (lines[1].forced, lines[1].in_window, lines[1].window) == (1, 2, 20)
