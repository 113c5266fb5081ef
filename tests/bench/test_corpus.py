"""The made-up corpus is the same for everybody, and shaped like abstracts."""

import gzip
import json
import math
from collections import Counter

import numpy as np
import pytest

from bench.corpus import (
    KNEE,
    PRIME,
    RAREST,
    docno,
    papers,
    ranks,
    word,
    write_corpus,
    write_dump,
)
from corpus.formats.document_lines import read_lines, valid_lines
from corpus.formats.sources import open_source


@pytest.fixture(scope="module")
def some():
    return list(papers(3_000, seed=7))


def words_of(paper):
    return " ".join(paper.sentences).lower().replace(".", "").split()


def test_the_same_seed_writes_the_same_bytes_and_another_seed_does_not(tmp_path):
    written = {}
    for name, seed in [("a", 7), ("b", 7), ("c", 8)]:
        write_corpus(tmp_path / f"{name}.jsonl.gz", 60, seed)
        written[name] = (tmp_path / f"{name}.jsonl.gz").read_bytes()
    assert written["a"] == written["b"]
    assert written["a"] != written["c"]


def test_a_small_corpus_is_the_beginning_of_a_large_one(some):
    assert list(papers(1_203, seed=7)) == some[:1_203]


def test_gzip_holds_what_the_plain_file_holds_and_the_importer_reads_all_of_it(tmp_path):
    plain, packed = tmp_path / "c.jsonl", tmp_path / "c.jsonl.gz"
    for path in (plain, packed):
        write_corpus(path, 40, 7)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    read = [line.record for line in valid_lines(read_lines(packed, name="c"))]
    assert [document.docno for document in read] == [
        json.loads(line)["docno"] for line in plain.open()
    ]


def test_a_dump_has_the_papers_of_the_corpus_as_works_of_openalex(some, tmp_path):
    write_dump(tmp_path, 40, 7)
    source = open_source(tmp_path)
    read = [line.record for line in valid_lines(source.lines())]
    assert source.format_name == "openalex"
    assert [(r.docno, r.title, r.year, [*r.fields]) for r in read] == [
        (f"W{paper.docno}", paper.title, paper.year, paper.fields) for paper in some[:40]
    ]
    assert [(r.references, " ".join(r.sentences)) for r in read] == [
        (tuple(f"W{other}" for other in paper.references), " ".join(paper.sentences))
        for paper in some[:40]
    ]


def test_docnos_never_repeat(some):
    assert len({document.docno for document in some}) == len(some)
    # Multiplication by a factor that is not 0 modulo a prime repeats nothing below it.
    assert all(PRIME % divisor for divisor in range(2, math.isqrt(PRIME) + 1))
    assert docno(0) == "1103515245"


def test_abstracts_have_170_words_in_5_to_8_sentences_with_a_label_each(some):
    counts = Counter(len(document.sentences) for document in some)
    assert counts.keys() == {5, 6, 7, 8}
    assert all(len(document.labels) == len(document.sentences) for document in some)
    assert np.mean([len(words_of(document)) for document in some]) == pytest.approx(170, abs=4)


def test_every_word_is_spelled_differently_and_frequent_ones_are_short():
    spelled = [word(rank) for rank in range(70_000)]
    assert len(set(spelled)) == len(spelled)
    assert len(spelled[0]) < len(spelled[100]) < len(spelled[-1])


def test_ranks_follow_zipf_and_mandelbrot_and_then_a_steeper_tail():
    drawn = ranks(np.random.default_rng(1), 400_000) + 1
    assert drawn.min() == 1
    assert drawn.max() <= RAREST
    head, tail = math.log((KNEE + 2.7) / 3.7), 1 / 0.77
    # Of the density 1/(x + 2.7), what lies between 1 and 101, 1,001, …; beyond the knee x^-0.77.
    for rank in (101, 1_001, KNEE):
        expected = math.log((rank + 2.7) / 3.7) / (head + tail)
        assert np.mean(drawn < rank) == pytest.approx(expected, abs=0.004)
    beyond = tail * 10**-0.77 / (head + tail)
    assert np.mean(drawn >= 10 * KNEE) == pytest.approx(beyond, abs=0.002)


def test_the_vocabulary_grows_as_heaps_says(some):
    seen, sizes, words = set(), {}, 0
    for number, document in enumerate(some, start=1):
        tokens = words_of(document)
        words += len(tokens)
        seen.update(tokens)
        if number in (750, 3_000):
            sizes[number] = (words, len(seen))
    (few, small), (many, large) = sizes[750], sizes[3_000]
    exponent = math.log(large / small) / math.log(many / few)
    assert 0.45 < exponent < 0.75


def test_papers_of_a_topic_share_words(some):
    def rare(paper):
        return {word for word in words_of(paper) if len(word) >= 6}

    peers = [len(rare(some[n]) & rare(some[n + 100])) for n in range(800)]
    others = [len(rare(some[n]) & rare(some[n + 101])) for n in range(800)]
    assert np.mean(peers) > 3 * np.mean(others)


def test_papers_cite_about_20_earlier_ones_no_paper_twice_and_some_far_more_than_others(some):
    number = {document.docno: place for place, document in enumerate(some)}
    for place, document in enumerate(some):
        cited = [number[other] for other in document.references]
        assert len(set(cited)) == len(cited)
        assert all(other < place for other in cited)
        assert all(some[other].year <= document.year for other in cited)
    later = some[1_000:]
    assert np.mean([len(document.references) for document in later]) == pytest.approx(19, abs=2)
    counts = Counter(other for document in some for other in document.references)
    assert max(counts.values()) > 8 * np.median(list(counts.values()))
