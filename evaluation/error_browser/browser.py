"""The content of the error browser, read for one system and one query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Collection
from annotation.models import Pair, PairCount
from annotation.presentation import ShownText, shown_text
from annotation.services import shown_query
from corpus.models import SOURCES, Document, Query
from evaluation.choices import kept_choices
from evaluation.error_browser.figures import ranks_panel
from evaluation.error_browser.finding import ErrorKind, RankingError, find_errors, ungraded
from evaluation.error_browser.models import ErrorTag
from evaluation.error_browser.services import final_grades, tags_of, types_of
from scoring.models import System
from scoring.systems.lists import list_for
from web.figures import Panel

DEPTH = 20
DEEPEST = 1_000
MOST_QUERIES = 1_000  # in a list to choose from
TAGGED, UNTAGGED = "tagged", "untagged"


@dataclass(frozen=True)
class ErrorChoices:
    """The choices in the address. Values that do not exist become the usual ones.

    `kept` are the choices of the other pages of Evaluation. Their facet gives the first query.
    """

    system: str
    query: str
    kind: str
    tag: str
    depth: int
    docno: str
    kept: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: QueryDict) -> ErrorChoices:
        depth = parameters.get("depth", "")
        return cls(
            system=parameters.get("system", ""),
            query=parameters.get("query", ""),
            kind=kind if (kind := parameters.get("kind", "")) in [*ErrorKind] else "",
            tag=parameters.get("tag", ""),
            depth=min(max(int(depth), 1), DEEPEST) if depth.isdecimal() else DEPTH,
            docno=parameters.get("docno", ""),
            kept=kept_choices(parameters),
        )

    @property
    def parameters(self) -> dict[str, str]:
        own = {name: str(value) for name, value in vars(self).items() if name != "kept"}
        return {**self.kept, **own}


@dataclass(frozen=True)
class ErrorRow:
    """An error in the table, with the address that shows its texts."""

    error: RankingError
    title: str
    tags: list[ErrorTag]
    url: str


@dataclass(frozen=True)
class ShownError:
    """The error whose texts are shown: number `number` of the table, from 1."""

    row: ErrorRow
    number: int
    query_text: ShownText
    candidate: ShownText
    previous: str
    next: str


@dataclass(frozen=True)
class Browser:
    """The page of one system and one query. `rows` are the errors that the filters leave."""

    collection: Collection
    choices: ErrorChoices
    systems: list[str]
    queries: list[str]
    query: Query
    rows: list[ErrorRow]
    shown: ShownError | None
    false_positives: int
    misses: int
    relevant: int
    ungraded: int
    has_list: bool
    ranks: Panel | None
    types: list[str]
    previous_query: str
    next_query: str

    @property
    def carried(self) -> list[tuple[str, str]]:
        """The fields that the form of a tag sends, to find the pair and to come back here."""
        docno = self.shown.row.error.docno if self.shown else ""
        values = {**self.choices.parameters, "docno": docno}
        return [(name, str(value)) for name, value in values.items() if value]


def systems_of(collection: Collection) -> list[str]:
    return list(collection.systems.order_by("name").values_list("name", flat=True))


def queries_of(collection: Collection) -> dict[str, str]:
    """The facets of the queries with a judged pair, in natural order of their names."""
    judged = PairCount.objects.filter(query__collection=collection, judged__gt=0)
    names = judged.order_by("query__name_order")
    return dict(names.values_list("query__name", "query__facet__key"))


def _first_query(queries: Mapping[str, str], facet: str) -> str:
    """The first query of the facet, or of all."""
    of_facet = (name for name, own in queries.items() if own == facet)
    return next(of_facet, next(iter(queries)))


def browse(
    collection: Collection,
    choices: ErrorChoices,
    systems: Sequence[str],
    facets: Mapping[str, str],
) -> Browser:
    """Read the page. `facets` are those of the queries. The first system and query are the usual.

    Raises Http404 for a system or a query that is not among them.
    """
    queries = list(facets)
    name = choices.system or systems[0]
    query_name = choices.query or _first_query(facets, choices.kept.get("facet", ""))
    if name not in systems or query_name not in queries:
        raise Http404(f"no system {name} or no judged query {query_name} in {collection.slug}")
    choices = replace(choices, system=name, query=query_name)
    system = System.objects.select_related("collection").get(collection=collection, name=name)
    query = collection.queries.select_related("facet", *SOURCES).get(name=query_name)
    grades = final_grades(collection, query)
    ranking = list_for(system, query)
    errors = find_errors(
        ranking or [], grades, relevant_from=collection.relevant_from, depth=choices.depth
    )
    rows = _rows(collection, choices, errors, _tags(collection, system, query))
    place = queries.index(query_name)
    return Browser(
        collection=collection,
        choices=choices,
        systems=list(systems),
        queries=queries,
        query=query,
        rows=rows,
        shown=_shown(collection, choices, rows, query),
        false_positives=sum(error.kind is ErrorKind.FALSE_POSITIVE for error in errors),
        misses=sum(error.kind is ErrorKind.MISS for error in errors),
        relevant=sum(grade >= collection.relevant_from for grade in grades.values()),
        ungraded=ungraded(ranking or [], grades, choices.depth),
        has_list=ranking is not None,
        ranks=ranks_panel(ranking[: choices.depth], grades) if ranking else None,
        types=types_of(collection),
        previous_query=_address(collection, choices, query=queries[place - 1]) if place else "",
        next_query=_address(collection, choices, query=queries[place + 1])
        if place + 1 < len(queries)
        else "",
    )


def pair_of(collection: Collection, query: str, docno: str) -> Pair | None:
    """The pair of a query and a document."""
    pairs = Pair.objects.of(collection).select_related(
        "query__facet", "query__query_paper__document", "candidate__document"
    )
    return pairs.filter(query__name=query, candidate__document__docno=docno).first()


def _tags(collection: Collection, system: System, query: Query) -> dict[str, list[ErrorTag]]:
    tags: dict[str, list[ErrorTag]] = defaultdict(list)
    rows = tags_of(collection).filter(system=system.name, pair__query=query)
    for tag in rows.select_related("pair__candidate__document", "tagged_by"):
        tags[tag.pair.candidate.document.docno].append(tag)
    return tags


def _rows(
    collection: Collection,
    choices: ErrorChoices,
    errors: Sequence[RankingError],
    tags: Mapping[str, list[ErrorTag]],
) -> list[ErrorRow]:
    kept = [
        error
        for error in errors
        if choices.kind in ("", error.kind) and _has_tag(tags.get(error.docno, []), choices.tag)
    ]
    documents = collection.documents.filter(docno__in=[error.docno for error in kept])
    titles = dict(documents.order_by().values_list("docno", "title"))
    return [
        ErrorRow(
            error,
            titles.get(error.docno, ""),
            tags.get(error.docno, []),
            _address(collection, choices, docno=error.docno),
        )
        for error in kept
    ]


def _has_tag(tags: Sequence[ErrorTag], wanted: str) -> bool:
    if wanted in ("", TAGGED, UNTAGGED):
        return not wanted or bool(tags) == (wanted == TAGGED)
    return any(tag.type == wanted for tag in tags)


def _shown(
    collection: Collection, choices: ErrorChoices, rows: Sequence[ErrorRow], query: Query
) -> ShownError | None:
    docnos = [row.error.docno for row in rows]
    if not rows:
        return None
    place = docnos.index(choices.docno) if choices.docno in docnos else 0
    document: Document = collection.documents.get(docno=docnos[place])
    return ShownError(
        row=rows[place],
        number=place + 1,
        query_text=shown_query(query),
        candidate=shown_text(
            document.title, document.sentences, document.labels, query.facet.labels
        ),
        previous=rows[place - 1].url if place else "",
        next=rows[place + 1].url if place + 1 < len(rows) else "",
    )


def _address(collection: Collection, choices: ErrorChoices, **changes: str) -> str:
    values = {**choices.parameters, "docno": "", **changes}
    parameters = {name: value for name, value in values.items() if value}
    return f"{reverse('error-browser', args=[collection.slug])}?{urlencode(parameters)}"


def address_of(collection: Collection, choices: ErrorChoices) -> str:
    """The address of the page as it is."""
    return _address(collection, choices, docno=choices.docno)
