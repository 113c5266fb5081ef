"""The agreement on a query, and the stored scores of the systems on it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast
from django.http import QueryDict
from django.utils.http import urlencode

from accounts.models import Collection
from adjudication.pair_details import PairDetails
from adjudication.standing import Standing
from agreement.coefficients import COEFFICIENTS, Missing
from agreement.summary import RatedPair, as_json_dict, summarize
from agreement.tables import QueryAgreementLine, QueryLines
from corpus.models import Query
from evaluation.significance.stored_values import StoredChoices
from scoring.labels import relevant_from
from scoring.measures.offered import known_measure
from scoring.models import Scores
from scoring.systems.named import KIND_WORDS

_DECODER = json.JSONDecoder()


def query_agreement(query: Query, pairs: Iterable[PairDetails]) -> QueryAgreementLine | None:
    """The coefficients on these pairs of the query, computed now; None without a pair."""
    rated = [
        RatedPair(
            query.name,
            query.facet.key,
            pair.answers[0].grade,
            pair.answers[1].grade,
            final=pair.final,
            set_aside=pair.standing is Standing.SET_ASIDE,
        )
        for pair in pairs
    ]
    if not rated:
        return None
    payload = as_json_dict("", Missing.EXCLUDE, summarize(rated))
    return QueryLines.of(payload, COEFFICIENTS[0]).lines[0]


class SystemScore(NamedTuple):
    """The value of a system for the query, as a fraction; None if it is undefined."""

    system: str
    kind: str
    value: float | None

    @property
    def percent(self) -> float | None:
        return None if self.value is None else 100 * self.value


@dataclass(frozen=True)
class QueryScores:
    """The systems by their value, best first, and the choices of labels and measure."""

    measure: str
    measures: list[str]
    labels: str
    description: str
    query: str
    systems: list[SystemScore]
    computed_at: datetime | None

    @property
    def best(self) -> str:
        return self.systems[0].system if self.systems else ""

    @property
    def rows(self) -> list[tuple[SystemScore, str]]:
        """Each system, with the parameters of its ranked list beside that of the best."""
        return [
            (
                row,
                urlencode(
                    {"first": row.system, "query": self.query}
                    | ({"second": self.best} if row.system != self.best else {})
                ),
            )
            for row in self.systems
        ]


def query_scores(collection: Collection, query: Query, parameters: QueryDict) -> QueryScores | None:
    """The stored scores by the measure in the address, or the usual one; None without scores."""
    choices = StoredChoices.of(collection)
    if not choices.measures:
        return None
    asked = parameters.get("measure", "")
    measure = asked if asked in choices.measures else choices.usual_measure
    offered = known_measure(measure, relevant_from(collection, choices.source))
    rows = (
        Scores.objects.filter(
            system__collection=collection, source=choices.source, profile=offered.profile
        )
        .order_by("system__name")
        .annotate(text=Cast("values", TextField()))
        .values_list("system__name", "system__kind", "computed_at", "text")
    )
    systems, times = [], []
    for name, kind, computed_at, text in rows:
        value = stored_value(text, query.name, offered.measure.name)
        systems.append(SystemScore(name, KIND_WORDS[kind], value))
        times.append(computed_at)
    return QueryScores(
        measure=measure,
        measures=choices.measures,
        labels=choices.source,
        description=offered.measure.description,
        query=query.name,
        systems=sorted(systems, key=lambda row: -1 if row.value is None else row.value)[::-1],
        computed_at=max(times, default=None),
    )


def stored_value(text: str, query: str, measure: str) -> float | None:
    """The value of one query in the text that `score_tables.as_columns` became.

    Only the list of queries and that of the measure are parsed. All measures of 3,800 queries
    would take 12 ms for each system.
    """
    queries, end = _DECODER.raw_decode(text, text.index('"queries":') + len('"queries":'))
    key = f"{json.dumps(measure, ensure_ascii=False)}:["
    begin = text.find(key, end)
    if begin < 0 or query not in queries:
        return None
    values, _ = _DECODER.raw_decode(text, begin + len(key) - 1)
    value: float | None = values[queries.index(query)]
    return value
