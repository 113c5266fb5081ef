"""The README's section on how the collection was made: its size, pools, judging, grades. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill

from bundle.counts import PER_QUERY, ReleaseCounts
from bundle.datasheet.blind_ratings import blind_paragraphs
from bundle.datasheet.owners import owners_sentence
from bundle.datasheet.proofs import proofs_paragraph
from bundle.qualifications import qualification_paragraph
from bundle.readme.citations import ABOUT_GRADES
from bundle.readme.tables import facet_table, listed, markdown_table
from bundle.records import ReleasedCorpusImport, ReleasedImport
from bundle.snapshot import Snapshot
from pooling.provenance import IMPORTED

ABOUT_GUIDELINES = """
`guidelines/` has the whole text of each guideline, with details and examples, as pages to print.
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


JUDGED_COLUMNS = ("queries", "pairs_judged", "agreed", "adjudicated", "set_aside", "labels")


CITATION_COLUMNS = ("queries", "labels")


def size_section(counts: ReleaseCounts, snapshot: Snapshot) -> Iterator[str]:
    collection = snapshot.collection
    columns = CITATION_COLUMNS if snapshot.of_citations else JUDGED_COLUMNS
    sizes = (
        f"Query papers: {counts.query_papers}. Queries: {counts.queries}. "
        f"Pooled documents: {counts.pooled_documents}. "
    )
    yield "## Size"
    yield ""
    if snapshot.of_citations:
        yield f"{sizes}Labels: {counts.labels}."
    else:
        yield (
            f"{sizes}Final labels: {counts.labels}. "
            f"Annotators: {counts.annotators}. Adjudicators: {counts.adjudicators}."
        )
    yield ""
    table = [
        [
            "facet",
            *(column.replace("_", " ") for column in columns),
            *PER_QUERY,
            *(f"grade {grade}" for grade in collection.grades),
        ],
        *(
            [
                facet,
                *(str(getattr(numbers, column)) for column in columns),
                *numbers.candidates_per_query,
                *(str(numbers.labels_by_grade[str(grade)]) for grade in collection.grades),
            ]
            for facet, numbers in counts.facets.items()
        ),
    ]
    yield from facet_table(table, has_facets=collection.has_facets)


def corpus_section(imports: Sequence[ReleasedCorpusImport]) -> Iterator[str]:
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
        yield from markdown_table(
            ["step", "left out", "remain"],
            [["read", "", str(first.remaining)], *steps, ["imported", "", str(kept)]],
        )


def making_section(snapshot: Snapshot) -> Iterator[str]:
    drawers = sorted({line.drawn_by for line in snapshot.pools if line.drawn_by is not None})
    yield "## How it was made"
    yield ""
    if drawers:
        yield f"Candidates were drawn by {listed(drawers)}."
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
    if owners := owners_sentence(snapshot.datasheet.owner_annotators):
        yield fill(owners, 100)
        yield ""
    yield from proofs_paragraph(snapshot.reports)
    yield from qualification_paragraph(snapshot.qualifications)
    yield from blind_paragraphs(snapshot.blind_ratings)


def _about_judgment_imports(imports: Sequence[ReleasedImport]) -> str:
    return ABOUT_JUDGMENT_IMPORT.format(
        judgments=sum(row.judgments for row in imports),
        decisions=sum(row.decisions for row in imports),
        files=listed(sorted({name for row in imports for name in row.files})),
    )


def grades_section(snapshot: Snapshot) -> Iterator[str]:
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
