"""`guidelines/`: the whole text of every guideline that queries were judged under."""

from __future__ import annotations

from collections import Counter

from bundle.content import Content, FileNote, Files
from bundle.formats.guideline_page import guideline_digest, guideline_page
from bundle.records import ReleasedGuideline
from bundle.zip.draft_files import DraftFolder

FILES = (
    FileNote(
        "guidelines/<guideline>.html",
        "what the grades mean, as annotators read it: a page for each version in use, to print",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    names = {facet.key: facet.name for facet in snapshot.collection.facets}
    queries = Counter((query.facet, query.guideline) for query in snapshot.queries)
    return {
        _file_name(guideline): guideline_page(
            guideline,
            collection=snapshot.collection.name,
            facet=names[guideline.facet] if guideline.facet else "",
            queries=queries[guideline.facet, guideline.version],
            digest=guideline_digest(guideline),
        ).encode()
        for guideline in snapshot.guidelines
    }


def _file_name(guideline: ReleasedGuideline) -> str:
    return f"guidelines/{guideline.facet or 'guideline'}-v{guideline.version}.html"
