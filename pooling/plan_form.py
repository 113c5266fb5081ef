"""The form of the page "Plan the pools"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from pooling.services import (
    DEFAULT_STRATEGY,
    PoolingError,
    PoolPlan,
    named_papers,
    papers_to_pool,
)
from pooling.strategies import STRATEGIES, Parameter, Strategy, StrategyError
from pooling.strategies.drawing import DrawnPlace, drawing
from retrieval.models import Run
from retrieval.retrievers import is_retriever, retriever
from retrieval.services import (
    CITED,
    DEFAULT_DEPTH,
    analysis_of,
    available_retrievers,
    check_allowed,
    usual_retrievers,
)
from web.errors import UserFacingError
from web.file_fields import SmallFileField

# The uses that a plan can make of the documents of `cited` or of an imported run.
FORCED, EXCLUDED, DRAWN = "forced", "excluded", "drawn"
USES = [(FORCED, "Forced"), (EXCLUDED, "Excluded"), (DRAWN, "Drawn")]
OF_PAPERS = {"graph", "most_cited"}  # retrievers that need the citations or fields of a query paper
OF_FACET = (  # a sentence for collections with facets
    "“bm25_abstract@method” uses only the sentences of a facet as the query. "
)
ALL, WITHOUT_POOL, SOME = "all", "without-pool", "some"  # of the query papers
MOST_OF_EACH = 10_000  # new documents of a retriever, in the usual plan
MOST_FILE_BYTES = 1024 * 1024  # because the list is sent with the form from then on
KNOWN = "known-"  # prefix of the field of an imported run
REQUIREMENTS = {
    "same_field": "share a field of study with the query",
    "not_later": "are not of a later year than the query",
}


class StrategyChoice(NamedTuple):
    """A strategy in the form: its radio button and its parameters' fields."""

    strategy: Strategy
    button: forms.boundfield.BoundWidget
    fields: list[forms.BoundField]
    cells: list[DrawnPlace]  # of its picture


class PoolPlanForm(forms.Form):
    scope = forms.ChoiceField(
        label="For which queries",
        choices=[
            (ALL, "All whose pool is not frozen"),
            (WITHOUT_POOL, "Only those without a pool"),
            (SOME, "Only these"),
        ],
        initial=ALL,
        required=False,
        widget=forms.RadioSelect,
    )
    papers = forms.CharField(
        label="Ids",
        required=False,
        help_text="One id per line, of a topic, a document or a query, for example "
        "3264891. Other draft pools stay as they are.",
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}),
    )
    papers_file = SmallFileField(
        largest=MOST_FILE_BYTES,
        label="Add a list from a file",
        required=False,
        help_text="A text file with one id per line, for example pilot.txt.",
        widget=forms.FileInput(attrs={"accept": ".txt,text/plain"}),
    )
    strategy = forms.ChoiceField(
        label="Strategy",
        choices=[(strategy.name, strategy.title) for strategy in STRATEGIES.values()],
        initial=DEFAULT_STRATEGY,
        widget=forms.RadioSelect,
    )
    cited = forms.ChoiceField(
        label="What the query cites",
        choices=USES,
        initial=FORCED,
        widget=forms.RadioSelect,
    )
    runs = forms.MultipleChoiceField(
        label="Drawn from", widget=forms.CheckboxSelectMultiple, required=False
    )
    only = forms.MultipleChoiceField(
        label="Draw only documents that",
        choices=list(REQUIREMENTS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Other documents are skipped, and ranks stay those of the list. Forced documents "
        "are not filtered. A filter does not apply if the query lacks its value (a year, "
        "fields).",
    )
    more = forms.CharField(
        label="Other retrievers by name",
        required=False,
        max_length=1000,
        help_text="Separate names with spaces. “bm25_text.german” compares words without German "
        "endings and stop words. "
        + OF_FACET
        + "“random.same_field” uses only papers of the query’s fields. "
        "“encoder:MODEL” is a sentence encoder that this server allows.",
    )
    depth = forms.IntegerField(
        label="Depth of the built-in retrievers",
        min_value=1,
        max_value=100_000,
        initial=DEFAULT_DEPTH,
        help_text="How many documents a built-in retriever ranks for a query.",
    )
    seed = forms.CharField(
        label="Seed",
        required=False,
        max_length=64,
        help_text="Sets the order of the retrievers and every sample. The same seed gives the "
        "same pools.",
    )
    plan_name = forms.CharField(
        label="Name of the plan",
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    opened = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)

    def __init__(self, *arguments: Any, collection: Collection, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.collection = collection
        self.runs_by_name = {run.name: run for run in collection.runs.all()}
        left_out = set(self.runs_by_name)
        if collection.facets.filter(key="").exists():
            more = self.fields["more"]
            more.help_text = str(more.help_text).replace(OF_FACET, "")
        if _has_only_topics(collection):
            del self.fields["cited"], self.fields["only"]
            left_out |= OF_PAPERS
        available = available_retrievers(analysis_of(collection))
        new = [name for name in available if name not in left_out]
        runs = self.fields["runs"]
        assert isinstance(runs, forms.MultipleChoiceField)
        runs.choices = [(name, name) for name in self.runs_by_name] + [
            (name, f"{name} (runs first)") for name in new
        ]
        ranked = [name for name, run in self.runs_by_name.items() if not run.holds_judgments]
        runs.initial = [*ranked, *(name for name in usual_retrievers(collection) if name in new)]
        self.imported = [name for name in self.runs_by_name if not is_retriever(name)]
        for name in self.imported:
            self.fields[f"{KNOWN}{name}"] = _use(self.runs_by_name[name])
        self.fields["seed"].initial = collection.seed
        for strategy in STRATEGIES.values():
            for parameter in strategy.parameters:
                self.fields[field_name(strategy, parameter)] = _field(parameter)

    @classmethod
    def at(cls, texts: MultiValueDict[str, str], collection: Collection) -> PoolPlanForm:
        """Filled in from the URL's parameters; invalid ones are ignored."""
        form = cls(collection=collection)
        for name, field in form.fields.items():
            if valid_texts := [text for text in texts.getlist(name) if _is_valid(field, text)]:
                is_multiple = isinstance(field, forms.MultipleChoiceField)
                form.initial[name] = valid_texts if is_multiple else valid_texts[-1]
        return form

    @classmethod
    def of_texts(cls, fields: Mapping[str, Sequence[str]], collection: Collection) -> PoolPlanForm:
        """Filled in as it was sent. A run that was removed since is ignored."""
        form = cls.at(MultiValueDict({name: list(fields[name]) for name in fields}), collection)
        for name in ("runs", "only"):
            if not fields.get(name):
                form.initial[name] = []
        return form

    def as_sent(self) -> PoolPlanForm:
        """The form as if its present values were sent, to check them before they are."""
        if self.is_bound:
            return self
        texts = {name: _texts(self[name].value()) for name in self.fields}
        return PoolPlanForm(MultiValueDict(texts), collection=self.collection)

    def texts(self) -> dict[str, list[str]]:
        """The submitted texts, by field."""
        sent = self.data
        assert isinstance(sent, MultiValueDict)
        return {name: sent.getlist(name) for name in self.fields if name in sent}

    def clean_papers_file(self) -> None:
        """Add the lines of the file to the list, so that the page shows and saves them with it."""
        upload = self.cleaned_data["papers_file"]
        if upload is None:
            return
        try:
            text = upload.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(
                "This file is not a text in UTF-8. Choose a file with one docno per line."
            ) from error
        lines = [*self.cleaned_data.get("papers", "").splitlines(), *text.splitlines()]
        papers = self.fields["papers"].clean("\n".join(lines))
        self.cleaned_data["papers"] = papers
        sent = self.data
        assert isinstance(sent, MultiValueDict)
        self.data = sent.copy()  # what was sent is immutable
        self.data["papers"] = papers

    @property
    def opens_more_options(self) -> bool:
        """True if a field in the collapsed section has an error or another value than usual."""
        return any(
            name in self.errors or str(self[name].value()) != str(self.fields[name].initial)
            for name in ("depth", "seed")
        )

    def known_sources(self) -> list[forms.BoundField]:
        """The fields of sources that can be forced or excluded: `cited`, then imported runs."""
        cited = [self["cited"]] if "cited" in self.fields else []
        return [*cited, *(self[f"{KNOWN}{name}"] for name in self.imported)]

    def choices(self) -> Iterator[StrategyChoice]:
        buttons = list(self["strategy"])
        for strategy, button in zip(STRATEGIES.values(), buttons, strict=True):
            fields = [self[field_name(strategy, parameter)] for parameter in strategy.parameters]
            yield StrategyChoice(strategy, button, fields, drawing(strategy))

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        names = [*values.get("runs", ()), *self._retriever_names(values.get("more", ""))]
        known_sources = {*self._sources_used_as(FORCED), *self._sources_used_as(EXCLUDED)}
        values["runs"] = [name for name in dict.fromkeys(names) if name not in known_sources]
        if not values["runs"] and "runs" not in self.errors and "more" not in self.errors:
            self.add_error("runs", "Tick at least one run to draw from.")
        values["docnos"] = self._docnos(values) if values.get("scope") == SOME else ()
        if self.without_pool and not papers_to_pool(self.collection, without_pool=True):
            self.add_error("scope", "Every query has a pool. Choose others.")
        if values.get("strategy"):
            values["parameters"] = self._parameters(STRATEGIES[values["strategy"]])
        if not self.errors:
            try:
                self.plan().check()
            except UserFacingError as error:
                self.add_error("depth", str(error))
        return values

    def _docnos(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        lines = map(str.strip, values.get("papers", "").splitlines())
        docnos = named_papers(self.collection, filter(None, lines))
        if not docnos:
            if "papers_file" not in self.errors:
                self.add_error("papers", "Write at least one id, or choose all.")
        elif unknown := sorted(set(docnos) - papers_to_pool(self.collection).keys()):
            self.add_error(
                "papers", f"{unknown[0]} is not a query paper without a frozen pool. Remove it."
            )
        return docnos

    def _retriever_names(self, words: str) -> list[str]:
        names = list(dict.fromkeys(words.replace(",", " ").split()))
        for name in names:
            try:
                retriever(name)
                if name not in self.runs_by_name:
                    check_allowed(name)
            except UserFacingError as error:
                self.add_error("more", str(error))
        return names

    def _sources_used_as(self, use: str) -> tuple[str, ...]:
        """The sources with this use."""
        runs = [name for name in self.imported if self.cleaned_data.get(f"{KNOWN}{name}") == use]
        cited = [CITED] if self.cleaned_data.get("cited") == use else []
        return (*cited, *runs)

    def _parameters(self, strategy: Strategy) -> dict[str, Any]:
        """The parameters of the chosen strategy; those of other strategies are ignored."""
        texts = {
            parameter.name: self.cleaned_data[field_name(strategy, parameter)]
            for parameter in strategy.parameters
            if self.cleaned_data.get(field_name(strategy, parameter))
        }
        values = {}
        for parameter in strategy.parameters:
            if parameter.name in texts:
                try:
                    values[parameter.name] = parameter.read(texts[parameter.name])
                except StrategyError as error:
                    self.add_error(field_name(strategy, parameter), str(error))
        if len(values) == len(texts):
            try:
                strategy.read(values)
            except StrategyError as error:
                self.add_error("strategy", str(error))
        return values

    @property
    def docnos(self) -> tuple[str, ...]:
        """The query papers to pool; empty for all."""
        docnos: tuple[str, ...] = self.cleaned_data["docnos"]
        return docnos

    @property
    def without_pool(self) -> bool:
        """True if only query papers without a pool are to be pooled."""
        return self.cleaned_data.get("scope") == WITHOUT_POOL

    def chosen_papers(self) -> set[str]:
        """The query papers to pool, by docno. One query."""
        papers = papers_to_pool(self.collection, without_pool=self.without_pool)
        return papers.keys() & set(self.docnos) if self.docnos else set(papers)

    def plan(self) -> PoolPlan:
        values = self.cleaned_data
        return PoolPlan(
            strategy=values["strategy"],
            parameters=values["parameters"],
            forced=self._sources_used_as(FORCED),
            excluded=self._sources_used_as(EXCLUDED),
            only=tuple(values.get("only", ())),
            seed=values["seed"],
            runs=tuple(values["runs"]),
            depth=values["depth"],
        )


def _has_only_topics(collection: Collection) -> bool:
    """Return whether all queries are topics, which cite no papers and have no year and no field."""
    papers = collection.query_papers.all()
    return not papers.filter(topic=None).exists() and papers.exists()


def usual_plan(collection: Collection, size: int) -> PoolPlan:
    """The plan of the form as it opens first, with `size` new documents from each retriever.

    For a person who must not read what the form shows: the runs, and which documents it would draw.

    Raises:
        PoolingError: the form is invalid as it is, such as without a retriever that is available.
    """
    unsent = PoolPlanForm(collection=collection)
    texts = {name: _texts(unsent[name].value()) for name in unsent.fields}
    form = PoolPlanForm(
        MultiValueDict(texts | {f"{DEFAULT_STRATEGY}-n": [str(size)]}), collection=collection
    )
    if not form.is_valid():
        raise PoolingError("The usual plan cannot be used here. Ask an admin to build the pools.")
    return form.plan()


def field_name(strategy: Strategy, parameter: Parameter) -> str:
    return f"{strategy.name}-{parameter.name}"


def _texts(value: Any) -> list[str]:
    """The texts that a browser sends for a field with this value."""
    values = value if isinstance(value, list | tuple) else [value]
    return [str(value) for value in values if value is not None]


def _is_valid(field: forms.Field, text: str) -> bool:
    """Return whether the text is a valid value of the field, or one of its values."""
    try:
        field.clean([text] if isinstance(field, forms.MultipleChoiceField) else text)
    except forms.ValidationError:
        return False
    return bool(text)


def _use(run: Run) -> forms.ChoiceField:
    """Not required, because the run may have been imported after the page was loaded."""
    origin = "what was judged relevant" if run.holds_judgments else "imported"
    return forms.ChoiceField(
        label=f"{run.name} ({origin})",
        choices=USES,
        initial=DRAWN,
        required=False,
        widget=forms.RadioSelect,
    )


def _field(parameter: Parameter) -> forms.CharField:
    """A text field for every kind, because the parameter itself validates the value."""
    default = parameter.default
    values = default if isinstance(default, tuple) else (default,)
    return forms.CharField(
        label=parameter.name,
        required=False,
        max_length=200,
        initial=", ".join(f"{value:g}" for value in values),
        help_text=parameter.about,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric" if parameter.kind == "whole" else "text"}
        ),
    )
