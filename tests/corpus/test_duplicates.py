"""What an import has seen, against plain dictionaries."""

from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from corpus.selection import duplicates
from corpus.selection.duplicates import Docnos, LinePosition, References

docnos = st.sampled_from("abcdefg")


@given(st.lists(st.lists(st.tuples(docnos, st.sampled_from([b"1", b"2"])), max_size=5)))
def test_a_line_is_known_by_the_first_of_its_docno(batches):
    first: dict[str, tuple[LinePosition, bytes]] = {}
    number = 0
    with closing(Docnos()) as index:
        for batch in batches:
            lines, expected = [], []
            for docno, digest in batch:
                number += 1
                place = LinePosition(0, number)
                earlier = first.setdefault(docno, (place, digest))
                expected.append(None if earlier[0] == place else (earlier[0], earlier[1] == digest))
                lines.append((docno, digest, place))
            assert index.add(lines) == expected


@given(st.lists(docnos), st.lists(st.lists(docnos).map(tuple)), st.integers(1, 4))
def test_references_that_lead_nowhere_are_counted(corpus, references, at_once):
    usual, duplicates.REFERENCES_PER_CHUNK = duplicates.REFERENCES_PER_CHUNK, at_once
    try:
        with closing(References()) as counting:
            for docno in corpus:
                counting.add_docnos([docno])
            for cited in references:
                counting.add(cited)
            flat = [docno for cited in references for docno in cited]
            assert counting.counts() == (len(flat), sum(docno not in corpus for docno in flat))
    finally:
        duplicates.REFERENCES_PER_CHUNK = usual
