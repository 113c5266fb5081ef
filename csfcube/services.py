"""Importing the CSFCube release."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from accounts.models import Collection, Role, User
from accounts.services import ImportedNameInUse, add_membership, imported_person
from adjudication.models import Decision
from annotation.models import Judgment, Opening, Pair
from annotation.services import set_up_collection
from corpus.facets import DEFAULT_FACETS, FacetPlan
from corpus.services import CorpusError
from csfcube.datasheet import ANSWERS
from csfcube.guidelines import CSFCUBE_GUIDELINE, csfcube_guideline
from csfcube.judgments import ReleasePeople, create_judged_query
from csfcube.pools import SOURCE, create_documents, create_pools, create_queries
from csfcube.records import PublishedRelease
from csfcube.release import read_release
from jobs.context import DirectRun, JobContext
from pooling.models import Candidate
from release.datasheets.services import save_answers
from scoring.models import FoldPlan
from scoring.services import save_folds

PREFIX = "csfcube"
LICENCE = "CC-BY-NC-4.0"
DESCRIPTION = (
    "Faceted query by example in scientific papers (Mysore et al., NeurIPS Datasets and "
    "Benchmarks 2021), as published. The guideline of its annotators is "
    f"{CSFCUBE_GUIDELINE}."
)


class ImportRefused(CorpusError):
    """The import conflicts with an existing collection or account."""


@dataclass(frozen=True)
class CSFCubeReport:
    """The contents of the collection after an import; `unchanged` if nothing was imported."""

    collection: str
    unchanged: bool
    documents: int
    without_text: int
    query_papers: int
    queries: int
    opened: int
    candidates: int
    excluded: int
    pairs: int
    judgments: int
    missing: int
    decisions: int
    folds: str


def import_csfcube(
    *,
    folder: Path,
    slug: str = PREFIX,
    admin: User | None = None,
    work: JobContext | None = None,
) -> CSFCubeReport:
    """Import a checkout of the CSFCube release as a collection, whichever facets it holds.

    `admin` gets that role in the collection. Importing the same files again changes nothing.

    Raises:
        CSFCubeError: a file is missing, broken, or contradicts another; nothing is written.
        ImportRefused: the collection has other contents, or a person uses an account's name.
    """
    work = work or DirectRun()
    release = read_release(folder)
    with work.fenced():
        collection = Collection.objects.filter(slug=slug).first()
        unchanged = collection is not None
        if collection is None:
            collection = _create(release, slug, work)
        else:
            _check_same_files(collection, release)
        if admin is not None:
            add_membership(collection=collection, user=admin, role=Role.ADMIN)
        report = _report(collection, unchanged=unchanged)
        work.complete(asdict(report))
    return report


def _check_same_files(collection: Collection, release: PublishedRelease) -> None:
    for manifest in collection.pool_builds.values_list("manifest", flat=True):
        if manifest.get("source") == SOURCE and manifest.get("files") == release.files:
            return
    raise ImportRefused(
        f"The collection {collection.slug} exists and does not come from these files, so nothing "
        "was changed. Import them under another short name."
    )


def _create(release: PublishedRelease, slug: str, work: JobContext) -> Collection:
    collection = set_up_collection(
        slug=slug,
        name=SOURCE,
        description=DESCRIPTION,
        licence=LICENCE,
        corpus_licence=LICENCE,
        seed=PREFIX,
        analysis="plain",  # its published pools were drawn from unstemmed words
        facets=_facets(release),
        guidelines={key.facet: csfcube_guideline() for key in release.ratings},
    )
    save_answers(collection=collection, answers=ANSWERS, answered_by=None)
    people = _create_people(collection, release)
    documents = create_documents(collection=collection, release=release)
    queries = create_queries(collection=collection, release=release, documents=documents)
    papers = {key.pid: query.query_paper for key, query in queries.items()}
    pools = create_pools(collection=collection, release=release, documents=documents, papers=papers)
    for done, (key, ratings) in enumerate(release.ratings.items(), start=1):
        create_judged_query(
            query=queries[key], ratings=ratings, candidates=pools[key.pid], people=people
        )
        work.progress(done, len(release.ratings), "judged queries imported")
    if release.folds is not None:
        save_folds(collection=collection, folds=release.folds)
    return collection


def _facets(release: PublishedRelease) -> tuple[FacetPlan, ...]:
    """The default facets, then the release's other facets, labelled by their names."""
    defaults = {plan.key for plan in DEFAULT_FACETS}
    other_facets = dict.fromkeys(key.facet for key in release.queries if key.facet not in defaults)
    return (*DEFAULT_FACETS, *(FacetPlan(key, key.capitalize(), (key,)) for key in other_facets))


def _create_people(collection: Collection, release: PublishedRelease) -> ReleasePeople:
    numbers = sorted(
        {number for ratings in release.ratings.values() for number in ratings.annotators}
    )
    annotators = {number: _person(f"{PREFIX}-annotator-{number}") for number in numbers}
    for annotator in annotators.values():
        add_membership(collection=collection, user=annotator, role=Role.ANNOTATOR)
    adjudicator = _person(f"{PREFIX}-adjudicator")
    add_membership(collection=collection, user=adjudicator, role=Role.ADJUDICATOR)
    return ReleasePeople(annotators, adjudicator)


def _person(username: str) -> User:
    try:
        return imported_person(username=username)
    except ImportedNameInUse as error:
        raise ImportRefused(str(error)) from error


def _folds(collection: Collection) -> str:
    plan = FoldPlan.objects.filter(collection=collection).first()
    if plan is not None and plan.imported_from:
        return f"imported from {plan.imported_from}"
    return "made from the seed, because the release has none"


def _report(collection: Collection, *, unchanged: bool) -> CSFCubeReport:
    judgments = Judgment.objects.filter(slot__pair__query__collection=collection)
    candidates = Candidate.objects.filter(pool__query_paper__collection=collection)
    return CSFCubeReport(
        collection=collection.slug,
        unchanged=unchanged,
        documents=collection.documents.count(),
        without_text=collection.documents.without_text().count(),
        query_papers=collection.query_papers.count(),
        queries=collection.queries.count(),
        opened=Opening.objects.of(collection).count(),
        candidates=candidates.count(),
        excluded=candidates.exclude(excluded="").count(),
        pairs=Pair.objects.of(collection).count(),
        judgments=judgments.count(),
        missing=judgments.filter(grade=None).count(),
        decisions=Decision.objects.filter(pair__query__collection=collection).count(),
        folds=_folds(collection),
    )
