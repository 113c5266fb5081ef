"""A check that a version has the query and the document that a report names.

The published file answers, because the collection may have changed since.
"""

from __future__ import annotations

import json
import zipfile

from bundle.names import POOLS, QRELS, QUERY_TABLE
from release.errata.errors import CannotBeChecked, NotInVersion
from release.models import Release
from release.versions.differences import Unreadable
from release.versions.published_files import archive_lines, published_bundle


def check_reference(release: Release, query: str, docno: str) -> None:
    """Check that the version has the query, and the document among its labels or candidates.

    An empty docno stands for the whole query.

    Raises:
        NotInVersion: it does not.
        CannotBeChecked: the file of the version is missing or damaged.
    """
    try:
        with published_bundle(release) as archive:
            paper, has_label = _look_up(archive, query, docno)
            is_known = has_label or docno in {"", paper} or _is_candidate(archive, paper, docno)
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


def _look_up(archive: zipfile.ZipFile, query: str, docno: str) -> tuple[str | None, bool]:
    """The query paper of the query, None if the version has no such query; whether has a label."""
    papers = _papers(archive, query)
    start, label = f"{query} ".encode(), f"{query} 0 {docno} ".encode()
    is_labelled = False
    for line in archive_lines(archive, QRELS):
        if line.startswith(start):
            is_labelled = True
            if line.startswith(label):
                return papers or query, True
        elif is_labelled:
            break
    if papers is None and (is_labelled or _has_pool(archive, query)):
        papers = query
    return papers or None, False


def _papers(archive: zipfile.ZipFile, query: str) -> str | None:
    """The paper by the list of queries: "" if it lacks the query, None if there is no list."""
    if QUERY_TABLE not in archive.namelist():
        return None
    for line in archive_lines(archive, QUERY_TABLE):
        found, paper, *_ = line.decode().rstrip("\n").split("\t")
        if found == query:
            return paper
    return ""


def _has_pool(archive: zipfile.ZipFile, paper: str) -> bool:
    """Without a list of queries, a query has the id of its paper."""
    encoded = json.dumps(paper, ensure_ascii=False).encode()
    return any(
        json.loads(line)["query_paper"] == paper
        for line in archive_lines(archive, POOLS)
        if encoded in line
    )


def _is_candidate(archive: zipfile.ZipFile, paper: str | None, docno: str) -> bool:
    encoded = [json.dumps(text, ensure_ascii=False).encode() for text in (paper, docno)]
    return paper is not None and any(
        (entry := json.loads(line))["query_paper"] == paper and entry["docno"] == docno
        for line in archive_lines(archive, POOLS)
        if all(text in line for text in encoded)
    )
