"""The map of a collection: its pages by stage, and what can be done on them. A page is one line."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext_noop

from accounts.models import JUDGES, OWNERS, Role

FULL_TEXT_STUDIES = "full-text-studies"  # shown to annotators who have a study
TRAINING = "training"  # shown to judges of a collection that trains them
EVERY_ROLE = frozenset(Role)
ADMINS = frozenset({Role.ADMIN})
OWNERS_TOO = frozenset(OWNERS)
JUDGES_ONLY = frozenset(JUDGES)
JUDGES_TOO = frozenset({*OWNERS, Role.ANNOTATOR, Role.ADJUDICATOR})
CURATORS = frozenset({Role.ADMIN, Role.CURATOR})
LABELLERS = CURATORS | OWNERS_TOO
OWNER_ANNOTATORS = frozenset({Role.OWNER_ANNOTATOR})


class NavigationStep(NamedTuple):
    """A page of several that are gone through in order, below a page of the navigation."""

    caption: str
    url_name: str
    roles: frozenset[Role] = ADMINS


class NavigationPage(NamedTuple):
    """A page in the navigation. `url_name` is that of its address below `/c/<slug>/`.

    A page with steps is its steps: it opens the first that the person may open. `holds` are the
    beginnings of further addresses below `/c/<slug>/` whose pages belong to this one.
    """

    caption: str
    url_name: str
    roles: frozenset[Role] = ADMINS
    needs_facets: bool = False  # hidden where documents are judged as a whole
    steps: tuple[NavigationStep, ...] = ()
    holds: tuple[str, ...] = ()

    def steps_of(self, roles: frozenset[str]) -> tuple[NavigationStep, ...]:
        return tuple(step for step in self.steps if step.roles & roles)


class Stage(NamedTuple):
    """Pages that belong to one stage of making a collection.

    Between pages that share choices, such as a measure, the links keep those of the address.
    """

    caption: str
    pages: tuple[NavigationPage, ...]
    shares_choices: bool = False


CHOICE_OF_QUERIES = (
    NavigationStep(gettext_noop("Sample"), "samples"),
    NavigationStep(gettext_noop("Screen"), "screen", CURATORS),
    NavigationStep(gettext_noop("Choose"), "choose-queries"),
)
# A person's own work comes first in a stage. A stage of one page shows no second level.
STAGES = (
    Stage(
        gettext_noop("Overview"),
        (NavigationPage(gettext_noop("Overview"), "collection", EVERY_ROLE),),
    ),
    Stage(
        gettext_noop("Corpus"),
        (
            NavigationPage(gettext_noop("Documents"), "documents"),
            NavigationPage(gettext_noop("Queries"), "queries"),
            # Without what a pool or a run shows. It lists queries and opens them.
            NavigationPage(
                gettext_noop("Set up"), "set-up", OWNER_ANNOTATORS, holds=("queries/", "deadlines/")
            ),
            NavigationPage(
                gettext_noop("Imports"), "document-imports", OWNER_ANNOTATORS, holds=("documents/",)
            ),
            NavigationPage(
                gettext_noop("Labels"),
                "labels",
                LABELLERS,
                needs_facets=True,
                holds=("check-labels/",),
            ),
            NavigationPage(
                gettext_noop("Choice of queries"), "samples", CURATORS, steps=CHOICE_OF_QUERIES
            ),
        ),
    ),
    Stage(
        gettext_noop("Pools"),
        (
            NavigationPage(gettext_noop("Pools"), "pools", holds=("pool-rounds/", "yields/")),
            NavigationPage(gettext_noop("Runs"), "runs"),
        ),
    ),
    Stage(
        gettext_noop("Judging"),
        (
            NavigationPage(
                gettext_noop("Judge"),
                "judge",
                JUDGES_ONLY,
                holds=("practice/", "own-help-requests/", "consent/"),
            ),
            NavigationPage(
                gettext_noop("Full-text study"), FULL_TEXT_STUDIES, frozenset({Role.ANNOTATOR})
            ),
            NavigationPage(
                gettext_noop("Adjudicate"),
                "adjudicate",
                frozenset({Role.ADJUDICATOR}),
                holds=("questions/",),
            ),
            NavigationPage(
                gettext_noop("Progress"),
                "board",
                holds=("not-open/", "deadlines/", "judgments/", "referrals/"),
            ),
            NavigationPage(gettext_noop("People"), "people", OWNERS_TOO, holds=("consent-texts/",)),
            NavigationPage(
                gettext_noop("Guidelines"), "guidelines", JUDGES_TOO, holds=("help-requests/",)
            ),
            NavigationPage(gettext_noop("Pilot rounds"), "pilots"),
            NavigationPage(gettext_noop("Training"), TRAINING, frozenset({Role.ADMIN, *JUDGES})),
            NavigationPage(gettext_noop("Agreement"), "agreement", holds=("blind-ratings/",)),
            NavigationPage(gettext_noop("Full-text studies"), "studies"),
        ),
    ),
    Stage(
        gettext_noop("Evaluation"),
        (
            NavigationPage(gettext_noop("Leaderboard"), "leaderboard", holds=("systems/",)),
            NavigationPage(gettext_noop("Compare"), "compare-systems"),
            NavigationPage(gettext_noop("Unjudged documents"), "gaps"),
            NavigationPage(gettext_noop("Corpus sizes"), "corpus-sizes"),
            NavigationPage(gettext_noop("Pool bias"), "pool-bias"),
            NavigationPage(
                gettext_noop("Label effects"), "label-effects", holds=("evaluation/shadow-judges/",)
            ),
            NavigationPage(gettext_noop("Errors"), "error-browser"),
        ),
        shares_choices=True,
    ),
    Stage(
        gettext_noop("Release"),
        (
            NavigationPage(gettext_noop("Release"), "releases", holds=("datasheet/", "errata/")),
            NavigationPage(gettext_noop("Citation errors"), "label-samples"),
        ),
    ),
    Stage(
        gettext_noop("Settings"),
        (
            NavigationPage(gettext_noop("Collection"), "collection-settings", OWNERS_TOO),
            NavigationPage(gettext_noop("Jobs"), "jobs", OWNERS_TOO),
            NavigationPage(gettext_noop("Record"), "record"),
        ),
    ),
)


class Action(NamedTuple):
    """Something that an admin does on a page, as the search finds it.

    `words` are further words that a person may type for it. `suffix` ends the
    address: parameters, or the part of the page.
    """

    caption: str
    url_name: str
    words: str
    suffix: str = ""


ACTIONS = (
    Action("Import documents", "import-documents", "upload corpus abstracts papers"),
    Action("Import full texts", "import-full-texts", "upload papers"),
    Action("Add queries", "add-query", "new query facet paper topic"),
    Action("Label sentences", "labels", "predict facets labeller train"),
    Action("Draw a sample", "draw-sample", "random papers screen"),
    Action("Add a run", "add-run", "upload trec retriever ranking vectors"),
    Action("Choose models", "choose-models", "overlap of runs"),
    Action("See the yield of judging", "yields", "relevant per hour forecast stop stopping advice"),
    Action("Plan the pools", "plan-pools", "build freeze depth candidates strategy"),
    Action("Plan the judging", "plan-judging", "second judge budget hours double single lara"),
    Action("Add a pool round", "pool-rounds", "top up unjudged late runs systems"),
    Action("Start a pilot round", "new-pilot", "practice trial agreement annotators"),
    Action("Open queries for judging", "board", "start assign annotators", "?state=not-open"),
    Action("Invite a person", "people", "add member new account role annotator adjudicator"),
    Action("Reassign pairs", "rebalance", "balance move hand over pairs"),
    Action("Import judgments", "import-judgments", "upload label studio doccano"),
    Action("Compute self-consistency and drift", "consistency", "repeats order speed annotators"),
    Action("Compare proposed grades", "alignment", "mechanism steps method alignment study"),
    Action("Decide again", "referrals", "refer reopen cases pairs decisions adjudicate"),
    Action("See blind ratings", "blind-ratings", "spot checks false agreement anchoring"),
    Action("Add a system", "add-system", "upload run score file"),
    Action("Make baselines", "add-system", "tf-idf bm25 rerank", "#baselines"),
    Action("Ask a model", "ask-model", "llm language model shadow judge openai ollama vllm prompt"),
    Action("Import a shadow judge", "import-shadow-judge", "model llm labels"),
    Action("Start a full-text study", "new-study", "rate full texts"),
    Action("Sample the citation labels", "label-samples", "errors audit wrong precision recall"),
    Action("Publish a release", "releases", "version export zip qrels"),
    Action("Download the collection", "collection-settings", "export backup archive", "#archive"),
    Action("See the record of actions", "record", "audit log who did what when history"),
    Action("Edit the datasheet", "datasheet", "answers documentation"),
)


def stages_of(roles: frozenset[str], *, has_facets: bool = True) -> list[Stage]:
    """The stages with the pages that the roles open, without empty stages."""
    stages = (
        stage._replace(
            pages=tuple(
                page
                for page in stage.pages
                if page.roles & roles and (has_facets or not page.needs_facets)
            )
        )
        for stage in STAGES
    )
    return [stage for stage in stages if stage.pages]
