"""URLs below `/api/v1/`. A docno or a query name may contain slashes, so a suffix ends it."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path, re_path

from accounts.actions.api import Actions
from accounts.api import UnknownAddress
from accounts.personal_data import api as personal_data
from adjudication import api as adjudication
from adjudication.help_requests.api import AskAdminAboutCase
from adjudication.judgment_import.api import JudgmentImports
from adjudication.questions.api import AskJudges, Questions, TakeQuestionBack
from adjudication.referrals.api import Referrals
from agreement.alignment.api import AlignmentReports
from agreement.api import AgreementReports
from agreement.consistency.api import ConsistencyReports
from annotation import api as annotation
from annotation.api_collections import CollectionDetail, CollectionFacets, Collections
from annotation.consent.api import ConsentDetail
from annotation.deadlines.api import Deadlines
from annotation.guidelines.api import (
    ApplyGuideline,
    GuidelineDetail,
    GuidelineReadings,
    Guidelines,
)
from annotation.help_requests.api import (
    AnswerHelpRequest,
    AskAdmin,
    HelpRequests,
    OwnHelpRequests,
    ReadHelpAnswer,
)
from annotation.qualifications.api import Qualifications
from annotation.questions.api import KeepJudgment, OwnQuestions
from corpus import api as corpus
from curation.labels import api as curation
from curation.samples import api as sample_api
from dashboard.api import (
    CollectionArchive,
    CollectionJudgingRules,
    CollectionLicences,
    CollectionSecondFactor,
    Root,
)
from dashboard.people import api as people_api
from evaluation.corpus_sizes.api import CorpusSizes
from evaluation.gaps.api import UnjudgedDocuments
from evaluation.leaderboard import api as evaluation
from evaluation.pool_bias.api import PoolBias
from evaluation.shadow_judges import api as shadow_judges
from evaluation.shadow_judges.asking import api as asking
from evaluation.significance.api import Significance
from evaluation.top_ups import api as top_ups
from jobs import api as jobs
from notices.api import Notices
from planning.yields.api import Yields
from pooling import api as pooling
from pooling.saved_plans_api import SavedPlanDetail, SavedPlans
from practice.api import PilotClose, PilotDetail, Pilots
from practice.training import api as training
from release import api as release
from release.datasheets import api as datasheets
from release.errata import api as errata
from release.label_samples import api as label_samples
from release.publicity_api import Publicity
from retrieval import api as retrieval
from scoring.baselines.api import Baselines
from studies.api import Studies, StudyDetail, StudyEnd

collection_routes: list[URLPattern | URLResolver] = [
    path("", CollectionDetail.as_view(), name="api-collection"),
    path("archive/", CollectionArchive.as_view(), name="api-archive"),
    path("judging-rules/", CollectionJudgingRules.as_view(), name="api-judging-rules"),
    path("second-factor/", CollectionSecondFactor.as_view(), name="api-second-factor"),
    path("actions/", Actions.as_view(), name="api-actions"),
    path("consent/", ConsentDetail.as_view(), name="api-consent"),
    path("licences/", CollectionLicences.as_view(), name="api-licences"),
    path("people/", people_api.People.as_view(), name="api-people"),
    path("people/<str:username>/", people_api.PersonDetail.as_view(), name="api-person"),
    path("invitations/", people_api.Invitations.as_view(), name="api-invitations"),
    path(
        "invitations/<int:invitation_id>/",
        people_api.InvitationDetail.as_view(),
        name="api-invitation",
    ),
    path("end-judging/", people_api.EndJudging.as_view(), name="api-end-judging"),
    path("accounts/", people_api.Accounts.as_view(), name="api-accounts"),
    path("qualifications/", Qualifications.as_view(), name="api-qualifications"),
    path("training-sets/", training.TrainingSets.as_view(), name="api-training-sets"),
    path(
        "training-sets/<slug:practice_set>/",
        training.TrainingSetDetail.as_view(),
        name="api-training-set",
    ),
    path("training/", training.OwnTrainingResults.as_view(), name="api-training"),
    path(
        "training/<slug:practice_set>/",
        training.OwnTrainingDetail.as_view(),
        name="api-training-result",
    ),
    path("facets/", CollectionFacets.as_view(), name="api-facets"),
    path("guidelines/", Guidelines.as_view(), name="api-guidelines"),
    path("guidelines/<str:facet>/", GuidelineDetail.as_view(), name="api-guideline"),
    path("guidelines/<str:facet>/apply/", ApplyGuideline.as_view(), name="api-apply-guideline"),
    path("guidelines/<str:facet>/read/", GuidelineReadings.as_view(), name="api-read-guideline"),
    path("documents/", corpus.Documents.as_view(), name="api-documents"),
    path("documents/<path:docno>/", corpus.DocumentDetail.as_view(), name="api-document"),
    path("labels/", curation.SentenceLabels.as_view(), name="api-labels"),
    path("queries/", corpus.QueryList.as_view(), name="api-queries"),
    path("topics/", corpus.Topics.as_view(), name="api-topics"),
    path("samples/", sample_api.Samples.as_view(), name="api-samples"),
    path("samples/<slug:sample>/", sample_api.SampleDetail.as_view(), name="api-sample"),
    path(
        "samples/<slug:sample>/papers/",
        sample_api.SamplePapers.as_view(),
        name="api-sample-papers",
    ),
    path("runs/", retrieval.Runs.as_view(), name="api-runs"),
    path("runs/<str:name>/", retrieval.RunDetail.as_view(), name="api-run"),
    path("runs/<str:name>.txt", retrieval.RunDownload.as_view(), name="api-run-file"),
    path("embeddings/", retrieval.Embeddings.as_view(), name="api-embeddings"),
    path("saved-plans/", SavedPlans.as_view(), name="api-saved-plans"),
    path("saved-plans/<int:plan>/", SavedPlanDetail.as_view(), name="api-saved-plan"),
    path("pools/", pooling.Pools.as_view(), name="api-pools"),
    path("pools/<path:docno>/", pooling.PoolDetail.as_view(), name="api-pool"),
    path("pool-builds/", pooling.PoolBuilds.as_view(), name="api-pool-builds"),
    path(
        "pool-builds/<int:build>/manifest.json",
        pooling.PoolManifest.as_view(),
        name="api-pool-manifest",
    ),
    path("pool-rounds/", top_ups.PoolRounds.as_view(), name="api-pool-rounds"),
    path("pool-rounds/open/", top_ups.RoundOpening.as_view(), name="api-open-pool-round"),
    path(
        "pool-rounds/<int:round_number>/manifest.json",
        top_ups.RoundManifest.as_view(),
        name="api-pool-round-manifest",
    ),
    path("openings/", annotation.Openings.as_view(), name="api-openings"),
    path("judging/", annotation.OwnQueries.as_view(), name="api-judging"),
    path("help-requests/", HelpRequests.as_view(), name="api-help-requests"),
    path(
        "help-requests/<int:help_request>/answer/",
        AnswerHelpRequest.as_view(),
        name="api-answer-help-request",
    ),
    path("judging/help-requests/", OwnHelpRequests.as_view(), name="api-own-help-requests"),
    path(
        "judging/help-requests/<int:help_request>/read/",
        ReadHelpAnswer.as_view(),
        name="api-read-help-answer",
    ),
    path("judging/questions/", OwnQuestions.as_view(), name="api-own-questions"),
    path("judging/<path:query>/next/", annotation.NextPair.as_view(), name="api-next"),
    path(
        "judging/<path:query>/pairs/<str:token>/", annotation.PairDetail.as_view(), name="api-pair"
    ),
    path(
        "judging/<path:query>/pairs/<str:token>/judgment/",
        annotation.SubmitJudgment.as_view(),
        name="api-judge",
    ),
    path(
        "judging/<path:query>/pairs/<str:token>/help-request/",
        AskAdmin.as_view(),
        name="api-ask-admin",
    ),
    path(
        "judging/<path:query>/pairs/<str:token>/keep/",
        KeepJudgment.as_view(),
        name="api-keep-judgment",
    ),
    path("judgments/", annotation.Judgments.as_view(), name="api-judgments"),
    path("deadlines/", Deadlines.as_view(), name="api-deadlines"),
    path("cases/", adjudication.Cases.as_view(), name="api-cases"),
    path(
        "cases/<path:query>/pairs/<str:token>/", adjudication.CaseDetail.as_view(), name="api-case"
    ),
    path(
        "cases/<path:query>/pairs/<str:token>/decision/",
        adjudication.Decide.as_view(),
        name="api-decide",
    ),
    path(
        "cases/<path:query>/pairs/<str:token>/help-request/",
        AskAdminAboutCase.as_view(),
        name="api-ask-admin-about-case",
    ),
    path(
        "cases/<path:query>/pairs/<str:token>/blind-rating/",
        adjudication.RateBlind.as_view(),
        name="api-rate-blind",
    ),
    path(
        "cases/<path:query>/pairs/<str:token>/claim/",
        adjudication.ClaimCase.as_view(),
        name="api-claim-case",
    ),
    path(
        "cases/<path:query>/pairs/<str:token>/question/",
        AskJudges.as_view(),
        name="api-ask-judges",
    ),
    path("questions/", Questions.as_view(), name="api-questions"),
    path(
        "questions/<int:question>/take-back/",
        TakeQuestionBack.as_view(),
        name="api-take-question-back",
    ),
    path("decisions/", adjudication.Decisions.as_view(), name="api-decisions"),
    path("referrals/", Referrals.as_view(), name="api-referrals"),
    path("judgment-imports/", JudgmentImports.as_view(), name="api-judgment-imports"),
    path("agreement/", AgreementReports.as_view(), name="api-agreement"),
    path("alignment/", AlignmentReports.as_view(), name="api-alignment"),
    path("consistency/", ConsistencyReports.as_view(), name="api-consistency"),
    path("evaluation/", evaluation.Evaluation.as_view(), name="api-evaluation"),
    path("systems/", evaluation.Systems.as_view(), name="api-systems"),
    path("systems/<str:name>/", evaluation.SystemDetail.as_view(), name="api-system"),
    path("baselines/", Baselines.as_view(), name="api-baselines"),
    path("significance/", Significance.as_view(), name="api-significance"),
    path("corpus-sizes/", CorpusSizes.as_view(), name="api-corpus-sizes"),
    path("gaps/", UnjudgedDocuments.as_view(), name="api-gaps"),
    path("pool-bias/", PoolBias.as_view(), name="api-pool-bias"),
    path("yields/", Yields.as_view(), name="api-yields"),
    path("label-effects/", shadow_judges.LabelEffects.as_view(), name="api-label-effects"),
    path("cited-papers/", shadow_judges.CitedPapers.as_view(), name="api-cited-papers"),
    path("round-effects/", shadow_judges.RoundEffects.as_view(), name="api-round-effects"),
    path("shadow-judges/", shadow_judges.ShadowJudges.as_view(), name="api-shadow-judges"),
    path(
        "shadow-judges/<str:shadow_judge>/",
        shadow_judges.ShadowJudgeDetail.as_view(),
        name="api-shadow-judge",
    ),
    path("asked-models/", asking.AskedModels.as_view(), name="api-ask-model"),
    path(
        "shadow-judges/<str:shadow_judge>/asking/",
        asking.AskedModel.as_view(),
        name="api-asking",
    ),
    path(
        "shadow-judges/<str:shadow_judge>/report/",
        shadow_judges.ShadowJudgeComparison.as_view(),
        name="api-shadow-judge-report",
    ),
    path(
        "shadow-judges/<str:shadow_judge>/estimates/",
        shadow_judges.ScoreEstimates.as_view(),
        name="api-estimates",
    ),
    path("pilots/", Pilots.as_view(), name="api-pilots"),
    path("pilots/<int:number>/", PilotDetail.as_view(), name="api-pilot"),
    path("pilots/<int:number>/close/", PilotClose.as_view(), name="api-close-pilot"),
    path("studies/", Studies.as_view(), name="api-studies"),
    path("studies/<str:study>/", StudyDetail.as_view(), name="api-study"),
    path("studies/<str:study>/end/", StudyEnd.as_view(), name="api-end-study"),
    path("datasheet/", datasheets.Datasheet.as_view(), name="api-datasheet"),
    path("releases/", release.Releases.as_view(), name="api-releases"),
    path("releases/<str:version>/", release.ReleaseDetail.as_view(), name="api-release"),
    path("releases/<str:version>/publicity/", Publicity.as_view(), name="api-publicity"),
    path("releases/<str:version>/bundle.zip", release.BundleFile.as_view(), name="api-bundle"),
    path("label-samples/", label_samples.LabelSamples.as_view(), name="api-label-samples"),
    path(
        "label-samples/<str:label_sample>/",
        label_samples.LabelSampleDetail.as_view(),
        name="api-label-sample",
    ),
    path("errata/", errata.Errata.as_view(), name="api-errata"),
    path("errata/decline/", errata.ErrataDecline.as_view(), name="api-decline-errata"),
    path("errata/<int:erratum_id>/", errata.ErratumDetail.as_view(), name="api-erratum"),
    path("jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path("jobs/<uuid:job_id>/", jobs.JobDetail.as_view(), name="api-job"),
    path("jobs/<uuid:job_id>/cancel/", jobs.CancelJob.as_view(), name="api-cancel-job"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", Root.as_view(), name="api-root"),
    path("notices/", Notices.as_view(), name="api-notices"),
    path("personal-data/", personal_data.OwnData.as_view(), name="api-own-data"),
    path(
        "personal-data/export/", personal_data.OwnDataExport.as_view(), name="api-export-own-data"
    ),
    path("personal-data/people/", personal_data.FoundPerson.as_view(), name="api-find-person"),
    path(
        "personal-data/people/<int:person_id>/",
        personal_data.PersonData.as_view(),
        name="api-person-data",
    ),
    path(
        "personal-data/people/<int:person_id>/export/",
        personal_data.PersonDataExport.as_view(),
        name="api-export-person",
    ),
    path(
        "personal-data/people/<int:person_id>/erasure/",
        personal_data.PersonErasure.as_view(),
        name="api-erase-person",
    ),
    path("collections/", Collections.as_view(), name="api-collections"),
    path("collections/<slug:slug>/", include(collection_routes)),
    re_path("", UnknownAddress.as_view(), name="api-nowhere"),
]
