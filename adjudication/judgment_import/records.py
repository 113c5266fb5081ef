"""Match the records of the files with the queries and documents of the collection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from adjudication.judgment_import.context import NAMED, JudgmentImportContext, answer_of
from adjudication.judgment_import.files import Answered, FileContent
from corpus.models import SOURCES, Document, Query
from database.natural_order import natural_key
from web.words import count_noun, listed

T = TypeVar("T")
TOGETHER = 5_000  # docnos in a query, which both databases take


class PairKey(NamedTuple):
    query_id: int
    docno: str


class ImportedRecords(NamedTuple):
    """The records of all files by pair, with the queries by their pk and documents by docno."""

    queries: dict[int, Query]
    documents: dict[str, Document]
    judgments: dict[PairKey, list[Answered]]
    decisions: dict[PairKey, Answered]

    def judgments_by_query(self) -> dict[Query, dict[str, list[Answered]]]:
        """The judgments of each query by docno. Queries are in their natural order."""
        return self._by_query(self.judgments)

    def decisions_by_query(self) -> dict[Query, dict[str, Answered]]:
        """The decisions of each query by docno. Queries are in their natural order."""
        return self._by_query(self.decisions)

    def _by_query(self, rows: dict[PairKey, T]) -> dict[Query, dict[str, T]]:
        by_query: dict[int, dict[str, T]] = defaultdict(dict)
        for key, value in rows.items():
            by_query[key.query_id][key.docno] = value
        queries = sorted(
            (self.queries[pk] for pk in by_query), key=lambda query: natural_key(query.name)
        )
        return {query: by_query[query.pk] for query in queries}


def find_records(
    context: JudgmentImportContext, contents: Sequence[FileContent]
) -> ImportedRecords:
    """The records of the files, each with its query and document.

    Raises:
        JudgmentsRefused: an id is unknown, or records contradict each other.
    """
    judgments = [record for content in contents for record in content.judgments]
    decisions = [record for content in contents for record in content.decisions]
    queries = _find_queries(context, [*judgments, *decisions])
    documents = _find_documents(context, [*judgments, *decisions])
    context.stop_at_problems()
    records = ImportedRecords(
        queries={query.pk: query for query in queries.values()},
        documents=documents,
        judgments=_judgments_by_pair(context, queries, judgments),
        decisions=_decisions_by_pair(context, queries, decisions),
    )
    context.stop_at_problems()
    return records


def _find_queries(context: JudgmentImportContext, records: Sequence[Answered]) -> dict[str, Query]:
    """The queries by the ids of the files: their own names, or the docno of a single query.

    A docno does not stand for a query by sentences, because its judgments may be of the whole.
    """
    collection = context.collection
    queries = list(
        collection.queries.select_related("collection", "facet", *SOURCES).order_by("name")
    )
    by_paper: dict[str, list[Query]] = defaultdict(list)
    for query in queries:
        by_paper[query.query_paper.name].append(query)
    single = {
        docno: some[0]
        for docno, some in by_paper.items()
        if len(some) == 1 and not some[0].is_by_sentences
    }
    found = {**single, **{query.name: query for query in queries}}
    _report_unknown(
        context,
        [record for record in records if record.query not in found],
        lambda record: record.query,
        ("query", "queries"),
        "Add them first, or name the field of the query.",
    )
    return found


def _find_documents(
    context: JudgmentImportContext, records: Sequence[Answered]
) -> dict[str, Document]:
    docnos = list(dict.fromkeys(record.docno for record in records))
    found: dict[str, Document] = {}
    for start in range(0, len(docnos), TOGETHER):
        rows = context.collection.documents.filter(docno__in=docnos[start : start + TOGETHER])
        found |= {document.docno: document for document in rows.only("collection", "docno")}
    _report_unknown(
        context,
        [record for record in records if record.docno not in found],
        lambda record: record.docno,
        ("document", "documents"),
        "Import them first, or name the field of the docno.",
    )
    return found


def _report_unknown(
    context: JudgmentImportContext,
    records: Sequence[Answered],
    name: Callable[[Answered], str],
    nouns: tuple[str, str],
    remedy: str,
) -> None:
    if not records:
        return
    names = list(dict.fromkeys(map(name, records)))
    context.add_problem(
        records[0],
        f"{context.collection.slug} does not have {count_noun(len(names), *nouns)} of the files: "
        f"{listed(names, NAMED)}. {remedy}",
    )


def _judgments_by_pair(
    context: JudgmentImportContext, queries: dict[str, Query], records: Iterable[Answered]
) -> dict[PairKey, list[Answered]]:
    """The records of each pair, one for each person; two people at most."""
    pairs: dict[PairKey, dict[str, Answered]] = defaultdict(dict)
    for record in records:
        of_pair = pairs[PairKey(queries[record.query].pk, record.docno)]
        earlier = of_pair.setdefault(record.person, record)
        if answer_of(earlier) != answer_of(record):
            context.add_problem(
                record,
                f"{record.person} judged {record.query} {record.docno} twice, "
                f"first at {earlier.place}, with another answer. Keep one of the two.",
            )
    for people in pairs.values():
        if len(people) > 2:
            record = list(people.values())[2]
            context.add_problem(
                record,
                f"{record.query} {record.docno} has judgments of {', '.join(people)}. "
                "A pair has two. Remove the others from the files.",
            )
    return {key: list(people.values()) for key, people in pairs.items()}


def _decisions_by_pair(
    context: JudgmentImportContext, queries: dict[str, Query], records: Iterable[Answered]
) -> dict[PairKey, Answered]:
    pairs: dict[PairKey, Answered] = {}
    for record in records:
        earlier = pairs.setdefault(PairKey(queries[record.query].pk, record.docno), record)
        if (*answer_of(earlier), earlier.person) != (*answer_of(record), record.person):
            context.add_problem(
                record,
                f"{record.query} {record.docno} has another decision at {earlier.place}. "
                "Keep one of the two.",
            )
    return pairs
