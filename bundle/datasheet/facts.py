"""The generated sentences of a datasheet, from the records of a release. Pure.

Each function writes Markdown for a section. The records of each long kind are read once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING

from bundle.counts import PER_QUERY
from bundle.datasheet.blind_ratings import blind_sentences
from bundle.datasheet.consent import consent_sentence
from bundle.datasheet.label_errors import sample_sentence
from bundle.datasheet.markdown import escaped, table
from bundle.datasheet.owners import owners_sentence
from bundle.datasheet.pool_rounds import round_sentence
from bundle.datasheet.proofs import blindness_sentence, display_sentence
from bundle.datasheet.self_consistency import REPORT, consistency_sentence
from bundle.options import LabelSource, Texts
from bundle.records import ReleasedModel
from bundle.snapshot import Snapshot
from pooling.provenance import IMPORTED
from web.words import count_noun

if TYPE_CHECKING:
    from bundle.content import Content

TEXTS = {
    Texts.POOLED: "The release has the texts of the query papers and of all candidates.",
    Texts.CORPUS: "The release has the texts of all documents of the corpus.",
    Texts.NONE: "The release has the ids of documents and no texts.",
}
EXCLUDED = {
    "no-text": "Candidates without text, which were not judged",
    "never-judged": "Candidates that the imported release never judged",
}
BLINDNESS = (
    "Two annotators judged every pair. Neither saw what the other had said, nor which source had "
    "found a candidate. An adjudicator settled the pairs on which they differed."
)
ON_BUCKETS = (
    "Annotators and adjudicators could choose coarse answers about themselves. Small groups are "
    "not shown, so the numbers can be lower than that of all people."
)

Writer = Callable[["Content"], Iterator[str]]


def motivation(content: Content) -> Iterator[str]:
    if description := content.snapshot.collection.description:
        yield from _item("Description", " ".join(description.split()))


def composition(content: Content) -> Iterator[str]:
    snapshot, counts = content.snapshot, content.counts
    yield from _item("Query papers and topics", f"{counts.query_papers:,}")
    yield from _item(
        "Queries", f"{counts.queries:,}, of which {counts.queries_labelled:,} have a label"
    )
    yield from _item("Candidates in pools", f"{counts.pooled_documents:,}")
    yield from _item("Documents in the release", f"{len(snapshot.documents):,}")
    yield from _item("Texts", TEXTS[snapshot.options.texts])
    if years := _years(snapshot):
        yield from _item("Years of these documents", years)
    if snapshot.options.labels is LabelSource.CITATIONS:
        yield from _item("Labels", "Citations, not judgments. A cited paper counts as relevant.")
        for sample in snapshot.label_samples.samples:
            yield from _item("Errors of the labels", sample_sentence(sample))
    yield from _item("Final labels", f"{counts.labels:,}")
    yield from _item("Splits", _splits(snapshot))
    if models := models_sentence(snapshot.models):
        yield from _item("Labels of models", models)
    yield ""
    yield from _facets(content)


def models_sentence(models: Sequence[ReleasedModel]) -> str:
    """A release's sentence about the labels of models in it; "" without any."""
    if not models:
        return ""
    numbers = ", ".join(f"{model.name} ({len(model.labels):,} labels)" for model in models)
    return (
        f"{numbers}, in model_labels/ only. A model gave them. They never count as labels: qrels, "
        "ratings and splits have none of them."
    )


def _years(snapshot: Snapshot) -> str:
    if not snapshot.options.texts.included:
        return ""
    years = {document.year for document in snapshot.documents} - {None}
    numbers = sorted(year for year in years if year is not None)
    return f"{numbers[0]} to {numbers[-1]}" if numbers else ""


def _splits(snapshot: Snapshot) -> str:
    folds = snapshot.folds
    if not folds.number:
        return "None."
    sizes = Counter(folds.numbers.values())
    tested = [f"{sizes[fold]:,}" for fold in range(1, folds.number + 1)]
    parts = " and ".join([", ".join(tested[:-1]), tested[-1]]) if len(tested) > 1 else tested[0]
    queries = "query" if tested == ["1"] else "queries"
    return f"{count_noun(folds.number, 'fold')} with {parts} test {queries}, {folds.origin}."


def _facets(content: Content) -> Iterator[str]:
    grades = [str(grade) for grade in content.snapshot.collection.grades]
    rows = [
        [
            key or "all",
            *(f"{number:,}" for number in (numbers.queries, numbers.pairs)),
            *numbers.candidates_per_query,
            *(f"{number:,}" for number in (numbers.pairs_judged, numbers.labels)),
            *(f"{numbers.labels_by_grade[grade]:,}" for grade in grades),
        ]
        for key, numbers in content.counts.facets.items()
    ]
    header = ["facet", "queries", "pairs", *PER_QUERY, "judged by both", "labels"]
    yield from table([*header, *(f"grade {grade}" for grade in grades)], rows)


def collection(content: Content) -> Iterator[str]:
    snapshot = content.snapshot
    sheet = snapshot.datasheet
    yield from _sources(snapshot)
    if snapshot.options.labels is LabelSource.CITATIONS:
        return
    if sheet.first_day:
        yield from _item("Judged", f"From {sheet.first_day} to {sheet.last_day} (UTC)")
    if sheet.dates_known:
        yield from _item("Judging", BLINDNESS)
    if owners := owners_sentence(sheet.owner_annotators):
        yield from _item("Owners who judged", owners)
    if consent := consent_sentence(sheet.consent):
        yield from _item("Consent", consent)
    if proof := snapshot.reports.current.get("display_proof"):
        yield from _item("Display", display_sentence(proof))
    if check := snapshot.reports.current.get("blindness"):
        yield from _item("Blindness", blindness_sentence(check))
    for caption, sentence in blind_sentences(snapshot.blind_ratings):
        yield from _item(caption, sentence)
    yield from _item("Annotators", f"{content.counts.annotators:,}")
    yield from _item("Adjudicators", f"{content.counts.adjudicators:,}")
    yield from _pace(snapshot)
    if consistency := snapshot.reports.current.get(REPORT):
        yield from _item("Self-consistency", consistency_sentence(consistency))
    yield ""
    yield from _agreement(content)


def _sources(snapshot: Snapshot) -> Iterator[str]:
    """Strategies of the pools, the sources that candidates were drawn from, and exclusions."""
    strategies: set[str] = set()
    for build in snapshot.builds:
        manifest = build.manifest
        source = manifest.get("source", "")
        name = "imported" if source == IMPORTED else source or manifest.get("strategy", "")
        strategies.add(str(name))
    if named := sorted(strategies - {""}):
        yield from _item("Pools", ", ".join(named))
    drawn: Counter[str] = Counter()
    excluded: Counter[str] = Counter()
    for candidate in snapshot.pools:
        excluded[candidate.excluded] += 1
        if candidate.drawn_by is not None:
            drawn[candidate.drawn_by] += 1
    for pool_round in snapshot.rounds:
        yield from _item(f"Pool round {pool_round.number}", round_sentence(pool_round))
    if drawn:
        by = (f"{name} {number:,}" for name, number in sorted(drawn.items()))
        yield from _item("Candidates by the source that drew them", ", ".join(by))
    for reason in sorted(set(excluded) - {""}):
        yield from _item(EXCLUDED.get(reason, f"Excluded, {reason}"), f"{excluded[reason]:,}")


def _pace(snapshot: Snapshot) -> Iterator[str]:
    seconds, ungraded = [], 0
    for rating in snapshot.ratings:
        ungraded += rating.grade is None
        if rating.seconds is not None:
            seconds.append(rating.seconds)
    yield from _item("Judgments", f"{len(snapshot.ratings):,}, of which {ungraded:,} have no grade")
    if seconds:
        total = fsum(seconds)
        yield from _item("Hours of judging", f"{total / 3600:,.1f}, as measured by the browser")
        yield from _item("Pace", f"{total / len(seconds):.1f} seconds a judgment, on average")


def _agreement(content: Content) -> Iterator[str]:
    """The medians over the queries, as in the README, without pairs that lack a judgment."""
    from agreement.coefficients import COEFFICIENTS, Missing  # they need numpy

    keys = [coefficient.key for coefficient in COEFFICIENTS]
    rows = [
        [
            row["facet"] or "all",
            {"pre": "before", "asked": "after asking", "post": "after"}[row["stage"]],
            *(
                "undefined" if (median := row["median"][key]) is None else f"{median:.4f}"
                for key in keys
            ),
        ]
        for row in content.agreement[Missing.EXCLUDE]["facets"]
        if row["queries"]
    ]
    if rows:
        yield "Agreement, as medians over the queries, before and after adjudication:"
        yield ""
        names = [coefficient.name for coefficient in COEFFICIENTS]
        yield from table(["facet", "adjudication", *names], rows)


def preprocessing(content: Content) -> Iterator[str]:
    """The imports of documents with what each step left out."""
    for number, row in enumerate(content.snapshot.corpus_imports, start=1):
        first, *others = row.steps
        kept = others[-1].remaining if others else first.remaining
        yield from _item(
            f"Import {number}",
            f"{row.source}, as {row.format}: {first.remaining:,} read, {kept:,} imported",
        )
        for step in others:
            if step.removed:
                name = escaped(step.name)
                yield f"    - {name}: {step.removed:,} left out, {step.remaining:,} remained"


def uses(content: Content) -> Iterator[str]:
    if supports := content.snapshot.supports:
        yield from _item("Bias of the pools", " ".join(supports.split()))
    for finding in content.accepted:
        how_many = f" ({finding.count:,})" if finding.count else ""
        yield from _item("Known exception", f"{finding.check}{how_many}; see README.md")


def distribution(content: Content) -> Iterator[str]:
    collection = content.snapshot.collection
    yield from _item("Licence of the judgments", collection.licence or "None is stated.")
    yield from _item("Licence of the texts", collection.corpus_licence or "None is stated.")
    yield from _item("Version", content.version)


def maintenance(content: Content) -> Iterator[str]:
    yield from _item("Versions", "A published version never changes. Corrections are in a new one.")


def people(content: Content) -> Iterator[str]:
    fields = [field for field in content.snapshot.datasheet.annotators if field.groups]
    if not fields:
        return
    yield ON_BUCKETS
    yield ""
    rows = [
        [field.label if number == 0 else "", group.label, f"{group.people:,}"]
        for field in fields
        for number, group in enumerate(field.groups)
    ]
    yield from table(["about the annotators", "answer", "people"], rows)


def _item(name: str, text: str) -> Iterator[str]:
    yield f"- **{escaped(name)}**: {escaped(text)}"


OF_SECTIONS: Mapping[str, Writer] = {
    "motivation": motivation,
    "composition": composition,
    "collection": collection,
    "preprocessing": preprocessing,
    "uses": uses,
    "distribution": distribution,
    "maintenance": maintenance,
    "people": people,
}
