"""Everything a release is made of, read at one moment and turned into values."""

from __future__ import annotations

from accounts.models import Collection
from adjudication.blind.report import blind_figures
from bundle.citation_labels import papers_to_complete
from bundle.label_errors.records import JudgedSamples
from bundle.layouts import trec
from bundle.options import DEFAULT_OPTIONS, LabelSource, ReleaseOptions
from bundle.query_texts import query_texts
from bundle.snapshot import Snapshot, names_differ
from database.consistent_reads import consistent_read
from evaluation.pool_bias.services import current_paragraph
from release.gate.checks import check_gate
from release.gate.context import GateContext
from release.gate.stored_reports import stored_reports
from release.snapshot.citations import stored_citation_pairs, without_judging
from release.snapshot.collection import (
    queries_by_name,
    released_collection,
    released_guidelines,
    released_queries,
    released_topics,
)
from release.snapshot.datasheet import released_datasheet
from release.snapshot.documents import stored_documents
from release.snapshot.folds import released_folds
from release.snapshot.help_requests import advised_judgments
from release.snapshot.history import (
    guideline_changes_after,
    newest_version,
    published_rows,
    referrals_after,
    released_pilots,
    unpublished_errata,
)
from release.snapshot.imports import corpus_imports, judged_here, judgment_imports
from release.snapshot.interchange import interchange
from release.snapshot.judgments import stored_adjudications, stored_pairs, stored_ratings
from release.snapshot.label_samples import judged_samples
from release.snapshot.model_labels import released_models
from release.snapshot.pools import released_builds, released_samples, stored_pools
from release.snapshot.proposals import released_proposals
from release.snapshot.qualifications import released_qualifications
from release.snapshot.rounds import released_rounds, round_lines
from release.snapshot.runs import lines_of, names_of, released_runs
from release.snapshot.scopes import released_scopes


def take_snapshot(collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS) -> Snapshot:
    """Read the collection as it is at one moment, while others go on judging.

    Raises:
        ReleaseError: the runs no longer give what sampled pools were drawn from.
        OSError: the release folder, which takes the many records, is full or cannot be written.
    """
    with consistent_read():
        collection = Collection.objects.get(pk=collection.pk)
        keys = queries_by_name(collection)
        builds = released_builds(collection)
        of_citations = options.labels is LabelSource.CITATIONS
        if of_citations:
            pairs = stored_citation_pairs(keys, builds)
        else:
            pairs = stored_pairs(collection, keys)
        judged = [] if of_citations else keys
        runs = released_runs(collection, builds)
        rounds = released_rounds(collection)
        released = released_collection(collection)
        queries = released_queries(collection, options.texts)
        topics = released_topics(collection)
        documents = stored_documents(collection, options.texts)
        imports = judgment_imports(collection)
        referrals_before = published_rows(collection, "referrals")
        changes_before = published_rows(collection, "guideline_changes")
        snapshot = Snapshot(
            options=options,
            collection=released,
            queries=queries,
            topics=topics,
            folds=released_folds(collection, pairs),
            documents=documents,
            query_texts=query_texts(
                queries, topics, released.facets, documents if options.texts.included else ()
            ),
            pairs=pairs,
            ratings=stored_ratings(collection, judged),
            adjudications=stored_adjudications(collection, judged),
            pools=stored_pools(collection, papers_to_complete(builds) if of_citations else ()),
            builds=builds,
            runs=runs,
            guidelines=released_guidelines(collection),
            samples=released_samples(collection, pairs),
            rounds=rounds,
            run_lines={
                **{run.file: lines_of(collection, run) for run in runs if run.file},
                **round_lines(collection, rounds),
            },
            query_run_lines={
                f"{trec.FOLDER}{run.file}": lines_of(collection, run, names_of(queries, run))
                for run in runs
                if run.file and names_differ(released, queries)
            },
            findings=check_gate(GateContext(collection, options, compares_every_text=True)),
            judgment_imports=imports,
            corpus_imports=corpus_imports(collection),
            judged_here=not imports or judged_here(collection, imports),
            previous=newest_version(collection),
            errata=unpublished_errata(collection),
            referrals=() if of_citations else referrals_after(collection, referrals_before),
            referrals_before=referrals_before,
            guideline_changes=(
                () if of_citations else guideline_changes_after(collection, changes_before)
            ),
            guideline_changes_before=changes_before,
            scopes=released_scopes(collection, options.labels),
            supports=current_paragraph(collection),
            datasheet=released_datasheet(collection),
            interchange=interchange(collection, options, pairs),
            reports=stored_reports(collection),
            pilots=released_pilots(collection),
            qualifications=released_qualifications(collection),
            blind_ratings=blind_figures(collection),
            proposals=() if of_citations else released_proposals(collection),
            advised=() if of_citations else advised_judgments(collection),
            models=released_models(collection, options),
            label_samples=judged_samples(collection) if of_citations else JudgedSamples(),
        )
        return without_judging(snapshot) if of_citations else snapshot
