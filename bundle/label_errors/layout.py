"""`label_errors/`: samples of the citation labels that people judged, and the rates of errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bundle.citation_labels import POSITIVES, candidate_type, known_sources_by_paper
from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.label_errors.rates import NO_SOURCE, ErrorStratum, JudgedLabel
from bundle.label_errors.records import PAIR_COLUMNS, RATE_COLUMNS, JudgedSample
from bundle.reading.csv_rows import read_sampled_labels
from bundle.reading.fields import Fields
from bundle.reading.opened import read_json, read_whole
from bundle.reading.pools import read_pools
from bundle.verification.data import ReleaseData
from bundle.verification.failures import CannotCheck, Failure
from bundle.zip.draft_files import DraftFolder

FOLDER = "label_errors/"
ABOUT = "label_errors/label_errors.json"


def pairs_file(name: str) -> str:
    return f"{FOLDER}{name}.pairs.csv"


def rates_file(name: str) -> str:
    return f"{FOLDER}{name}.rates.csv"


FILES = (
    FileNote(
        ABOUT,
        "the samples of labels that people judged: scale, seed, and the strata with their numbers "
        "of pairs and of drawn ones",
    ),
    FileNote(
        pairs_file("<sample>"),
        "the drawn pairs: stratum, citation label, inclusion probability, the final label of "
        "people, and how many people it comes from",
    ),
    FileNote(
        rates_file("<sample>"),
        "the estimated shares of wrong labels, precision and recall with 95 % intervals: overall, "
        "by field, by type of candidate, and by both",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    samples = content.snapshot.label_samples.samples
    if not samples:
        return {}
    files: Files = {ABOUT: formats.write_json({"samples": [each.as_json() for each in samples]})}
    for sample in samples:
        files[pairs_file(sample.name)] = formats.write_csv(PAIR_COLUMNS, sample.pair_rows())
        files[rates_file(sample.name)] = formats.write_csv(RATE_COLUMNS, sample.rate_rows())
    return files


def check(data: ReleaseData) -> Iterator[Failure]:
    """The samples are of the labels of this release, and the rates follow from the pairs."""
    named = set(data.manifest.label_samples)
    found = {name for name in data.bundle.names if name.startswith(FOLDER)}
    if not named and not found:
        raise CannotCheck("the release has no judged sample of its labels")
    expected = {ABOUT, *map(pairs_file, named), *map(rates_file, named)}
    for name in sorted(expected - found):
        yield Failure(name, None, "is missing.")
    for name in sorted(found - expected):
        yield Failure(name, None, "is of no sample in manifest.json.")
    if expected - found:
        return
    content = Fields(read_json(data.bundle, ABOUT), ABOUT)
    samples = content.each("samples", lambda fields: _sample(data, fields))
    if {sample.name for sample in samples} != named:
        yield Failure(ABOUT, None, "must name the samples in manifest.json.")
        return
    for sample in samples:
        yield from _wrong_pairs(data, sample)
        yield from _wrong_strata(data, sample)
        yield from _wrong_file(
            data, pairs_file(sample.name), formats.write_csv(PAIR_COLUMNS, sample.pair_rows())
        )
        yield from _wrong_file(
            data, rates_file(sample.name), formats.write_csv(RATE_COLUMNS, sample.rate_rows())
        )


def _sample(data: ReleaseData, fields: Fields) -> JudgedSample:
    name = fields.text("name")
    highest = fields.whole("highest_grade", least=1)
    if pairs_file(name) not in data.bundle.names:
        fields.fail(f"there is no file {pairs_file(name)}.")
    judged = tuple(pair for _, pair in read_sampled_labels(data.bundle, pairs_file(name)))
    strata = fields.each("strata", _stratum)
    known = {stratum[:3] for stratum in strata}
    for pair in judged:
        if (pair.field, pair.type, pair.label) not in known:
            fields.fail(f"{pair.query} {pair.docno} is in no stratum.")
    return JudgedSample(
        name=name,
        facet=fields.text("facet", default=""),
        highest_grade=highest,
        relevant_from=fields.whole("relevant_from", least=1, most=highest),
        seed=fields.text("seed"),
        informed_judges=fields.whole("informed_judges", least=0),
        strata=strata,
        judged=judged,
    )


def _stratum(fields: Fields) -> ErrorStratum:
    population = fields.whole("population", least=1)
    return ErrorStratum(
        fields.text("field"),
        fields.text("type"),
        fields.whole("label", least=0, most=1),
        population,
        fields.whole("sampled", least=1, most=population),
    )


def _wrong_pairs(data: ReleaseData, sample: JudgedSample) -> Iterator[Failure]:
    """Pairs whose label is not that of the qrels, twice, off the scale, or of another facet."""
    file = pairs_file(sample.name)
    seen: set[tuple[str, str]] = set()
    for pair in sample.judged:
        name = f"{pair.query} {pair.docno}"
        label = data.labels.get(pair.query, {}).get(pair.docno)
        if label != pair.label:
            yield Failure(file, None, f"{name} has the label {pair.label}, the qrels say {label}.")
        if data.facet_of(pair.query) != sample.facet:
            yield Failure(file, None, f"{name} is not of the facet {sample.facet!r}.")
        if pair[:2] in seen:
            yield Failure(file, None, f"{name} is there twice.")
        seen.add(pair[:2])
        if pair.grade is not None and pair.grade > sample.highest_grade:
            yield Failure(file, None, f"the grade {pair.grade} of {name} is not on the scale.")


def _wrong_strata(data: ReleaseData, sample: JudgedSample) -> Iterator[Failure]:
    """Strata with another number of pairs than the pools or the file of pairs has.

    A release does not always have the fields of its query papers. So the pairs of the pools are
    counted by type, and the types of the sampled ones are compared one by one.
    """
    drawn = Counter(pair[2:5] for pair in sample.judged)
    for stratum in sample.strata:
        if drawn[stratum[:3]] != stratum.sampled:
            reason = f"{stratum.field}, {stratum.type}: {drawn[stratum[:3]]} pairs are in its file."
            yield Failure(ABOUT, None, reason)
    types, wrong = _types_of_pools(data, sample)
    yield from wrong
    stated: Counter[tuple[str, int]] = Counter()
    for stratum in sample.strata:
        stated[stratum.type, stratum.label] += stratum.population
    for type_, label in sorted(types.keys() | stated.keys()):
        if types[type_, label] != stated[type_, label]:
            reason = (
                f"the strata of {type_} have {stated[type_, label]} pairs, and the pools have "
                f"{types[type_, label]}."
            )
            yield Failure(ABOUT, None, reason)


def _types_of_pools(
    data: ReleaseData, sample: JudgedSample
) -> tuple[Counter[tuple[str, int]], list[Failure]]:
    """The numbers of pairs by type and label, and failures of sampled pairs of another type."""
    known = known_sources_by_paper(data.manifest.builds)
    queries: dict[str, list[str]] = {}
    for query, paper in data.paper_of.items():
        if data.facet_of(query) == sample.facet:
            queries.setdefault(paper, []).append(query)
    sampled: dict[tuple[str, str], JudgedLabel] = {pair[:2]: pair for pair in sample.judged}
    types: Counter[tuple[str, int]] = Counter()
    wrong = []
    for _, pooled in read_pools(data.bundle):
        paper = pooled.query_paper
        type_ = candidate_type(pooled, known.get(paper, frozenset()))
        if type_ is None or pooled.docno == paper:
            continue
        type_ = type_ or NO_SOURCE
        for query in queries.get(paper, ()):
            types[type_, int(type_ == POSITIVES)] += 1
            pair = sampled.get((query, pooled.docno))
            if pair is not None and pair.type != type_:
                reason = f"{query} {pooled.docno} has the type {pair.type}, the pools say {type_}."
                wrong.append(Failure(pairs_file(sample.name), None, reason))
    return types, wrong


def _wrong_file(data: ReleaseData, name: str, expected: bytes) -> Iterator[Failure]:
    """The first line of the file that does not follow from the pairs and strata."""
    found = read_whole(data.bundle, name).decode(errors="replace").splitlines()
    lines = expected.decode().splitlines()
    for number, line in enumerate(lines, start=1):
        if number > len(found) or found[number - 1] != line:
            yield Failure(name, number, f"must be {line!r}, which follows from the pairs.")
            return
    if len(found) > len(lines):
        yield Failure(name, len(lines) + 1, "is one line too many.")


def manifest_entries(samples: tuple[JudgedSample, ...]) -> list[dict[str, Any]]:
    """The samples as the manifest names them."""
    return [{"name": each.name, "facet": each.facet, "pairs": len(each.judged)} for each in samples]
