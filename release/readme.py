"""The README of a release, from its numbers. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agreement.coefficients import COEFFICIENTS, Missing
from pooling.provenance import IMPORTED
from release.citation_readme import (
    ABOUT_GRADES,
    LEFT_OUT,
    WARNING,
    citation_section,
    mdcr_section,
)
from release.front_matter import front_matter
from release.layouts import file_notes
from release.layouts.content import Content, notes_on
from release.manifest import NAME as MANIFEST
from release.manifest import SUMS
from release.options import Texts
from release.records import (
    ReleasedCorpusImport,
    ReleasedImport,
    ReleasedReports,
    Snapshot,
)
from release.sampling import describe_sample
from web.words import count_noun

if TYPE_CHECKING:
    from release.accepted_findings import AcceptedFinding

# A release's own sentences: those of the page may change, and the README may not with them.
EXCEPTIONS = {
    "licence": "The collection states no licence.",
    "corpus-licence": "The collection states no licence for the texts of its documents.",
    "unresolved": "Disputed pairs without a decision: {count}. They are left out.",
    "unjudged-pairs": "Pairs without both judgments: {count}. They are left out.",
    "unopened-queries": "Queries never opened for judging: {count}. They have no labels.",
    "self-retrieved": (
        "Queries with their own query paper in their qrels: {count}. A system is rewarded there "
        "for finding the query itself."
    ),
    "no-relevant": (
        "Queries with labels, but without a relevant document: {count}. Some tools leave them out "
        "of their means."
    ),
    "duplicates": "Documents whose text is more than once in a pool: {count}.",
    "old-reports": "Reports that were older than the labels: {count}. They are left out.",
    "provenance": "Labels of documents without a recorded source: {count}.",
    "changed-texts": (
        "Pairs whose text, or the mark of its facet, changed after they were judged: {count}. In "
        "`ratings.csv` their `presentation_digest` is that of the text that was judged."
    ),
    "datasheet": "Required questions of `datasheet.md` without an answer: {count}.",
}


def write_readme(content: Content, names: Collection[str]) -> bytes:
    """Markdown that tells a reader what this release holds. `names` are the files of layouts."""
    snapshot = content.snapshot
    collection = snapshot.collection
    sample = describe_sample(snapshot)
    names = list(names)
    parts = [
        front_matter(snapshot, names, content.counts["labels"]),
        _opening(snapshot, content.version),
        *_citations(content),
        _loading(content, names),
        _texts(snapshot),
        _splits(snapshot),
        _files(snapshot, names),
        mdcr_section(names),
        _sample(sample),
        _counts(content.counts, snapshot),
        _corpus(snapshot.corpus_imports),
        _making(snapshot),
        _grades(snapshot),
        *_agreement_if_judged(content),
        _evaluation(snapshot.reports),
        _supports(snapshot.supports),
        _exceptions(content.accepted),
        ["## What is not in it", _left_out(snapshot)],
        ["## Errors", _about_errors(collection.slug, content.version)],
        _licence(collection.licence),
        _citing(snapshot, content.version, content.software_version),
    ]
    return "\n".join(line for part in parts for line in part).encode()


ABOUT_IDS = """
The files in `runs/` name the query papers, because a pool belongs to a query paper and not to a
facet. All files in `trec/` name the queries. `trec/queries.tsv` maps one to the other.
"""

ABOUT_SENTENCES = """
A query by sentences names sentences of its query paper instead of a whole facet. Its id ends in a
hyphen and a word. `trec/queries.tsv` has its sentences, numbered from 1, as in `2,4-5`. Judges saw
these sentences in bold.
"""

ABOUT_FILES = """
Text is UTF-8. A query id is {query_id}. In the CSV files an empty `grade`
means that the person could not judge the pair, and `reason` says why. `first` and `second` are the
grades in slots 1 and 2.
"""

ABOUT_FILES_OF_CITATIONS = """
Text is UTF-8. A query id is {query_id}.
"""

ABOUT_CSFCUBE = """
`csfcube/` has the files of CSFCube's release (Mysore et al., 2021), so that its evaluation scripts
read this collection. Candidates are in the order of the pool. The first source of a candidate drew
it, and the others are in the order of their names. `relevance_ann2` has the grades of
`annotator-2`, and -1 is a judgment without a grade. If more than two people judged a query, its
columns have numbers above those of all annotators, and `annotations/ratings.csv` says who judged
which pair. Pairs without a final label are left out{and_queries}.
"""

ABOUT_GUIDELINES = """
`guidelines/` has the whole text of each guideline, with details and examples, as pages to print.
"""

ABOUT_REPORTS = """
`reports/agreement.json` has these numbers at full precision, `reports/agreement.csv` the same as a
table, and `reports/figures/` the figures.
"""

ABOUT_EVALUATION = """
`reports/evaluation.json` has the scores of {systems} by the final labels of this release. Means
are over the queries with a relevant document. An interval is the 95 % t interval of the mean over
queries. `test` is the mean of the means of both folds.
"""

OUT_OF_DATE = """
Reports that were older than the labels or the systems, and so are incomplete or not included:
{reports}.
"""

ABOUT_REBUILDING = """
Anybody who has the documents can rebuild the pools from this zip: with Qrelsmith by
`rebuild_pools`, without it by following the specification in Qrelsmith's `docs/manifest.md`.
"""

ABOUT_SAMPLE = """
Of {labelled} query papers with labels, {sampled} have a pool that is a random sample: of a deep
pool of all documents that some retriever ranked high enough, chance chose those that were judged.
A document that was left out is not known to be irrelevant. **Do not report AP, nDCG, precision,
recall or another ordinary measure over `trec/qrels.*.txt`: each of them takes what was left out
for not relevant.** The strata go by a document's best rank in any list. Drawn pairs without a final
label: {missing}.
"""

ABOUT_ESTIMATES = """
Use instead, from the files that carry the sample:

- `trec/sampleval.*.txt`: inferred AP and inferred nDCG (xinfAP, infNDCG) with NIST's
  `sample_eval.pl`. It lists the whole deep pool; grade -1 is a document that was not drawn or has
  no final label, and stratum 0 holds what was in a pool for certain. Documents without text are in
  neither file, because they could not be judged. `sample_eval.pl` takes leading zeros off the
  query ids of a run.
- `trec/prels.*.txt`: statAP and its kin. The variance that statAP prints is for its own way
  of sampling, which this was not.
- A total, such as the number of relevant documents: the sum of 1/probability over the relevant
  ones in `prels` (Horvitz and Thompson).
"""

ABOUT_CORPUS = """
The documents were imported in the steps below. A document counts under the first step that left it
out. A later import can replace documents of an earlier one.
"""

ABOUT_JUDGING = """
Two annotators judged every pair of a query and a candidate. Where both gave the same grade, it is
the final label. The other pairs went to an adjudicator, who could choose one of the two grades,
give another, or set the pair aside; such a pair has no final label.
"""

ABOUT_BLINDNESS = """
No annotator saw where a candidate came from or what the other had said, and each had a random order
of their own. No adjudicator decided a pair that he or she had judged. `presentation_digest` is the
SHA-256 of what was on the annotator's screen.
"""

ABOUT_IMPORT = """
Pools and judgments were imported from {sources}; how people judged there is described there.
`presentation_digest` is the SHA-256 of what Qrelsmith would have shown, not of what they saw. The
guideline that they judged under, and no guideline of Qrelsmith, defines the grades.
"""

ABOUT_JUDGMENT_IMPORT = """
Judgments made elsewhere and imported: {judgments}. Decisions made elsewhere and imported:
{decisions}. They come from {files}. This release does not say how people judged there, or what
they saw. In `ratings.csv`, their `presentation_digest` is the SHA-256 of what Qrelsmith would have
shown. Documents that `imported` drew were chosen elsewhere too.
"""

ABOUT_OTHER_JUDGMENTS = """
The next paragraph is about the other judgments, which were made in Qrelsmith.
"""

ABOUT_AGREEMENT = """
Medians over the queries{of_a_facet}. `pre` compares the two annotators. `post` is the mean of
comparing each of them with the final label, which is made from their judgments: it is not
independent agreement. Pairs with a missing judgment are left out. "Overruled" is the share of final
labels that neither annotator gave: the mean of this share over the queries, and the share of all
pairs{of_the_facet} together.
"""

ABOUT_ERRORS = """
This version never changes. Errors that are found in it are listed on its page. Those that were
reported are in `CHANGELOG.md` of the next version, too. To report one, use the form *Report an
error* on that page, `/releases/{slug}/{version}/`, of the server that published this version. It
has the form if the version is public.
"""

ABOUT_WHAT_IS_LEFT_OUT = """
{texts}- Names. People appear as pseudonyms, numbered at random.
- Notes that annotators and adjudicators wrote in their own words: they may name people.
- Judgments that their authors revised. `sequence` tells which revision counts.
- Judgments of pairs that only one annotator has judged.
"""


WITHOUT_TEXTS = """\
- The texts of documents, and with them the texts of query papers. `GET_TEXTS.md` says how to get
  them.
"""

ABOUT_TEXTS = {
    Texts.POOLED: (
        "The query papers and all candidates are here with their texts: {documents} documents. The "
        "corpus that the candidates were drawn from can be larger."
    ),
    Texts.CORPUS: "The whole corpus is here with its texts: {documents} documents.",
    Texts.NONE: (
        "This release has no texts of documents, only the docnos of {documents} documents in "
        "`documents.txt`. `GET_TEXTS.md` says how to get the texts."
    ),
}

ABOUT_QUERY_TEXTS = """
The text of a query is the title of its query paper and {what}. It
is the same in `trec/`, `beir/` and `hf/`. The query papers are documents too: leave a query paper
out of its own ranking.
"""

ABOUT_LOADING = """
Unpack the zip, and open a terminal in its folder. This works without any other package:

```sh
python -c "print(sum(1 for line in open('trec/qrels.all.txt')), 'labels')"
```

It prints how many labels there are. With [ir_measures](https://ir-measur.es), a run is scored by

```sh
ir_measures trec/qrels.{part}.txt my.run nDCG@20
```

With [ir_datasets](https://ir-datasets.com), and so in PyTerrier as `irds:{name}`:

```python
import ir_datasets
import load_ir_datasets  # a script of this release; it downloads nothing

dataset = ir_datasets.load("{name}{split}")
```
"""

ABOUT_LOADING_BEIR = """
With [BEIR](https://github.com/beir-cellar/beir):

```python
from beir.datasets.data_loader import GenericDataLoader

corpus, queries, qrels = GenericDataLoader("beir").load(split="{beir}")
```
"""

ABOUT_LOADING_HUGGING_FACE = """
With [datasets](https://huggingface.co/docs/datasets), from this folder or from the Hub:

```python
from pathlib import Path

from datasets import load_dataset

folder = str(Path.cwd())  # or the name of a data set on the Hub
qrels = load_dataset(folder, "{config}", split="test")
```

The other configs are in the first lines of this file. Their names are those that MTEB expects.
"""

ABOUT_SPLITS = """
Each query with a label is tested in one of two folds and serves to develop with in the other:
`fold1_dev`, `fold1_test`, `fold2_dev`, `fold2_test` in `splits.json`, `beir/qrels/` and `hf/`. A
test figure is the mean of the two folds' means. The split `test` has every query. {origin}
"""

IMPORTED_FOLDS = "The folds were imported with the collection."
MADE_FOLDS = """\
The folds were made at random from the seed `{seed}`, and every facet has half of its queries in
each."""
MADE_FOLDS_WITHOUT_FACETS = "The folds were made at random from the seed `{seed}`."


def _opening(snapshot: Snapshot, version: str) -> Iterator[str]:
    yield f"# {snapshot.collection.name}, version {version}"
    yield ""
    if snapshot.of_citations:
        yield WARNING
        yield ""
    yield (
        "A test collection for retrieving papers that are similar to a query paper in one facet."
        if snapshot.collection.has_facets
        else "A test collection for retrieving documents that are relevant to a query."
    )
    if snapshot.collection.description:
        yield ""
        yield snapshot.collection.description
    yield ""


def _loading(content: Content, names: Sequence[str]) -> Iterator[str]:
    """How to load it. A release without labels, which a test can make, has nothing to load."""
    snapshot = content.snapshot
    facet = next(
        (
            facet.key
            for facet in snapshot.collection.facets
            if facet.key and f"beir/qrels/{facet.key}.tsv" in names
        ),
        "",
    )
    places = {
        "part": facet or "all",
        "name": f"{snapshot.collection.slug}-{content.version}",
        "split": f"/{facet}" if facet else "",
        "beir": facet or "test",
        "config": f"{facet}-qrels" if facet else "default",
    }
    yield "## How to load it"
    yield ABOUT_LOADING.format(**places).rstrip()
    if snapshot.options.texts.included:
        yield ABOUT_LOADING_BEIR.format(**places).rstrip()
    yield ABOUT_LOADING_HUGGING_FACE.format(**places)


def _texts(snapshot: Snapshot) -> Iterator[str]:
    texts = snapshot.options.texts
    yield "## Texts"
    yield ""
    yield ABOUT_TEXTS[texts].format(documents=len(snapshot.documents))
    if texts.included and any(not query.is_topic for query in snapshot.queries):
        what = (
            "the sentences of the query's facet"
            if snapshot.collection.has_facets
            else "all its sentences"
        )
        if snapshot.has_sentence_queries:
            what += ", or for a query by sentences these sentences"
        yield ABOUT_QUERY_TEXTS.format(what=what).rstrip()
    yield ""


def _splits(snapshot: Snapshot) -> Iterator[str]:
    folds = snapshot.folds
    if not folds.numbers:
        return
    made = MADE_FOLDS if snapshot.collection.has_facets else MADE_FOLDS_WITHOUT_FACETS
    origin = IMPORTED_FOLDS if folds.imported else made.format(seed=folds.seed)
    yield "## Splits"
    yield ABOUT_SPLITS.format(origin=origin)


def _left_out(snapshot: Snapshot) -> str:
    texts = "" if snapshot.options.texts.included else WITHOUT_TEXTS
    about = LEFT_OUT if snapshot.of_citations else ABOUT_WHAT_IS_LEFT_OUT
    return about.format(texts=texts)


def _citations(content: Content) -> Iterator[Iterable[str]]:
    if content.snapshot.of_citations:
        yield citation_section(
            content.counts["citations"], has_facets=content.snapshot.collection.has_facets
        )


def _files(snapshot: Snapshot, names: Collection[str]) -> Iterator[str]:
    has_facets = snapshot.collection.has_facets
    notes = notes_on([*names, MANIFEST, SUMS], file_notes())
    of_citations = snapshot.of_citations
    yield "## Files"
    yield ""
    yield from _table(
        ["file", "what it holds"],
        [[f"`{note.name}`", note.what_of(citations=of_citations)] for note in notes],
    )
    query_id = (
        "`<docno of the query paper>_<facet>`" if has_facets else "the id of its topic or paper"
    )
    about = ABOUT_FILES_OF_CITATIONS if of_citations else ABOUT_FILES
    yield about.format(query_id=query_id).lstrip()
    if snapshot.has_sentence_queries:
        yield ABOUT_SENTENCES.lstrip()
    if snapshot.query_run_lines:
        yield ABOUT_IDS.lstrip()
    if any(name.startswith("csfcube/") for name in names):
        queries = ", and so are queries by sentences" if snapshot.has_sentence_queries else ""
        yield ABOUT_CSFCUBE.format(and_queries=queries).lstrip()
    if snapshot.run_lines:
        yield ABOUT_REBUILDING.lstrip()


def _sample(sample: Mapping[str, Any] | None) -> Iterator[str]:
    if sample is None:
        return
    yield "## The qrels are a sample"
    yield ABOUT_SAMPLE.format(
        sampled=sample["query_papers"],
        labelled=sample["query_papers_labelled"],
        missing=sample["drawn_pairs_without_label"],
    )
    yield from _table(
        ["strategy", "stratum", "best ranks", "query papers", "documents", "drawn", "probability"],
        [
            [
                f"`{stratum['strategy']}`",
                str(stratum["stratum"]),
                "–".join(map(str, stratum["best_ranks"])),
                str(stratum["query_papers"]),
                str(stratum["documents"]),
                str(stratum["drawn"]),
                _chances(stratum["inclusion"]),
            ]
            for stratum in sample["strata"]
        ],
    )
    yield ABOUT_ESTIMATES.lstrip()


def _chances(inclusion: Sequence[float] | None) -> str:
    if inclusion is None:
        return "none drawn"
    return " to ".join(dict.fromkeys(f"{chance:.4g}" for chance in inclusion))


JUDGED_COLUMNS = ("queries", "pairs_judged", "agreed", "adjudicated", "set_aside", "labels")
CITATION_COLUMNS = ("queries", "labels")


def _counts(counts: Mapping[str, Any], snapshot: Snapshot) -> Iterator[str]:
    collection = snapshot.collection
    columns = CITATION_COLUMNS if snapshot.of_citations else JUDGED_COLUMNS
    sizes = (
        f"Query papers: {counts['query_papers']}. Queries: {counts['queries']}. "
        f"Pooled documents: {counts['pooled_documents']}. "
    )
    yield "## Size"
    yield ""
    if snapshot.of_citations:
        yield f"{sizes}Labels: {counts['labels']}."
    else:
        yield (
            f"{sizes}Final labels: {counts['labels']}. "
            f"Annotators: {counts['annotators']}. Adjudicators: {counts['adjudicators']}."
        )
    yield ""
    table = [
        [
            "facet",
            *(column.replace("_", " ") for column in columns),
            *(f"grade {grade}" for grade in collection.grades),
        ],
        *(
            [
                facet,
                *(str(numbers[column]) for column in columns),
                *(str(numbers["labels_by_grade"][str(grade)]) for grade in collection.grades),
            ]
            for facet, numbers in counts["facets"].items()
        ),
    ]
    yield from _facet_table(table, has_facets=collection.has_facets)


def _corpus(imports: Sequence[ReleasedCorpusImport]) -> Iterator[str]:
    """The steps of each import; those that left nothing out are only in corpus.json."""
    if not imports:
        return
    yield "## The corpus"
    yield ABOUT_CORPUS
    for number, row in enumerate(imports, start=1):
        first, *others = row.steps
        kept = others[-1].remaining if others else first.remaining
        yield f"Import {number}: `{row.source}`, as `{row.format}`"
        yield ""
        steps = [
            [step.name, str(step.removed), str(step.remaining)] for step in others if step.removed
        ]
        yield from _table(
            ["step", "left out", "remain"],
            [["read", "", str(first.remaining)], *steps, ["imported", "", str(kept)]],
        )


def _making(snapshot: Snapshot) -> Iterator[str]:
    drawers = sorted({line.drawn_by for line in snapshot.pools if line.drawn_by is not None})
    yield "## How it was made"
    yield ""
    if drawers:
        yield f"Candidates were drawn by {_listed(drawers)}."
    if snapshot.of_citations:
        yield ""
        return
    yield ABOUT_JUDGING.rstrip()
    sources = {str(build.manifest.get("source", "")) for build in snapshot.builds}
    imported = sources - {"", IMPORTED}
    if imported:
        yield ABOUT_IMPORT.format(sources=", ".join(sorted(imported)))
    if snapshot.judgment_imports:
        yield _about_judgment_imports(snapshot.judgment_imports)
        if snapshot.judged_here:
            yield ABOUT_OTHER_JUDGMENTS.strip()
    if not imported and snapshot.judged_here:
        yield ABOUT_BLINDNESS


def _about_judgment_imports(imports: Sequence[ReleasedImport]) -> str:
    return ABOUT_JUDGMENT_IMPORT.format(
        judgments=sum(row.judgments for row in imports),
        decisions=sum(row.decisions for row in imports),
        files=_listed(sorted({name for row in imports for name in row.files})),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _grades(snapshot: Snapshot) -> Iterator[str]:
    collection = snapshot.collection
    yield "## Grades"
    yield ""
    if snapshot.of_citations:
        yield ABOUT_GRADES
        yield ""
        return
    yield (
        f"Grades go from 0 to {collection.highest_grade}. A document with grade "
        f"{collection.relevant_from}"
        f"{' or more' if collection.relevant_from < collection.highest_grade else ''} counts as "
        "relevant."
    )
    yield ""
    for guideline in snapshot.guidelines:
        facet = f"{guideline.facet}, guideline" if guideline.facet else "Guideline"
        yield f"### {facet} {guideline.version}"
        yield ""
        for grade in reversed(guideline.grades):
            name, definition = grade.get("name", ""), grade.get("definition", "")
            yield f"- **{grade['grade']}** {': '.join(filter(None, [name, definition]))}"
        yield ""
    if snapshot.guidelines:
        yield ABOUT_GUIDELINES.lstrip()


def _agreement_if_judged(content: Content) -> Iterator[Iterable[str]]:
    if not content.snapshot.of_citations:
        yield _agreement(
            content.agreement[Missing.EXCLUDE],
            has_facets=content.snapshot.collection.has_facets,
        )


def _agreement(payload: Mapping[str, Any], *, has_facets: bool) -> Iterator[str]:
    yield "## Agreement"
    yield ABOUT_AGREEMENT.format(
        of_a_facet=" of a facet" if has_facets else "",
        of_the_facet=" of the facet" if has_facets else "",
    )
    keys = [coefficient.key for coefficient in COEFFICIENTS]
    table = [
        ["facet", "stage", "queries", "pairs", *keys, "overruled, mean", "overruled, pooled"],
        *(
            [
                row["facet"],
                row["stage"],
                str(row["queries"]),
                str(row["pairs"]),
                *(_median(row, key) for key in keys),
                *(
                    "undefined" if row[share] is None else f"{row[share]:.2%}"
                    for share in ("overruled_mean", "overruled")
                ),
            ]
            for row in payload["facets"]
            if row["queries"]
        ),
    ]
    yield from _facet_table(table, has_facets=has_facets)
    yield ABOUT_REPORTS.lstrip()


def _median(row: Mapping[str, Any], key: str) -> str:
    value, defined = row["median"][key], row["defined"][key]
    if value is None:
        return "undefined"
    return f"{value:.4f}" + ("" if defined == row["queries"] else f" ({defined} queries)")


def _evaluation(reports: ReleasedReports) -> Iterator[str]:
    """What scores there are, and which reports are left out."""
    evaluation = reports.current.get("evaluation")
    if not evaluation and not reports.out_of_date:
        return
    yield "## Evaluation"
    if evaluation:
        profiles = evaluation["profiles"].values()
        systems = {row["system"] for profile in profiles for row in profile["systems"]}
        yield ABOUT_EVALUATION.format(systems=count_noun(len(systems), "system"))
    if reports.out_of_date:
        yield OUT_OF_DATE.format(reports=_listed(reports.out_of_date))


def _supports(paragraph: str) -> Iterator[str]:
    if paragraph:
        yield "## What it supports"
        yield ""
        yield paragraph
        yield ""


def describe_exception(entry: Mapping[str, Any]) -> str:
    """A sentence for an entry of `accepted` in a manifest; those of format 1 hold their own."""
    words = EXCEPTIONS.get(entry["check"], entry["check"])
    return str(entry.get("message") or words.format(count=entry["count"]))


def explain_exception(entry: Mapping[str, Any]) -> str:
    """The same with the publisher's reason, which entries before format 3 lack."""
    reason = f" Reason: {entry['reason']}" if entry.get("reason") else ""
    return f"{describe_exception(entry)}{reason}"


def _exceptions(accepted: Sequence[AcceptedFinding]) -> Iterator[str]:
    if not accepted:
        return
    yield "## Known exceptions"
    yield ""
    yield "These were found before publication and accepted:"
    yield ""
    for finding in accepted:
        named = f" ({_listed(finding.items)})" if finding.items else ""
        more = " The first are shown." if finding.count > len(finding.items) else ""
        what = EXCEPTIONS[finding.check].format(count=finding.count)
        yield f"- **{finding.check}**: {what}{named}{more} Reason: {finding.reason}"
    yield ""


def _about_errors(slug: str, version: str) -> str:
    return ABOUT_ERRORS.format(slug=slug, version=version)


def _licence(licence: str) -> Iterator[str]:
    yield "## Licence"
    yield ""
    yield licence or "None is stated: ask the publisher before you use or pass on this collection."
    yield ""


def _citing(snapshot: Snapshot, version: str, software_version: str) -> Iterator[str]:
    yield "## Citing"
    yield ""
    yield (
        f"“{snapshot.collection.name}, version {version}”, made with Qrelsmith {software_version}, "
        "and the SHA-256 of the zip. A published version never changes, so this says exactly which "
        "labels you used."
    )
    yield ""


def _facet_table(table: Sequence[Sequence[str]], *, has_facets: bool) -> Iterator[str]:
    """The table, of which the first column is the facet."""
    header, *rows = table if has_facets else [row[1:] for row in table]
    yield from _table(header, rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(header)
    yield _row(["---"] * len(header))
    for row in rows:
        yield _row(row)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
