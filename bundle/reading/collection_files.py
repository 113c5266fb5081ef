"""The files of `collection/` and the history of the corpus as records again, checked. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from accounts.judging_rules import (
    HIGHEST_REPEAT_SHARE,
    IN_NO_QUERY,
    NO_RULES,
    PROPOSALS,
    JudgingRules,
)
from bundle.interchange import (
    FoldSettings,
    InterchangedPaper,
    InterchangedQuery,
    InterchangedTopic,
    ReferredPair,
)
from bundle.names import (
    CORPUS,
    DOCUMENTS,
    GUIDELINES,
    QUERY_PAPERS,
    SETTINGS,
)
from bundle.reading.fields import HIGHEST_GRADE, Fields, each_line
from bundle.reading.opened import (
    OpenedBundle,
    read_json,
)
from bundle.records import (
    ConsentVersion,
    ReleasedConsent,
    ReleasedCorpusImport,
    ReleasedFacet,
    ReleasedGuideline,
    ReleasedStep,
)
from scoring.folds import MOST as MOST_FOLDS

LONGEST_NAME = 240  # of a query
LONGEST_DOCNO = 200
MOST_PEOPLE = 32_767  # of a small integer of the database


class ReleasedText(NamedTuple):
    """A document as judges saw its text. `labels[i]` is the label of `sentences[i]`."""

    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]


class Settings(NamedTuple):
    """The scale is that of the collection. `retired_runs` are names and digests. `folds` are None
    if it was not decided how to get them.

    `answers` are those of the datasheet by question. The days are of the judgments, None if they
    are not known. `annotators` are groups of people, as JSON.
    """

    highest_grade: int
    relevant_from: int
    analysis: str
    seconds_per_judgment: float
    agreement_rule: tuple[str, float]
    judging_rules: JudgingRules
    facets: tuple[ReleasedFacet, ...]
    retired_runs: frozenset[tuple[str, str]]
    folds: FoldSettings | None
    answers: Mapping[str, str]
    first_day: date | None
    last_day: date | None
    annotators: list[Any]
    owner_annotators: int
    consent: ReleasedConsent


def _rule(fields: Fields | None) -> tuple[str, float]:
    if fields is None:
        return "", 0.0
    return fields.text("coefficient", longest=40), fields.number("threshold")


def _judging_rules(fields: Fields | None) -> JudgingRules:
    """The rules with the default for each that is not there."""
    if fields is None:
        return NO_RULES
    return JudgingRules(
        marks_aspects=fields.optional_truth("marks_aspects") or False,
        grades_blind_first=fields.optional_truth("grades_blind_first") or False,
        spot_check_share=_within(fields, "spot_check_share", 0, 1) or 0.0,
        repeat_share=_within(fields, "repeat_share", 0, HIGHEST_REPEAT_SHARE) or 0.0,
        qualifying_rho=_within(fields, "qualifying_rho", -1, 1),
        senior_rho=_within(fields, "senior_rho", -1, 1),
        proposes_grades=_proposes_grades(fields),
    )


def _proposes_grades(fields: Fields) -> str:
    value = fields.text("proposes_grades", longest=4, default=IN_NO_QUERY)
    if value not in dict(PROPOSALS):
        fields.fail(f'"proposes_grades" must be "all" or "half", got "{value}".')
    return value


def _within(fields: Fields, name: str, least: float, most: float) -> float | None:
    number = fields.optional_number(name)
    if number is not None and not least <= number <= most:
        fields.fail(f'"{name}" must be from {least:g} to {most:g}, got {number:g}.')
    return number


def read_settings(bundle: OpenedBundle) -> Settings:
    fields = Fields(read_json(bundle, SETTINGS), SETTINGS)
    highest = fields.whole("highest_grade", least=1, most=HIGHEST_GRADE)
    sheet = fields.fields("datasheet")
    answers = Fields(sheet.mapping("answers"), SETTINGS)
    return Settings(
        highest_grade=highest,
        relevant_from=fields.whole("relevant_from", least=1, most=highest),
        analysis=fields.text("analysis", longest=40, default=""),
        seconds_per_judgment=fields.number("seconds_per_judgment"),
        agreement_rule=_rule(fields.optional_fields("agreement_rule")),
        judging_rules=_judging_rules(fields.optional_fields("judging_rules")),
        facets=fields.each(
            "facets",
            lambda facet: ReleasedFacet(
                facet.text("key", longest=30), facet.text("name", longest=60), facet.texts("labels")
            ),
        ),
        retired_runs=frozenset(
            fields.each("retired_runs", lambda run: (run.text("name"), run.text("sha256")))
        ),
        folds=_folds(fields.optional_fields("folds")),
        answers={key: answers.text(key) for key in sheet.mapping("answers")},
        first_day=_day(sheet, "first_day"),
        last_day=_day(sheet, "last_day"),
        annotators=list(sheet.each("annotators", _groups)),
        owner_annotators=sheet.optional_whole("owner_annotators", most=MOST_PEOPLE) or 0,
        consent=_consent(sheet.optional_fields("consent")),
    )


def _consent(fields: Fields | None) -> ReleasedConsent:
    if fields is None:
        return ReleasedConsent()
    return ReleasedConsent(
        versions=fields.each(
            "versions",
            lambda row: ConsentVersion(
                row.whole("number", least=1, most=2**31 - 1),
                row.whole("agreed", most=MOST_PEOPLE),
                row.whole("withdrawn", most=MOST_PEOPLE),
            ),
        ),
        judges=fields.whole("judges", most=MOST_PEOPLE),
        without=fields.whole("without", most=MOST_PEOPLE),
    )


def _folds(fields: Fields | None) -> FoldSettings | None:
    if fields is None:
        return None
    name = fields.text("imported_from", longest=200, default="")
    made = fields.optional_whole("made", most=MOST_FOLDS)
    if bool(name) == (made is not None):
        fields.fail('must have "imported_from" or "made", and not both.')
    return FoldSettings(name, made or 0)


def _groups(fields: Fields) -> dict[str, Any]:
    groups = fields.each("groups", lambda group: (group.text("label"), group.whole("people")))
    return {
        "label": fields.text("label"),
        "groups": [{"label": label, "people": people} for label, people in groups],
    }


def _day(fields: Fields, name: str) -> date | None:
    text = fields.text(name)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        fields.fail(f'"{name}" must be a day such as 2024-05-31, got {text[:60]!r}.')


def read_guidelines(bundle: OpenedBundle) -> tuple[ReleasedGuideline, ...]:
    return Fields({"guidelines": read_json(bundle, GUIDELINES)}, GUIDELINES).each(
        "guidelines",
        lambda row: ReleasedGuideline(
            facet=row.text("facet"),
            version=row.whole("version", least=1, most=32_767),
            instructions=row.text("instructions"),
            grades=_grades(row),
        ),
    )


def _grades(fields: Fields) -> tuple[Any, ...]:
    """The objects as they are, because a digest is made of them. Pages show these fields."""
    fields.each(
        "grades",
        lambda grade: (
            grade.whole("grade", most=HIGHEST_GRADE),
            grade.text("name"),
            *(grade.text(name, default="") for name in ("definition", "detail", "example")),
        ),
    )
    return tuple(fields.values("grades"))


def read_query_papers(bundle: OpenedBundle) -> Iterator[InterchangedPaper]:
    """By name."""
    for fields in each_line(bundle, QUERY_PAPERS):
        topic = fields.optional_fields("topic")
        yield InterchangedPaper(
            name=fields.text("name", longest=LONGEST_DOCNO),
            topic=None if topic is None else _topic(topic),
            metadata=fields.mapping("metadata"),
            queries=fields.each("queries", _query),
        )


def _topic(fields: Fields) -> InterchangedTopic:
    return InterchangedTopic(
        title=fields.text("title"),
        description=fields.text("description"),
        narrative=fields.text("narrative"),
        sentences=fields.texts("sentences"),
        narrative_is_shown=fields.truth("narrative_is_shown"),
    )


def _query(fields: Fields) -> InterchangedQuery:
    return InterchangedQuery(
        name=fields.text("name", longest=LONGEST_NAME),
        facet=fields.text("facet"),
        sentences=fields.wholes("sentences"),
        fold=fields.optional_whole("fold", least=0, most=MOST_FOLDS),
        guideline=fields.optional_whole("guideline", least=1),
        labels_unchecked=fields.optional_truth("labels_unchecked"),
        unjudged=fields.texts("unjudged"),
        referred=fields.each(
            "referred", lambda row: ReferredPair(row.text("docno"), row.text("reason"))
        ),
        aspects=fields.texts("aspects"),
    )


def read_docnos(bundle: OpenedBundle) -> Iterator[str]:
    """The documents that the collection needs, by docno."""
    for fields in each_line(bundle, DOCUMENTS):
        yield fields.text("docno", longest=LONGEST_DOCNO)


def read_texts(bundle: OpenedBundle) -> Iterator[tuple[str, ReleasedText]]:
    """The documents with their texts, of a release with texts."""
    for fields in each_line(bundle, DOCUMENTS):
        yield (
            fields.text("docno", longest=LONGEST_DOCNO),
            ReleasedText(
                fields.text("title", default=""), fields.texts("sentences"), fields.texts("labels")
            ),
        )


def read_corpus_imports(bundle: OpenedBundle) -> tuple[ReleasedCorpusImport, ...]:
    """In their order; none in a release without their file."""
    if CORPUS not in bundle.names:
        return ()
    return Fields(read_json(bundle, CORPUS), CORPUS).each("imports", _corpus_import)


def _corpus_import(fields: Fields) -> ReleasedCorpusImport:
    return ReleasedCorpusImport(
        source=fields.text("source"),
        format=fields.text("format", longest=200),
        recipe=fields.mapping("recipe"),
        created=fields.whole("created"),
        updated=fields.whole("updated"),
        unchanged=fields.whole("unchanged"),
        steps=fields.each(
            "steps",
            lambda step: ReleasedStep(
                step.text("name"), step.whole("removed"), step.whole("remaining")
            ),
        ),
    )
