"""Labels for the evaluation of systems: those of a published version, and citations."""

from __future__ import annotations

from accounts.models import Collection
from bundle.citation_labels import RELEVANT_FROM
from bundle.label_changes import read_labels
from bundle.names import QRELS
from bundle.options import LabelSource, ReleaseOptions
from corpus.digests import json_digest
from pooling.models import Pool
from pooling.services.state import pools_state
from release.snapshot.citations import citation_labels
from release.snapshot.collection import queries_by_name
from release.snapshot.pools import released_builds
from release.versions.published_files import Unreadable, check_file, lines_of
from scoring.labels import GradedLabels, OtherLabels
from web.errors import UserFacingError


class UnknownVersion(UserFacingError):
    """A collection has no such version, or its file cannot be read."""


def released_labels(collection: Collection, version: str) -> GradedLabels:
    """The labels of a version with its own scale. Raises UnknownVersion."""
    qrels = released_qrels(collection, version)
    release = collection.releases.get(version=version)
    options = ReleaseOptions.from_json(release.manifest["options"])
    of_citations = options.labels is LabelSource.CITATIONS
    relevant_from = RELEVANT_FROM if of_citations else collection.relevant_from
    return GradedLabels(f"release:{version}", qrels, relevant_from)


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
    papers = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    qrels: dict[str, dict[str, int]] = {}
    try:
        check_file(release, QRELS)
        for (query, docno), grade in read_labels(lines_of(release, QRELS)):
            if docno != papers.get(query):
                qrels.setdefault(query, {})[docno] = int(grade)
    except Unreadable as error:
        raise UnknownVersion(
            f"The file of version {version} is missing or damaged ({error}). Restore it from a "
            "backup of the release folder."
        ) from error
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


def _citation_state(collection: Collection) -> str:
    frozen = Pool.objects.frozen().filter(query_paper__collection=collection).count()
    return json_digest([pools_state(collection), frozen])


CITATIONS = OtherLabels(citation_qrels, _citation_state, RELEVANT_FROM)
