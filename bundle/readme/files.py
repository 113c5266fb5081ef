"""The files of a release, and how to read them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bundle.content import notes_on
from bundle.layouts import csfcube, file_notes
from bundle.names import MANIFEST, SUMS
from bundle.readme.tables import markdown_table
from bundle.snapshot import Snapshot

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


ABOUT_REBUILDING = """
Anybody who has the documents can rebuild the pools from this zip: with Qrelsmith by
`rebuild_pools`, without it by following the specification in Qrelsmith's `docs/manifest.md`.
"""


def files_section(snapshot: Snapshot, names: Collection[str]) -> Iterator[str]:
    has_facets = snapshot.collection.has_facets
    notes = notes_on([*names, MANIFEST, SUMS], file_notes())
    of_citations = snapshot.of_citations
    yield "## Files"
    yield ""
    yield from markdown_table(
        ["file", "what it holds"],
        [[f"`{note.name}`", note.what_of(snapshot)] for note in notes],
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
    if any(name.startswith(csfcube.FOLDER) for name in names):
        queries = ", and so are queries by sentences" if snapshot.has_sentence_queries else ""
        yield ABOUT_CSFCUBE.format(and_queries=queries).lstrip()
    if snapshot.run_lines:
        yield ABOUT_REBUILDING.lstrip()
