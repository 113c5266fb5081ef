"""Sub-corpora sampled from document files."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from corpus import sampling


@pytest.fixture
def dump(tmp_path):
    """q, of Art, cites a, b and a book; 60 papers of Art cite c0 to c39, one of Law cites d, and d cites nothing."""
    papers = [{"id": "q", "references": ["a", "b", "book"], "fields": ["Art", "Law"]}]
    papers += [{"id": docno, "references": [], "fields": []} for docno in ("a", "b", "d")]
    papers += [{"id": f"c{i}", "references": [f"c{(7 * i) % 40}"], "fields": ["Art"]} for i in range(60)]
    papers += [{"id": "law", "references": ["d", "q"], "fields": ["Law"]}, {"id": "c3", "title": "Again"}]
    path = tmp_path / "dump.jsonl"
    path.write_text("".join(json.dumps({"title": "T", "abstract": "Why. How."} | paper) + "\n" for paper in papers))
    (tmp_path / "queries.txt").write_text("q\nnowhere\n")
    return path


def sampled(dump, size, **options):
    output = dump.parent / "out.jsonl"
    call_command("sample_corpus", dump, queries=dump.parent / "queries.txt", size=size, output=output, **options)
    return [json.loads(line)["id"] for line in output.read_text().splitlines()]


def test_all_that_is_cited_and_a_sample_of_what_the_field_cites_is_kept(dump, capsys):
    docnos = sampled(dump, 13)
    assert docnos[:3] == ["q", "a", "b"]
    assert len(set(docnos)) == len(docnos) == 13
    assert set(docnos[3:]) <= {f"c{i}" for i in range(40)}
    told = capsys.readouterr()
    assert told.out == "13 papers: 1 query papers, 2 that they cite, 10 sampled\n"
    assert "1 cited papers are not in the files" in told.err


def test_a_smaller_sample_is_part_of_a_larger_one_and_another_seed_draws_another(dump):
    small, large = sampled(dump, 13), sampled(dump, 23)
    assert set(small) < set(large)
    assert set(small) != set(sampled(dump, 13, seed="2"))


def test_a_population_is_of_the_field_or_of_all(dump, capsys):
    assert set(sampled(dump, 99)) == {"q", "a", "b", *(f"c{i}" for i in range(40))}
    assert "56 papers fewer" in capsys.readouterr().err
    assert "d" in sampled(dump, 99, all_fields=True)


def test_the_sample_is_the_same_however_little_is_held_in_memory(dump, monkeypatch):
    expected = sampled(dump, 30)
    monkeypatch.setattr(sampling, "WINDOW", 10)
    assert sampled(dump, 30) == expected


def test_incomplete_papers_are_left_out_when_asked(dump):
    with pytest.raises(CommandError, match="None of the query papers"):
        sampled(dump, 13, complete=True)  # an abstract of nine characters


def test_a_size_below_what_is_cited_is_refused(dump):
    with pytest.raises(CommandError, match="are 3 papers"):
        sampled(dump, 2)
