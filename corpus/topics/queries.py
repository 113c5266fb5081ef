"""Add queries, and remove queries that are not open for judging."""

from __future__ import annotations

import re
from collections.abc import Collection as Group
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.formats.document_lines import Problem
from corpus.formats.topics import PASTED, pasted_topic
from corpus.models import SOURCES, Document, Facet, Query, QueryPaper
from corpus.services import CorpusError, add_query, facet_of_topics, record_added_queries
from corpus.state import corpus_docnos
from corpus.text.sentence_numbers import RANGES, Numbers, SentenceNumberError, parse_numbers
from corpus.topics.importing import TopicIdsTaken, distinct_topics, write_topics
from web.errors import UserFacingError
from web.words import count_noun

_LINE = re.compile(r"(?P<docno>.*\S)[\s,;]+(?P<facet>\S+)")
_SENTENCES = rf"[\s,;]+(?P<sentences>{RANGES})(?:[\s,;]+(?P<name>\S+))?"
_TOPIC = re.compile(r"(?P<name>\S+) ?\t\s*(?P<text>\S.*)")
_ANY_FACET = r"[a-z0-9][a-z0-9-]*"
MOST_ASPECTS = 9  # of a query; each has a key of one digit
LONGEST_ASPECT = 60  # characters of a name
_LONGEST = 400  # characters of a line with sentences; matching a much longer one takes long


class PastedQuery(NamedTuple):
    """A line of a list. `sentences` is None for the whole facet."""

    number: int
    docno: str
    facet: str
    sentences: Numbers | None = None
    name: str = ""


class TopicLine(NamedTuple):
    """A line of a list that has the id of a topic, a tab and its text."""

    number: int
    name: str
    text: str


class LineProblem(NamedTuple):
    number: int
    reason: str


class BadQueryList(CorpusError):
    """Lines of a list of queries are invalid, so no query was added."""

    def __init__(self, problems: list[LineProblem]) -> None:
        self.problems = problems
        super().__init__(
            f"{count_noun(len(problems), 'invalid line')}, so no query was added. "
            "Correct the list and add it again."
        )


class QueryInUse(CorpusError):
    def __init__(self, query: Query) -> None:
        super().__init__(
            f"{query.name} is open for judging or in a practice set, so it cannot be removed. "
            "Judgments are never deleted."
        )


class AspectsInUse(QueryInUse):
    """Judgments say by number which aspect they are about."""

    def __init__(self, query: Query) -> None:
        CorpusError.__init__(
            self, f"{query.name} is open for judging, so the names of its aspects stay as they are."
        )


class BadAspectNames(CorpusError):
    """The names of a query's aspects are no choice for a judge."""


class FacetChoice(NamedTuple):
    """A facet for a new query of a document, with the number of its sentences on the facet."""

    facet: Facet
    sentences: int
    has_query: bool

    @property
    def possible(self) -> bool:
        return self.sentences > 0 and not self.has_query


def facet_choices(document: Document, facets: Iterable[Facet]) -> list[FacetChoice]:
    whole_facets = Query.objects.filter(sentence_numbers__isnull=True)
    used_facets = set(
        whole_facets.filter(query_paper__document=document).values_list("facet_id", flat=True)
    )
    return [
        FacetChoice(
            facet,
            len(document.sentences_of(facet)),
            facet.pk in used_facets,
        )
        for facet in facets
    ]


class ChosenSentences(NamedTuple):
    """A person's choice for a query by sentences."""

    facet_key: str
    numbers: Numbers
    name: str


class SentenceChoice(NamedTuple):
    """A sentence that a query may name, and the facet of its label."""

    number: int
    text: str
    facet: Facet | None


def sentence_choices(document: Document, facets: Iterable[Facet]) -> list[SentenceChoice]:
    facet_of = {number: facet for facet in facets for number in document.sentence_numbers_of(facet)}
    return [
        SentenceChoice(number, text, facet_of.get(number))
        for number, text in enumerate(document.sentences, start=1)
    ]


def sentence_queries(document: Document) -> list[Query]:
    """The queries by sentences of the document."""
    queries = Query.objects.filter(query_paper__document=document, sentence_numbers__isnull=False)
    return list(queries.order_by("name_order"))


def parse_query_list(
    text: str,
    *,
    has_facets: bool = True,
    facet_keys: Group[str] = (),
    docnos: Group[str] = (),
) -> tuple[list[PastedQuery], list[LineProblem]]:
    """Parse lines of a docno and a facet, separated by spaces, a tab, a comma or a semicolon.

    The numbers of sentences, such as 2,4-5, and a name may follow the facet. In a collection
    without facets, they follow the docno. A docno may contain spaces, so a line that ends in one of
    `facet_keys`, or that is one of `docnos`, has no sentences. Returns the valid lines and the
    problems of the others. Numbers count from 1, and blank lines are skipped.
    """
    lines, problems = [], []
    facets = [*map(re.escape, facet_keys), _ANY_FACET] if has_facets else []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            whole = _whole_line(line.strip(), has_facets=has_facets)
            if whole is not None and (whole[1] in facet_keys if has_facets else whole[0] in docnos):
                lines.append(PastedQuery(number, *whole))
            elif match := _sentence_line(line.strip(), facets):
                fields = match.groupdict("")
                lines.append(
                    PastedQuery(
                        number,
                        fields["docno"].rstrip(",; \t"),
                        fields.get("facet", ""),
                        parse_numbers(fields["sentences"]),
                        fields["name"],
                    )
                )
            elif whole is not None:
                lines.append(PastedQuery(number, *whole))
            else:
                reason = f"“{line.strip()}” is one word. Write a docno, a space and a facet."
                problems.append(LineProblem(number, reason))
        except SentenceNumberError as error:
            problems.append(LineProblem(number, str(error)))
    return lines, problems


def _whole_line(line: str, *, has_facets: bool) -> tuple[str, str] | None:
    """Docno and facet of a line without sentences; None for one word where there are facets."""
    if not has_facets:
        return line.rstrip(",; \t"), ""
    match = _LINE.fullmatch(line)
    return (match["docno"].rstrip(",; \t"), match["facet"]) if match else None


def _sentence_line(line: str, facets: Iterable[str]) -> re.Match[str] | None:
    """A line with sentences. The facets are patterns, tried in turn; none without facets."""
    if len(line) > _LONGEST:
        return None
    patterns = [rf"[\s,;]+(?P<facet>{facet})" for facet in facets] or [""]
    # The shortest docno: numbers that follow it are sentences.
    matches = (re.fullmatch(rf"(?P<docno>.*?\S){each}{_SENTENCES}", line) for each in patterns)
    return next((match for match in matches if match), None)


def add_queries(*, collection: Collection, docno: str, facet_keys: Iterable[str]) -> list[Query]:
    """Make the document a query under all of the facets, or under none of them.

    Raises:
        CorpusError: the document or a facet does not exist, or no sentence is on the facet.
    """
    with transaction.atomic():
        lock_collection(collection)
        added = [_add(collection, docno, key) for key in facet_keys]
        record_added_queries(collection, _new(added))
    if not added:
        raise CorpusError("Choose at least one facet.")
    return [query for query, _ in added]


def add_sentence_query(
    *, collection: Collection, docno: str, facet_key: str, sentences: Iterable[int], name: str = ""
) -> Query:
    """Make a query of these sentences of the document, numbered from 1.

    Raises:
        CorpusError, SentenceNumberError: as `create_query`, or the query exists already.
    """
    with transaction.atomic():
        lock_collection(collection)
        query, is_new = _add(collection, docno, facet_key, tuple(sentences), name)
        if not is_new:
            raise CorpusError(
                f"{query.name} has the same sentences, {query.sentences_text}. Choose other "
                "sentences."
            )
        record_added_queries(collection, [query.name])
    return query


def split_query(*, query: Query, sentences: Iterable[int]) -> list[Query]:
    """Make a query of each of these sentences of the query, and return the new ones.

    The query stays as it is. A sentence that has a query already is left out.

    Raises:
        CorpusError: no sentence is given, or the query does not have it.
    """
    with transaction.atomic():
        collection = lock_collection(query.collection)
        query = collection.queries.select_related("facet", *SOURCES).get(pk=query.pk)
        numbers = sorted(set(sentences))
        if not numbers:
            raise CorpusError("Choose at least one sentence.")
        if unknown := [number for number in numbers if number not in sentences_of(query)]:
            raise CorpusError(f"{query.name} has no sentence {unknown[0]}.")
        added = [
            _add(collection, query.query_paper.name, query.facet.key, (number,))
            for number in numbers
        ]
        record_added_queries(collection, _new(added))
        return [each for each, is_new in added if is_new]


def sentences_of(query: Query) -> list[int]:
    """The numbers of the query's own sentences; none of a topic. Needs facet and paper loaded."""
    if query.sentence_numbers is not None:
        return list(query.sentence_numbers)
    document = query.query_paper.document
    return document.sentence_numbers_of(query.facet) if document else []


def add_query_list(*, collection: Collection, text: str) -> int:
    """Add every query of the list. Returns how many are new; existing ones are skipped.

    In a collection without facets, a line of an id, a tab and a text is a topic.

    Raises:
        BadQueryList: lines are invalid. It lists all of them, and nothing is added.
    """
    with transaction.atomic():
        lock_collection(collection)
        facet_keys = set(collection.facets.values_list("key", flat=True)) - {""}
        docnos = set() if facet_keys else _docnos_of_lines(collection, text)
        topics, text = _without_topics(text, facet_keys, docnos)
        lines, problems = parse_query_list(
            text, has_facets=bool(facet_keys), facet_keys=facet_keys, docnos=docnos
        )
        before = collection.queries.count()
        if facet_keys:
            problems += [_topic_with_facets(topic) for topic in topics]
        else:
            problems += _add_topics(collection, topics)
        for line in lines:
            try:
                _add(collection, line.docno, line.facet, line.sentences, line.name)
            except UserFacingError as error:
                problems.append(LineProblem(line.number, str(error)))
        if not lines and not topics and not problems:
            problems.append(LineProblem(1, "The list is empty."))
        if problems:
            raise BadQueryList(sorted(problems))
        added = collection.queries.count() - before
        if added:
            record_action(
                kind=ActionKind.QUERIES_ADDED,
                collection=collection,
                details={"queries": added},
            )
        return added


def _without_topics(
    text: str, facet_keys: Group[str], docnos: Group[str]
) -> tuple[list[TopicLine], str]:
    """The topics of a list, and the list with blank lines in their places."""
    topics, others = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _TOPIC.fullmatch(line.strip())
        if match and line.strip() not in docnos and _is_topic_text(match["text"], facet_keys):
            topics.append(TopicLine(number, match["name"], match["text"]))
            others.append("")
        else:
            others.append(line)
    return topics, "\n".join(others)


def _is_topic_text(text: str, facet_keys: Group[str]) -> bool:
    """Return whether the text is neither a facet nor sentence numbers, even with an id after it."""
    words = re.split(r"[\s,;]+", text, maxsplit=1)
    if facet_keys:
        return len(words) > 1 and not set(facet_keys) & set(text.split())
    return re.fullmatch(rf"(?:{RANGES})(?:[\s,;]+\S+)?", text[:_LONGEST]) is None


def _topic_with_facets(topic: TopicLine) -> LineProblem:
    return LineProblem(
        topic.number,
        f"“{topic.name}” and a text after a tab look like a topic. Put the lines in a file, and "
        "import it below under “Queries from a topic file”, where you choose the facet.",
    )


def _add_topics(collection: Collection, topics: Iterable[TopicLine]) -> list[LineProblem]:
    """Add the topics, and return the problems."""
    records, problems = [], []
    for topic in topics:
        try:
            records.append(pasted_topic(*topic))
        except Problem as problem:
            problems.append(LineProblem(topic.number, str(problem)))
    try:
        filed = distinct_topics({PASTED: records}, PASTED)
        if filed:
            write_topics(collection, facet_of_topics(collection, ""), filed, PASTED)
    except TopicIdsTaken as error:
        problems += [
            LineProblem(clash.line or 1, f"The id {clash.identifier} is taken: {clash.reason}.")
            for clash in error.clashes
        ]
    return problems


def _docnos_of_lines(collection: Collection, text: str) -> set[str]:
    """The lines that are docnos as a whole."""
    return corpus_docnos(collection, (line.strip().rstrip(",; \t") for line in text.splitlines()))


def _add(
    collection: Collection,
    docno: str,
    facet_key: str,
    sentences: Numbers | None = None,
    name: str = "",
) -> tuple[Query, bool]:
    """The query and whether it is new."""
    if collection.documents.without_text().filter(docno=docno).exists():
        raise CorpusError(
            f"{docno} has no text, so documents cannot be compared with it. "
            "Import its abstract first."
        )
    return add_query(
        collection=collection,
        docno=docno,
        facet_key=facet_key,
        sentences=sentences,
        name=name,
    )


def _new(added: Iterable[tuple[Query, bool]]) -> list[str]:
    """The names of those that are new."""
    return [query.name for query, is_new in added if is_new]


def name_aspects(*, query: Query, names: Iterable[str]) -> Query:
    """Name what a match with the query can be about; without names, it is its bold sentences.

    Raises:
        BadAspectNames: there is one name only, too many, or one is too long or comes twice.
        AspectsInUse: the query is open for judging.
    """
    stripped = [name.strip() for name in names if name.strip()]
    check_aspect_names(stripped)
    try:
        with transaction.atomic():
            lock_collection(query.collection)
            query = Query.objects.select_related("collection").get(pk=query.pk)
            query.aspect_names = stripped
            query.save(update_fields=["aspect_names"])
    except IntegrityError as error:
        if "query_aspects_stay_once_opened" not in str(error):
            raise
        raise AspectsInUse(query) from error
    return query


def check_aspect_names(names: Sequence[str]) -> None:
    """Raise BadAspectNames for names that are no choice for a judge; none are fine."""
    if len(names) == 1:
        raise BadAspectNames("Name at least two aspects, or none: one alone is no choice.")
    if len(names) > MOST_ASPECTS:
        raise BadAspectNames(f"Name at most {MOST_ASPECTS} aspects, got {len(names)}.")
    for name in names:
        if len(name) > LONGEST_ASPECT:
            raise BadAspectNames(f"Shorten “{name}” to {LONGEST_ASPECT} characters.")
    folded = [name.casefold() for name in names]
    twice = next((name for name in names if folded.count(name.casefold()) > 1), None)
    if twice is not None:
        raise BadAspectNames(f"The aspect “{twice}” is named twice. Remove one of them.")


def remove_query(*, query: Query) -> None:
    """Remove a query, and its query paper, with its topic, if no other row refers to that.

    Raises:
        QueryInUse: the query is open for judging, or in a practice set.
    """
    try:
        with transaction.atomic():
            collection = lock_collection(query.collection)
            query.delete()
            papers = QueryPaper.objects.select_related("topic")
            paper = papers.filter(pk=query.query_paper_id).first()
            if paper is not None and not _is_used(paper):
                paper.delete()
                if paper.topic is not None:
                    paper.topic.delete()
            record_action(
                kind=ActionKind.QUERY_REMOVED,
                collection=collection,
                subject=about(SubjectKind.QUERY, label=query.name),
            )
    except ProtectedError as error:
        raise QueryInUse(query) from error


def _is_used(paper: QueryPaper) -> bool:
    """Return whether any app's row refers to the paper: another query, a pool or a ranked list."""
    return any(
        relation.related_model._default_manager.filter(**{relation.field.name: paper}).exists()
        for relation in QueryPaper._meta.related_objects
        if not isinstance(relation.related_model, str)
    )
