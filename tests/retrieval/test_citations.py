"""The citation graph, the most cited and chance, on a corpus small enough to follow by eye."""

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.ordering import shuffled
from retrieval.formats import trec_order
from retrieval.indexes.folders import IndexCorrupt
from retrieval.interface import DuplicateDocument, IndexedText, NothingToIndex, QueryText
from retrieval.retrievers.citations import (
    Graph,
    MostCited,
    RandomPapers,
    metadata_retriever,
    mix_keys,
)
from retrieval.retrievers.metadata import Requirements

WITH_KNOWN = Requirements(without_known=False)


def paper(docno, *references, year=None, fields=()):
    return IndexedText(docno, "", "", year, references, fields)


def asked(document):
    return QueryText(document.docno, "", "", document.year, document.references, document.fields)


def quiet(done):
    pass


def best(retriever, papers, query, folder, depth=100):
    retriever.build(papers, folder, quiet)
    ((docno, ranking),) = retriever.open(folder).rank([asked(query)], depth, quiet)
    assert docno == query.docno
    return [(scored.docno, scored.score) for scored in ranking]


# The query paper cites r1, r2 and a book outside the corpus.
QUERY = paper("query", "r1", "r2", "book", year=2010, fields=("CS",))
PAPERS = [
    QUERY,
    paper("r1", "old", year=2001, fields=("CS",)),
    paper("r2", "old", "r1", year=2005, fields=("Maths",)),
    paper("old", year=1990, fields=("Maths",)),
    paper("a", "r1", "r2", "book", year=2012, fields=("CS", "Maths")),
    paper("b", "book", "elsewhere", year=2009, fields=("CS",)),
    paper("c", "r2", "r2", "c", fields=("CS",)),
    paper("far", "a", "elsewhere", year=2013, fields=("CS",)),
]


def by_rank(*docnos):
    return [(docno, 1 / rank) for rank, docno in enumerate(docnos, start=1)]


def test_all_neighbours_of_the_closest_reference_come_before_those_of_the_next(tmp_path):
    # Linked to r1 are query, r2, a and old: of 6 papers with r1, r2 and book, r2 is shared: 1/6.
    # Linked to r2 are query, r1, a, c and old: of 7, r1 is shared: 1/7.
    # Linked to book are query, a and b: of 6, none is shared.
    assert best(Graph(), PAPERS, QUERY, tmp_path / "i") == by_rank(
        *("old", "a"),  # of r1, docno descending; r2 is a known positive
        "c",  # of r2, whose other neighbours are there already
        "b",  # of the book, which is not in the corpus
    )


def test_a_paper_with_more_links_comes_after_the_neighbours_of_a_closer_reference(tmp_path):
    papers = [
        paper("q", "close", "x", "y"),
        paper("close", "x", "y"),  # of q, close, x, y and once both are shared: 2/5
        paper("once", "close"),
        paper("twice", "x", "y"),  # linked to x and to y: of 5 papers each, close is shared: 1/5
        paper("x"),
        paper("y"),
    ]
    assert best(Graph(), papers, papers[0], tmp_path / "i") == by_rank("once", "twice")


def test_a_paper_outside_the_corpus_that_both_cite_is_shared(tmp_path):
    papers = [
        paper("q", "a", "b", "book"),
        paper("a", "book"),  # book is shared, of q, a, b, book and ya: 1/5
        paper("b"),
        paper("ya", "a"),
        paper("zb", "b"),  # nothing shared
    ]
    assert best(Graph(), papers, papers[0], tmp_path / "i") == by_rank("ya", "zb")
    # Without the book, the overlap of both is 0, and b goes before a.
    papers[0], papers[1] = paper("q", "a", "b"), paper("a")
    assert best(Graph(), papers, papers[0], tmp_path / "j") == by_rank("zb", "ya")


def test_a_query_paper_that_is_not_indexed_has_the_same_neighbours(tmp_path):
    assert best(Graph(), PAPERS[1:], QUERY, tmp_path / "i") == by_rank("old", "a", "c", "b")


def test_known_positives_are_ranked_when_that_is_asked_for(tmp_path):
    found = best(Graph(WITH_KNOWN), PAPERS, QUERY, tmp_path / "i")
    assert found == by_rank("r2", "old", "a", "r1", "c", "b")


def test_only_papers_of_a_shared_field_when_required(tmp_path):
    required = Requirements(same_field=True)
    found = best(Graph(required), PAPERS, QUERY, tmp_path / "i")
    assert [docno for docno, _ in found] == ["a", "c", "b"]


def test_no_later_paper_and_none_of_unknown_year_when_required(tmp_path):
    required = Requirements(not_later=True)
    found = best(Graph(required), PAPERS, QUERY, tmp_path / "i")
    assert [docno for docno, _ in found] == ["old", "b"]


def test_what_the_query_paper_lacks_is_not_required(tmp_path):
    query = paper("query", "r1", "r2", "book")
    required = Requirements(same_field=True, not_later=True)
    found = best(Graph(required), [query, *PAPERS[1:]], query, tmp_path / "i")
    assert [docno for docno, _ in found] == ["old", "a", "c", "b"]


def test_a_query_paper_without_references_has_no_neighbours(tmp_path):
    assert best(Graph(), PAPERS, paper("other"), tmp_path / "i") == []
    assert best(Graph(), PAPERS, paper("another", "nowhere"), tmp_path / "j") == []


def test_a_graph_is_the_same_whatever_the_order_of_the_documents(tmp_path):
    for number in range(3):
        turned = random.Random(number).sample(PAPERS, len(PAPERS))
        Graph().build(turned, tmp_path / str(number) / "index", quiet)
    contents = [
        {path.name: path.read_bytes() for path in (tmp_path / str(n) / "index").iterdir()}
        for n in range(3)
    ]
    assert contents[0] == contents[1] == contents[2]


def test_a_query_paper_outside_the_corpus_is_counted_once(tmp_path):
    """`f` cites it. The overlap with f is 1/5 (f, a, b, c and g), and with g 1/6."""
    papers = [paper("a", "g"), paper("c", "g"), paper("d", "g"), paper("f", "a", "b", "c", "g")]
    found = best(Graph(), papers, paper("b", "f", "g"), tmp_path / "i")
    assert found == by_rank("c", "a", "d")


def neighbours_by_definition(links, query, references):
    """The graph's list from sets and fractions; `links` are the references of every paper."""
    out = {docno: set(cited) - {docno} for docno, cited in links.items()}
    out[query] = set(references) - {query}
    into = {docno: {citing for citing in out if docno in out[citing]} for docno in "abcdefghxyz"}

    def overlap(reference):
        linked = into[reference] | out.get(reference, set())
        return Fraction(len(out[query] & linked), len(out[query] | linked))

    found = []
    for _, reference in sorted(((overlap(cited), cited) for cited in out[query]), reverse=True):
        linked = into[reference] | out.get(reference, set())
        new = (linked & links.keys()) - {query} - out[query] - set(found)
        found += sorted(new, reverse=True)
    return found


@given(
    links=st.dictionaries(
        st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefghxyz")), min_size=1
    ),
    query=st.sampled_from("abcdefgh"),
    data=st.data(),
)
def test_the_graph_agrees_with_its_definition_by_sets(tmp_path_factory, links, query, data):
    # A query paper without text is not in the index, but its references are known.
    references = (
        links[query]
        if query in links
        else data.draw(st.lists(st.sampled_from("abcdefghxyz"), max_size=6))
    )
    papers = [paper(docno, *cited) for docno, cited in links.items()]
    folder = tmp_path_factory.mktemp("graph") / "index"
    try:
        found = best(Graph(), papers, paper(query, *references), folder)
    except NothingToIndex:
        assert not any(set(cited) - {docno} for docno, cited in links.items())
    else:
        assert found == by_rank(*neighbours_by_definition(links, query, references))


def test_the_most_cited_are_those_of_the_field_in_an_order_of_chance(tmp_path):
    # r1 is cited by 3, r2 by 3, a by 1, old by 2; of CS are r1 and a, and r1 is a known positive.
    assert best(MostCited(), PAPERS, QUERY, tmp_path / "i") == [("a", 1.0)]
    found = best(MostCited(WITH_KNOWN, seed="s"), PAPERS, QUERY, tmp_path / "j")
    order = shuffled(["a", "r1"], seed="s", purpose="most-cited", query="query")
    assert found == [(order[0], 1.0), (order[1], 0.5)]


def test_without_a_field_the_most_cited_are_of_the_whole_corpus(tmp_path):
    found = best(MostCited(), PAPERS, paper("other"), tmp_path / "i")
    assert {docno for docno, _ in found} == {"r1", "r2", "a", "old"}


def test_only_the_top_of_the_most_cited_are_drawn_from(tmp_path):
    found = best(MostCited(top=2), PAPERS, paper("other"), tmp_path / "i")
    assert {docno for docno, _ in found} == {"r1", "r2"}
    # old and a third with two citations: the higher docno is in.
    more = [*PAPERS, paper("zed"), paper("p", "zed"), paper("q", "zed")]
    found = best(MostCited(top=3), more, paper("other"), tmp_path / "j")
    assert {docno for docno, _ in found} == {"r1", "r2", "zed"}


def test_chance_ranks_everything_but_the_query_paper_and_its_references(tmp_path):
    found = best(RandomPapers(), PAPERS, QUERY, tmp_path / "i")
    assert {docno for docno, _ in found} == {"old", "a", "b", "c", "far"}
    assert [score for _, score in found] == [1.0, 1 / 2, 1 / 3, 1 / 4, 1 / 5]


def test_chance_gives_another_order_to_another_query_paper_or_seed(tmp_path):
    papers = [paper(f"{number:03}") for number in range(50)]
    first = best(RandomPapers(), papers, paper("q1"), tmp_path / "a")
    assert best(RandomPapers(), papers, paper("q1"), tmp_path / "b") == first
    other = best(RandomPapers(), papers, paper("q2"), tmp_path / "c")
    seeded = best(RandomPapers(seed="s"), papers, paper("q1"), tmp_path / "d")
    assert len({tuple(docno for docno, _ in found) for found in (first, other, seeded)}) == 3


def test_a_shorter_list_by_chance_is_the_start_of_a_longer_one(tmp_path):
    papers = [paper(f"{number:03}") for number in range(50)]
    longest = best(RandomPapers(), papers, paper("q1"), tmp_path / "a")
    for depth in (1, 7, 49, 50):
        shorter = best(RandomPapers(), papers, paper("q1"), tmp_path / str(depth), depth)
        assert shorter == longest[:depth]


def test_a_new_paper_moves_no_other_in_the_order_of_chance(tmp_path):
    papers = [paper(f"{number:03}") for number in range(50)]
    before = [docno for docno, _ in best(RandomPapers(), papers, paper("q1"), tmp_path / "a")]
    more = [*papers, paper("new"), paper("0")]
    after = [docno for docno, _ in best(RandomPapers(), more, paper("q1"), tmp_path / "b")]
    assert [docno for docno in after if docno not in ("new", "0")] == before


def test_every_paper_comes_first_by_chance_about_equally_often(tmp_path):
    papers = [paper(docno) for docno in "abcde"]
    RandomPapers().build(papers, tmp_path / "i", quiet)
    queries = [QueryText(str(number), "", "") for number in range(2000)]
    lists = RandomPapers().open(tmp_path / "i").rank(queries, 1, quiet)
    counts = Counter(ranking[0].docno for _, ranking in lists)
    # 400 expected of each; chi-squared with 4 degrees of freedom is above 18.5 once in 1000.
    assert sum((counts[docno] - 400) ** 2 / 400 for docno in "abcde") < 18.5


def test_mixing_keeps_different_keys_different():
    keys = np.arange(100_000, dtype=np.uint64)
    assert len(np.unique(mix_keys(keys))) == len(keys)
    # A published test vector: SplitMix64 with seed 0 begins with this number.
    assert mix_keys(np.array([0x9E3779B97F4A7C15], dtype=np.uint64))[0] == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("retriever", [Graph(WITH_KNOWN), MostCited(WITH_KNOWN), RandomPapers()])
def test_lists_are_in_trec_order_and_end_at_the_depth(retriever, tmp_path):
    retriever.build(PAPERS, tmp_path / "i", quiet)
    for depth in (1, 2, 100):
        lists = dict(retriever.open(tmp_path / "i").rank(map(asked, PAPERS), depth, quiet))
        assert list(lists) == [document.docno for document in PAPERS]
        for docno, ranking in lists.items():
            assert ranking == trec_order(ranking)
            assert len(ranking) <= depth
            assert docno not in {scored.docno for scored in ranking}


def test_a_corpus_without_citations_cannot_be_indexed_by_them(tmp_path):
    for retriever in (Graph(), MostCited()):
        with pytest.raises(NothingToIndex, match="no document cites another"):
            retriever.build([paper("a"), paper("b", "b")], tmp_path / "i", quiet)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("retriever", [Graph(), MostCited(), RandomPapers()])
def test_a_docno_that_comes_twice_is_an_error(retriever, tmp_path):
    with pytest.raises(DuplicateDocument, match="the docno a is repeated"):
        retriever.build([paper("a", "b"), paper("b"), paper("a")], tmp_path / "i", quiet)


@pytest.mark.parametrize("retriever", [Graph(), MostCited(), RandomPapers()])
def test_a_damaged_index_is_not_opened(retriever, tmp_path):
    retriever.build(PAPERS, tmp_path / "i", quiet)
    (tmp_path / "i" / "years.npy").write_bytes(b"x")
    with pytest.raises(IndexCorrupt, match=r"years\.npy"):
        retriever.open(tmp_path / "i")


def test_a_name_spells_out_the_requirements():
    assert metadata_retriever("graph") == Graph()
    assert metadata_retriever("random.not_later.same_field").required == Requirements(
        True, True, True
    )
    assert metadata_retriever("random.not_later.same_field").name == "random.same_field.not_later"
    assert metadata_retriever("graph.with_known") == Graph(WITH_KNOWN)
    assert metadata_retriever("bm25_title") is None
    with pytest.raises(ValueError, match="'nearby'; use same_field"):
        metadata_retriever("graph.nearby")


def test_a_name_spells_out_how_many_of_the_most_cited():
    assert metadata_retriever("most_cited") == MostCited(top=200)
    assert metadata_retriever("most_cited.top50") == MostCited(top=50)
    assert metadata_retriever("most_cited.top50.not_later").name == "most_cited.not_later.top50"
    assert metadata_retriever("most_cited.not_later.top50") == metadata_retriever(
        "most_cited.top50.not_later"
    )


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("most_cited.top0", "'top0' must be a single number of at least 1, as in top200"),
        ("most_cited.top5.top6", "'top5.top6' must be a single number of at least 1"),
        ("most_cited.topten", "'topten'; use same_field"),
        ("graph.top50", "'top50'; use same_field"),
    ],
)
def test_a_top_that_is_no_number_is_refused(name, problem):
    with pytest.raises(ValueError, match=problem):
        metadata_retriever(name)


def test_two_hundred_most_cited_are_drawn_from_unless_the_name_says_another_number(tmp_path):
    cited = [paper(f"{number:03}") for number in range(210)]
    citing = paper("citing", *(document.docno for document in cited))
    for name, expected in (("most_cited", 200), ("most_cited.top7", 7)):
        found = best(
            metadata_retriever(name), [*cited, citing], paper("q"), tmp_path / name, depth=500
        )
        # All are cited once, so the highest docnos are in.
        assert {docno for docno, _ in found} == {document.docno for document in cited[-expected:]}
