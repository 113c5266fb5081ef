from __future__ import annotations

from adjudication.labels import labelled_pairs, labels_state
from agreement.coefficients import EXCLUDE, ZERO
from jobs.models import Report
from jobs.work import Work, job
from web.errors import BadInput


@job("compute_agreement")
def compute_agreement(work: Work) -> None:
    """Two reports, with missing judgments left out and counted as 0, so that a page turns from one to the other."""
    from agreement.report import agreement_report
    from agreement.rounds import by_round, judged_again

    collection = work.collection
    labels = labels_state(collection)  # first: a judgment that comes meanwhile makes the report out of date
    pairs = labelled_pairs(collection)
    if pairs.empty:
        raise BadInput("No pair has both judgments yet. Compute agreement when two annotators have judged a pair.")
    rounds = {"rounds": by_round(pairs, judged_again(collection))}
    reports = {}
    for number, missing in enumerate((EXCLUDE, ZERO)):
        work.progress(number, 2)
        reports[missing] = agreement_report(
            pairs, facets=collection.facets, grades=len(collection.grades), seed=collection.seed, missing=missing
        )
        reports[missing] |= rounds
    with work.commit() as result:
        for missing, data in reports.items():
            Report.objects.put(collection, "agreement", data, labels=labels, missing=missing)
        result["pairs"] = len(pairs)
