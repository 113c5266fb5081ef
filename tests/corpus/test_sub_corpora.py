"""Sampled sub-corpora: the documents of a second program that holds the whole dump in memory."""

import csv
import gzip
import hashlib
import json
import random
from collections import Counter

import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from corpus.documents.history import steps_of
from corpus.documents.import_options import DocumentImportOptions
from corpus.formats.document_lines import BadLine, checked_lines
from corpus.formats.openalex import OPENALEX, shortened
from corpus.formats.sources import JoinedSource, open_source
from corpus.models import DocumentImport
from corpus.selection.filters import EVERYTHING, Recipe, RecipeError, broken_rule
from corpus.selection.selected_source import SelectedSource
from corpus.selection.sub_corpus import SubCorpus
from curation.samples.services import SamplePlan, draw_sample
from jobs.context import DirectRun

FIELDS = ["Art", "Biology", "Chess"]
MDCR = Recipe.parsed(named="mdcr")


def made_up(size, seed):
    """Works that cite earlier, later and missing ones; some break MDCR's rules."""
    rng = random.Random(seed)
    works = []
    for number in range(size):
        cited = rng.sample(range(size + size // 10), rng.choice([0, 2, 3, 4, 5, 6, 7, 9]))
        words = [
            rng.choice(["we", "draw", "a", "sample", "naïve"])
            for _ in range(rng.choice([0, 3, 40, 50, 60, 70]))
        ]
        works.append({
            "docno": str(1_000 + number),
            "title": rng.choice(["", *["On samples"] * 8]),
            "abstract": " ".join(words),
            "year": rng.choice([None, *[2018, 2019] * 4]),
            "fields": rng.sample(FIELDS, rng.choice([0, 1, 1, 2])),
            "references": [str(1_000 + other) for other in cited],
        })  # fmt: skip
    return works


def brute_force(
    works, *, size, seed="1", queries=None, per_field=0, years=(), query_seed="1", mdcr=True
):
    """Docnos of the sub-corpus, and the population that is sampled, from docs/formats.md alone."""

    def order(*parts):
        return hashlib.sha256("|".join(parts).encode()).hexdigest()

    passing = {
        work["docno"]: work for work in works
        if not mdcr or (work["year"] and work["title"] and len(work["abstract"]) >= 30
                        and len(set(work["references"])) >= 3)
    }  # fmt: skip
    field_of = {docno: (work["fields"] or [""])[0] for docno, work in passing.items()}
    if queries is None:
        queries = set()
        for field in set(field_of.values()) - {""}:
            able = [docno for docno, work in passing.items() if field_of[docno] == field
                    and work["abstract"] and (not years or work["year"] in years)]  # fmt: skip
            queries |= set(
                sorted(able, key=lambda d: order(query_seed, "sample", field, d))[:per_field]
            )
    queries &= passing.keys()
    base = queries | {other for docno in queries for other in passing[docno]["references"]}
    base &= passing.keys()
    fields = {field_of[docno] for docno in queries}
    population = {other for docno, work in passing.items() if field_of[docno] in fields
                  for other in work["references"]} & passing.keys()  # fmt: skip
    rest = sorted(population - base, key=lambda d: order(seed, "sub-corpus", "", d))
    return base | set(rest[: size - len(base)]), population, base


def as_jsonl(works, folder):
    (folder / "all.jsonl").write_text("".join(json.dumps(work) + "\n" for work in works))


def as_openalex(works, folder):
    """In the folders of the snapshot; abstracts with and without escapes."""
    for part in range(3):
        path = folder / f"updated_date=2026-01-0{part + 1}" / "part_000.gz"
        path.parent.mkdir()
        lines = [
            json.dumps(openalex(work), ensure_ascii=bool(n % 2))
            for n, work in enumerate(works[part::3])
        ]
        path.write_bytes(gzip.compress("\n".join(lines).encode()))


def openalex(work):
    index = {}
    for place, word in enumerate(work["abstract"].split()):
        index.setdefault(f"{word}{place if place % 3 else ''}", []).append(place)
    fields = [{"field": {"display_name": field}} for field in work["fields"]]
    return {
        "id": f"https://openalex.org/{work['docno']}", "title": work["title"],
        "publication_year": work["year"], "topics": fields,
        "abstract_inverted_index": index or None,
        "referenced_works": [f"https://openalex.org/{other}" for other in work["references"]],
    }  # fmt: skip


def as_s2ag(works, folder):
    names = {"papers": [], "abstracts": [], "citations": []}
    for work in works:
        number = int(work["docno"])
        fields = [{"category": field} for field in work["fields"]]
        names["papers"].append({"corpusid": number, "externalids": {}, "title": work["title"],
                                "year": work["year"], "s2fieldsofstudy": fields})  # fmt: skip
        names["abstracts"].append(
            {"corpusid": number, "openaccessinfo": {}, "abstract": work["abstract"]}
        )
        names["citations"] += [
            {"citingcorpusid": number, "citedcorpusid": int(other)} for other in work["references"]
        ]
    for name, rows in names.items():
        path = folder / name
        path.mkdir()
        (path / "part_0.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))


def as_s2orc(works, folder):
    rows = [{"paper_id": work["docno"], "title": work["title"], "abstract": work["abstract"],
             "year": work["year"], "mag_field_of_study": work["fields"],
             "outbound_citations": work["references"]} for work in works]  # fmt: skip
    (folder / "0.jsonl").write_text("\n".join(map(json.dumps, rows)))


def as_csv(works, folder):
    with (folder / "all.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["docno", "title", "abstract", "year", "fields", "references"])
        for work in works:
            lists = [";".join(work["fields"]), ";".join(work["references"])]
            rows.writerow(
                [work["docno"], work["title"], work["abstract"], work["year"] or "", *lists]
            )


def chosen(folder, sub_corpus, recipe=MDCR):
    subfolders = sorted(folder.iterdir())
    s2ag = (folder / "papers").is_dir()
    source = JoinedSource.of([open_source(path) for path in (subfolders if s2ag else [folder])])
    selected = SelectedSource(source, sub_corpus, recipe)
    return [line.record.docno for line in selected.lines()], selected


@pytest.mark.parametrize("written", [as_jsonl, as_openalex, as_s2ag, as_s2orc, as_csv])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_format_gives_the_documents_of_the_second_program(written, seed, tmp_path):
    works = made_up(600, seed)
    written(works, tmp_path)
    docnos, selected = chosen(
        tmp_path, SubCorpus.parsed(150, seed=str(seed), per_field=4, years="2019")
    )

    expected, population, base = brute_force(
        works, size=150, seed=str(seed), per_field=4, years=[2019]
    )
    assert sorted(docnos) == sorted(expected)
    assert len(docnos) == 150
    counts = selected.counts
    assert (counts["query_papers"], counts["population"], counts["shortfall"]) == (
        12,
        len(population),
        0,
    )
    assert counts["sampled"] == 150 - len(base)
    assert selected.outside + selected.filtered.total() + 150 == len(works)


@pytest.mark.parametrize("recipe", [EVERYTHING, MDCR])
def test_listed_queries_and_a_small_population_take_all_of_it_and_count_what_lacks(
    recipe, tmp_path
):
    works = made_up(300, 3)
    random.Random(5).shuffle(works)
    as_jsonl(works, tmp_path)
    listed = {work["docno"] for work in works[:6]} | {"nowhere"}

    docnos, selected = chosen(
        tmp_path, SubCorpus.parsed(5_000, query_papers="\n".join(listed)), recipe
    )

    expected, population, base = brute_force(
        works, size=5_000, queries=set(listed), mdcr=recipe is MDCR
    )
    found = listed & set(docnos)
    cited = {o for w in works if w["docno"] in found for o in w["references"]}
    assert sorted(docnos) == sorted(expected)
    assert selected.counts == {
        "query_papers": len(found), "query_papers_missing": len(listed) - len(found),
        "cited": len(cited & set(docnos)), "cited_missing": len(cited - set(docnos)),
        "population": len(population), "sampled": len(population - base),
        "shortfall": 5_000 - len(expected),
    }  # fmt: skip


def test_a_smaller_size_is_a_subset_and_the_order_of_files_and_lines_changes_nothing(tmp_path):
    works = made_up(400, 4)
    made = {}
    for name, order in (("a", works), ("b", works[::-1])):
        (tmp_path / name).mkdir()
        as_openalex(order, tmp_path / name)
        for size in (100, 160):
            sub_corpus = SubCorpus.parsed(size, per_field=2)
            made[name, size] = set(chosen(tmp_path / name, sub_corpus)[0])
    assert made["a", 100] < made["a", 160] == made["b", 160]
    assert made["a", 100] == made["b", 100]


@pytest.mark.by_day(2)
def test_the_sample_is_uniform_over_the_population(tmp_path):
    works = made_up(150, 6)
    as_jsonl(works, tmp_path)
    drawn = Counter()
    for seed in range(100):
        drawn.update(chosen(tmp_path, SubCorpus.parsed(30, seed=str(seed), per_field=1))[0])
    _, population, base = brute_force(works, size=30, per_field=1)
    counts = [drawn[docno] for docno in population - base]
    assert sum(counts) == 100 * (30 - len(base))
    # Draws without replacement vary less than those that the test assumes.
    assert chisquare(counts).pvalue > 0.001


def test_an_invalid_line_is_reported_and_a_repeated_one_does_not_count_twice(tmp_path):
    works = made_up(200, 7)
    as_jsonl([*works, {"docno": 7}, *works[:50]], tmp_path)
    selected = SelectedSource(open_source(tmp_path), SubCorpus.parsed(80, per_field=2), MDCR)
    lines = list(selected.lines())
    expected, *_ = brute_force(works, size=80, per_field=2)
    assert [line.number for line in lines if isinstance(line, BadLine)] == [201]
    assert {line.record.docno for line in lines if not isinstance(line, BadLine)} == expected


def test_invalid_lines_of_every_dataset_of_a_graph_are_reported(tmp_path):
    works = made_up(200, 8)
    as_s2ag(works, tmp_path)
    citation = {"citingcorpusid": "x", "citedcorpusid": 1}
    paper = {"corpusid": "y", "externalids": {}, "title": "T"}
    for name, row in (("citations", citation), ("papers", paper)):
        path = tmp_path / name / "part_1.gz"
        path.write_bytes(gzip.compress(json.dumps(row).encode()))
    source = JoinedSource.of([open_source(path) for path in sorted(tmp_path.iterdir())])
    lines = list(SelectedSource(source, SubCorpus.parsed(80, per_field=2), MDCR).lines())
    expected, *_ = brute_force(works, size=80, per_field=2)
    bad = [line.file for line in lines if isinstance(line, BadLine)]
    assert bad == ["citations/part_1.gz", "papers/part_1.gz"]
    assert {line.record.docno for line in lines if not isinstance(line, BadLine)} == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": 0, "per_field": 1}, "from 1 to 10,000,000 documents, got 0"),
        ({"size": 9}, "got neither. Give one of them"),
        ({"size": 9, "per_field": 1, "query_papers": "1000"}, "got both. Give one of them"),
        ({"size": 9, "query_papers": "two words"}, "The query paper 'two words' has a space"),
        ({"size": 9, "per_field": 1, "years": "then"}, "'then' names no years"),
        ({"size": 9, "query_papers": "x"}, "None of the 1 query paper is in the files"),
        ({"size": 9, "per_field": 1, "years": "1900"}, "No paper within the filter can be"),
        ({"size": 3, "per_field": 9}, "and the sub-corpus may have 3. Choose a larger size"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(given, message, tmp_path):
    as_jsonl(made_up(100, 8), tmp_path)
    with pytest.raises(RecipeError, match=message):
        chosen(tmp_path, SubCorpus.parsed(**given))


@pytest.mark.django_db
@pytest.mark.one_database
def test_the_command_records_the_counts_and_a_sample_has_the_same_query_papers(
    collection, tmp_path, capsys
):
    works = made_up(400, 9)
    as_openalex(works, tmp_path)
    options = {"filter": "mdcr", "sample_size": 100, "queries_per_field": 3, "query_years": "2019"}
    call_command("import_documents", "small", str(tmp_path), **options)

    expected, _, base = brute_force(works, size=100, per_field=3, years=[2019])
    assert set(collection.documents.values_list("docno", flat=True)) == expected
    row = DocumentImport.objects.get()
    assert row.recipe["sub_corpus"] == {
        "size": 100, "seed": "1", "per_field": 3, "years": "2019", "query_seed": "1",
        "counts": row.recipe["sub_corpus"]["counts"],
    }  # fmt: skip
    assert row.recipe["sub_corpus"]["counts"]["sampled"] == 100 - len(base)
    steps = steps_of(row)
    assert [step.name for step in steps][-2:] == [
        "not in the sampled sub-corpus of 100 documents", "a line that repeats an earlier one",
    ]  # fmt: skip
    assert (steps[0].remaining, steps[-1].remaining) == (400, 100)
    assert "query papers 9, query papers missing 0, cited" in capsys.readouterr().out

    plan = SamplePlan(("field",), 3, years="2019", seed="1")
    sample = draw_sample(collection=collection, name="q", plan=plan, work=DirectRun())
    docnos = [*sample.papers.values_list("document__docno", flat=True)]
    assert len(docnos) == 9
    assert brute_force(works, size=100, queries={*docnos})[0] == expected


@pytest.mark.parametrize(
    "sub_corpus",
    [
        SubCorpus.parsed(9, query_papers="a\nb", seed="2"),
        SubCorpus.parsed(9, per_field=2, years="2015-", query_fields=["Art"], query_seed="q"),
    ],
)
def test_a_job_has_the_same_selection(sub_corpus):
    options = DocumentImportOptions(selection=sub_corpus)
    assert DocumentImportOptions.of(json.loads(json.dumps(options.parameters))) == options


PLAIN = st.text("ab]},: 。0é", min_size=1, max_size=5)
ODD = st.text('ab"\\\t', max_size=4)
PLACES = st.sampled_from([[0, 7], [], [1.5], ["2"], None])


@given(
    st.lists(PLAIN, min_size=15, max_size=40, unique=True),
    st.lists(st.tuples(PLAIN | ODD, PLACES), max_size=1),
    st.sampled_from([1, 10, 90]),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_the_first_words_decide_as_the_whole_abstract_does(words, odd, characters, is_ascii):
    """So the first pass leaves out what the second one would, and finds the same invalid lines."""
    index = {**{word: [place] for place, word in enumerate(words)}, **dict(odd)}
    work = {**openalex(made_up(20, 1)[0]), "abstract_inverted_index": index}
    line = json.dumps(work, ensure_ascii=is_ascii).encode()
    recipe = Recipe.parsed(has_text=True, min_characters=characters)

    def outcome(line):
        (read,) = checked_lines([OPENALEX.item(1, line)], "f")
        if isinstance(read, BadLine):
            return read.reason
        rule = broken_rule(read.record, recipe.rules)
        return rule and rule.name

    assert outcome(shortened(line, recipe.abstract_characters)) == outcome(line)


def test_most_of_a_long_abstract_is_left_out():
    index = {f"word{place}": [place] for place in range(100)}
    line = json.dumps({"id": "W1", "abstract_inverted_index": index, "title": "T"}).encode()
    short = json.loads(shortened(line, 30))
    assert short == {
        "id": "W1",
        "abstract_inverted_index": dict([*index.items()][:20]),
        "title": "T",
    }
    assert shortened(line, 90) == line
