"""Labels for the evaluation of systems: those of a published version, and citations."""

from __future__ import annotations

from accounts.models import Collection
from release.differences import QRELS, Unreadable, read_member, read_qrels
from release.snapshot.citations import citation_labels
from release.snapshot.collection import queries_by_name
from release.snapshot.pools import released_builds
from web.errors import UserFacingError


class UnknownVersion(UserFacingError):
    """A collection has no such version, or its file cannot be read."""


def released_qrels(collection: Collection, version: str) -> dict[str, dict[str, int]]:
    """The qrels of a version: query name to docno to grade, without query papers themselves.

    Raises UnknownVersion.
    """
    release = collection.releases.filter(version=version).first()
    if release is None:
        versions = ", ".join(collection.releases.values_list("version", flat=True)) or "none yet"
        raise UnknownVersion(
            f'{collection.slug} has no version "{version}". Published versions: {versions}.'
        )
    try:
        content = read_member(release, QRELS)
    except Unreadable as error:
        raise UnknownVersion(
            f"The file of version {version} is missing or damaged ({error}). Open its page to "
            "build it again."
        ) from error
    papers = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    qrels: dict[str, dict[str, int]] = {}
    for (query, docno), grade in read_qrels(content):
        if docno != papers.get(query):
            qrels.setdefault(query, {})[docno] = int(grade)
    return qrels


def citation_qrels(collection: Collection) -> dict[str, dict[str, int]]:
    """The labels of a release with citation labels, as it would be now, without query papers."""
    papers = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    builds = released_builds(collection)
    qrels: dict[str, dict[str, int]] = {}
    for label in citation_labels(queries_by_name(collection), builds):
        if label.docno != papers[label.query]:
            qrels.setdefault(label.query, {})[label.docno] = label.grade
    return qrels
