"""A check that a version has the query and the document that a report names.

The published file answers, because the collection may have changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from bundle.layouts.changelog import read_candidates
from bundle.names import POOLS, QRELS, QUERY_TABLE
from bundle.reading.opened import OpenedBundle
from bundle.reading.trec import read_query_table
from release.errata.errors import CannotBeChecked, NotInVersion
from release.models import Release
from release.versions.published_files import Unreadable, published_bundle


def check_reference(release: Release, query: str, docno: str) -> None:
    """Check that the version has the query, and the document among its labels or candidates.

    An empty docno stands for the whole query.

    Raises:
        NotInVersion: it does not.
        CannotBeChecked: the file of the version is missing or damaged.
    """
    try:
        with published_bundle(release) as bundle:
            paper, has_label = _look_up(bundle, query, docno)
            is_known = (
                has_label
                or docno in {"", paper}
                or (paper is not None and (paper, docno) in _found(bundle, paper, docno))
            )
    except Unreadable as error:
        raise CannotBeChecked from error
    if paper is None:
        raise NotInVersion(
            "query",
            f'Version {release.version} has no query "{query}". Copy the id from the first column '
            f"of {QRELS} in the zip.",
        )
    if not is_known:
        raise NotInVersion(
            "docno",
            f'"{docno}" is not a document of query "{query}" in version {release.version}. Copy '
            f"the id from the third column of {QRELS} in the zip, or leave it empty if your "
            "report is about the whole query.",
        )


def _look_up(bundle: OpenedBundle, query: str, docno: str) -> tuple[str | None, bool]:
    """The query paper of the query, None if the version has no such query; whether has a label."""
    papers = _papers(bundle, query)
    start, label = f"{query} ".encode(), f"{query} 0 {docno} ".encode()
    is_labelled = False
    with bundle.open(QRELS) as lines:
        for line in lines:
            if line.startswith(start):
                is_labelled = True
                if line.startswith(label):
                    return papers or query, True
            elif is_labelled:
                break
    # Without a list of queries, a query has the id of its paper.
    if papers is None and (
        is_labelled or any(paper == query for paper, _ in _found(bundle, query))
    ):
        papers = query
    return papers or None, False


def _papers(bundle: OpenedBundle, query: str) -> str | None:
    """The paper by the list of queries: "" if it lacks the query, None if there is no list."""
    if QUERY_TABLE not in bundle.names:
        return None
    return next((row.paper for _, row in read_query_table(bundle) if row.query == query), "")


def _found(bundle: OpenedBundle, *ids: str) -> Iterator[tuple[str, str]]:
    """The query paper and the docno of the candidates whose lines have these ids."""
    encoded = [json.dumps(text, ensure_ascii=False).encode() for text in ids]
    with bundle.open(POOLS) as lines:
        yield from read_candidates(
            lambda: (line for line in lines if all(text in line for text in encoded))
        )
