"""Everything a release is made of, read at one moment and turned into values."""

from __future__ import annotations

from accounts.models import Collection
from annotation.stale_presentations import pairs_shown_otherwise
from evaluation.pool_bias.services import current_paragraph
from release.consistent_reads import consistent_read
from release.options import ReleaseOptions
from release.records import Snapshot, names_differ
from release.snapshot.collection import (
    released_collection,
    released_guidelines,
    released_queries,
    released_topics,
)
from release.snapshot.documents import stored_documents
from release.snapshot.folds import released_folds
from release.snapshot.imports import corpus_imports, judged_here, judgment_imports
from release.snapshot.judgments import stored_adjudications, stored_pairs, stored_ratings
from release.snapshot.pools import released_builds, released_samples, stored_pools
from release.snapshot.runs import lines_of, names_of, released_runs
from release.stored_reports import stored_reports

DEFAULT_OPTIONS = ReleaseOptions()


def take_snapshot(collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS) -> Snapshot:
    """Read the collection as it is at one moment, while others go on judging.

    Raises:
        ReleaseError: the runs no longer give what sampled pools were drawn from.
        OSError: the release folder, which takes the many records, is full or cannot be written.
    """
    with consistent_read():
        collection = Collection.objects.get(pk=collection.pk)
        keys = _queries_by_name(collection)
        pairs = stored_pairs(collection, keys)
        builds = released_builds(collection)
        runs = released_runs(collection, builds)
        released, queries = released_collection(collection), released_queries(collection)
        imports = judgment_imports(collection)
        return Snapshot(
            options=options,
            collection=released,
            queries=queries,
            topics=released_topics(collection),
            folds=released_folds(collection, pairs),
            documents=stored_documents(collection, options.texts),
            pairs=pairs,
            ratings=stored_ratings(collection, keys),
            adjudications=stored_adjudications(collection, keys),
            pools=stored_pools(collection),
            builds=builds,
            runs=runs,
            guidelines=released_guidelines(collection),
            samples=released_samples(collection, pairs),
            run_lines={run.file: lines_of(collection, run) for run in runs if run.file},
            query_run_lines={
                f"trec/{run.file}": lines_of(collection, run, names_of(queries, run))
                for run in runs
                if run.file and names_differ(released, queries)
            },
            shown_otherwise=tuple(sorted(pairs_shown_otherwise(collection))),
            judgment_imports=imports,
            corpus_imports=corpus_imports(collection),
            judged_here=not imports or judged_here(collection, imports),
            supports=current_paragraph(collection),
            reports=stored_reports(collection),
        )


def _queries_by_name(collection: Collection) -> list[int]:
    """The primary keys of the queries, by name."""
    rows = collection.queries.values_list("name", "pk").order_by()
    return [pk for _, pk in sorted(rows)]
