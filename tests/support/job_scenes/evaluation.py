"""Jobs that compare judgments and score systems, and those of a release."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings

from accounts.models import Collection, User
from agreement.alignment.report import AlignmentReport
from agreement.consistency.report import ConsistencyReport
from agreement.services import AgreementReport
from evaluation.corpus_sizes.report import CorpusSizesReport
from evaluation.gaps.services import GapsReport
from evaluation.label_effects.pool_rounds import RoundEffectsReport
from evaluation.label_effects.services import (
    CitedPapersReport,
    LabelEffectsReport,
    ShadowJudgeReport,
)
from evaluation.pool_bias.services import PoolBiasReport
from evaluation.prediction_powered.report import PredictionPoweredReport
from evaluation.shadow_judges.asking.services import request_asking
from evaluation.shadow_judges.services import Description, request_shadow_judge
from evaluation.unique_finds import UniqueFindsReport
from jobs.models import Job
from planning.double_judging.report import JudgingPlansReport
from release.label_samples.services import request_sample
from release.proofs.blindness.report import BlindnessCheck
from release.proofs.display import DisplayProof
from release.services import publish_release, request_release
from release.versions.rankings import request_rankings
from reports.services import request_report
from scoring.baselines.services import request_baselines
from scoring.services import request_evaluation
from scoring.systems.uploads import request_system_import
from tests.support.asking_scenes import a_plan
from tests.support.baseline_scenes import a_judged_scene
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.job_scenes.files import text
from tests.support.label_scenes import MODEL_LABELS, two_systems
from tests.support.model_server import model_server
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge
from tests.support.top_ups import a_second_version

# The servers of scenes, which run until the process ends.
SERVERS: list[Any] = []


def a_scored_collection() -> Collection:
    collection = a_judged_collection()
    two_systems(collection)
    return collection


def agreement() -> Job:
    return request_report(AgreementReport("exclude"), collection=a_judged_collection())


def alignment() -> Job:
    return request_report(AlignmentReport(), collection=a_judged_collection())


def consistency() -> Job:
    return request_report(ConsistencyReport(), collection=a_judged_collection())


def scores() -> Job:
    return request_evaluation(collection=a_scored_collection())


def system() -> Job:
    return request_system_import(
        collection=a_judged_collection(),
        name="theirs",
        files=[text(*(f"q1_method Q0 d{n} {n} {1 / n} theirs" for n in (1, 2, 3)))],
        requested_by=None,
    )


def pool_bias() -> Job:
    return request_report(PoolBiasReport(), collection=a_scored_collection(), requested_by=None)


def corpus_sizes() -> Job:
    kind = CorpusSizesReport(["bm25_abstract"], field_size=0, sizes=[20], draws=1)
    return request_report(kind, collection=an_mdcr_collection())


def finds() -> Job:
    return request_report(UniqueFindsReport(), collection=a_scored_collection())


def gaps() -> Job:
    return request_report(GapsReport(), collection=a_scored_collection())


def baselines() -> Job:
    return request_baselines(collection=a_judged_scene())


def label_effects() -> Job:
    collection = a_scored_collection()
    return request_report(LabelEffectsReport("AP"), collection=collection)


def judging_plans() -> Job:
    return request_report(JudgingPlansReport(""), collection=a_scored_collection())


def cited_papers() -> Job:
    collection = a_scored_collection()
    return request_report(CitedPapersReport("AP"), collection=collection)


def round_effects() -> Job:
    return request_report(RoundEffectsReport("AP"), collection=a_second_version())


def shadow_judge() -> Job:
    collection = a_scored_collection()
    collection.shadow_judges.create(name="model", filename="f", labels_count=0, sha256="0" * 64)
    return request_report(ShadowJudgeReport("AP", "model"), collection=collection)


def estimates() -> Job:
    collection = a_scored_collection()
    collection.shadow_judges.create(name="model", filename="f", labels_count=0, sha256="0" * 64)
    return request_report(PredictionPoweredReport("AP", "model"), collection=collection)


def shadow_labels() -> Job:
    lines = [f"{query} 0 {docno} {grade}" for (query, docno), grade in MODEL_LABELS.items()]
    return request_shadow_judge(
        collection=a_judged_collection(),
        about=Description("model"),
        upload=text(*lines),
        requested_by=None,
    )


def asking() -> Job:
    """A job that asks a server of this process, which runs until the process ends."""
    SERVERS.append(model_server())  # kept, because one without a name would be closed at once
    server = SERVERS[-1].__enter__()
    settings.MODEL_ADDRESSES = [server.url]
    plan = a_plan(server.url)
    return request_asking(collection=a_judged_collection(), plan=plan, requested_by=None)


def release() -> Job:
    return request_release(collection=a_judged_collection(), version="1.0", accept=EVERY_EXCEPTION)


def display_proof() -> Job:
    return request_report(DisplayProof(), collection=a_judged_collection())


def blindness() -> Job:
    return request_report(BlindnessCheck(), collection=a_judged_collection())


def label_sample() -> Job:
    return request_sample(
        collection=an_mdcr_collection(),
        **{"slug": "sample", "pairs": 20, "facet": "method"},
        requested_by=User.objects.get(username="admin"),
    )


def rankings() -> Job:
    collection = a_scored_collection()
    versions = []
    for version, grade in (("1.0", 0), ("1.1", 2)):
        for number in (1, 2):
            judge(slot_of(collection, "q1_method", "d1", number), grade)
        versions.append(
            publish_release(collection=collection, version=version, accept=EVERY_EXCEPTION)
        )
    return request_rankings(before=versions[0], after=versions[1], measure="AP")


SCENES: dict[str, Callable[[], Job]] = {
    "sample_labels": label_sample,
    "compute_agreement": agreement,
    "compute_alignment": alignment,
    "corpus_sizes": corpus_sizes,
    "compute_consistency": consistency,
    "evaluate": scores,
    "import_system": system,
    "pool_bias": pool_bias,
    "make_baselines": baselines,
    "unique_finds": finds,
    "gaps": gaps,
    "compare_labels": label_effects,
    "compare_judging_plans": judging_plans,
    "compare_citations": cited_papers,
    "compare_rounds": round_effects,
    "compare_shadow_judge": shadow_judge,
    "estimate_scores": estimates,
    "import_shadow_judge": shadow_labels,
    "ask_model": asking,
    "publish_release": release,
    "prove_display": display_proof,
    "check_blindness": blindness,
    "compare_release_rankings": rankings,
}
