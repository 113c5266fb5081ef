"""The README of a release, from its numbers. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from bundle.content import Content
from bundle.datasheet.facts import models_sentence
from bundle.readme.citations import LEFT_OUT, WARNING, citation_section, mdcr_section
from bundle.readme.exceptions import exceptions_section
from bundle.readme.files import files_section
from bundle.readme.front_matter import front_matter
from bundle.readme.label_errors import label_errors_section
from bundle.readme.loading import loading_section, splits_section, texts_section
from bundle.readme.making import corpus_section, grades_section, making_section, size_section
from bundle.readme.pool_rounds import rounds_section
from bundle.readme.results import agreement_sections, evaluation_section, supports_section
from bundle.readme.sample import sample_section
from bundle.records import ReleasedPilots
from bundle.snapshot import Snapshot
from web.words import count_noun


def write_readme(content: Content, names: Collection[str]) -> bytes:
    """Markdown that tells a reader what this release holds. `names` are the files of layouts."""
    snapshot = content.snapshot
    collection = snapshot.collection
    names = list(names)
    parts = [
        front_matter(snapshot, names, content.counts.labels),
        _opening(snapshot, content.version),
        *_citations(content),
        loading_section(content, names),
        texts_section(snapshot),
        splits_section(snapshot),
        files_section(snapshot, names),
        mdcr_section(names),
        label_errors_section(snapshot.label_samples),
        sample_section(content.sample),
        size_section(content.counts, snapshot),
        corpus_section(snapshot.corpus_imports),
        making_section(snapshot),
        rounds_section(content),
        grades_section(snapshot),
        _model_labels(snapshot),
        *agreement_sections(content),
        evaluation_section(snapshot.reports),
        supports_section(snapshot.scopes, snapshot.supports),
        exceptions_section(content.accepted),
        ["## What is not in it", _left_out(snapshot)],
        ["## Errors", ABOUT_ERRORS.format(slug=collection.slug, version=content.version)],
        _licence(collection.licence),
        _citing(snapshot, content.version, content.software_version),
    ]
    return "\n".join(line for part in parts for line in part).encode()


ABOUT_ERRORS = """
This version never changes. Errors that are found in it are listed on its page. Those that were
reported are in `CHANGELOG.md` of the next version, too. To report one, use the form *Report an
error* on that page, `/releases/{slug}/{version}/`, of the server that published this version. It
has the form if the version is public.
"""


ABOUT_WHAT_IS_LEFT_OUT = """
{texts}- Names. People appear as pseudonyms, numbered at random.
- Notes that annotators and adjudicators wrote in their own words: they may name people.
- Judgments that their authors revised. `sequence` tells which revision counts.
- Judgments of pairs that only one annotator has judged.
{pilots}"""


WITHOUT_TEXTS = """\
- The texts of documents, and with them the texts of query papers. `GET_TEXTS.md` says how to get
  them.
"""


def _opening(snapshot: Snapshot, version: str) -> Iterator[str]:
    yield f"# {snapshot.collection.name}, version {version}"
    yield ""
    if snapshot.of_citations:
        yield WARNING
        yield ""
    yield (
        "A test collection for retrieving papers that are similar to a query paper in one facet."
        if snapshot.collection.has_facets
        else "A test collection for retrieving documents that are relevant to a query."
    )
    if snapshot.collection.description:
        yield ""
        yield snapshot.collection.description
    yield ""


def _left_out(snapshot: Snapshot) -> str:
    texts = "" if snapshot.options.texts.included else WITHOUT_TEXTS
    if snapshot.of_citations:
        return LEFT_OUT.format(texts=texts)
    return ABOUT_WHAT_IS_LEFT_OUT.format(texts=texts, pilots=_pilots(snapshot.pilots))


def _model_labels(snapshot: Snapshot) -> Iterator[str]:
    if sentence := models_sentence(snapshot.models):
        yield from ("## Labels of models", "", sentence, "")


def _pilots(pilots: ReleasedPilots) -> str:
    if not pilots.rounds:
        return ""
    return (
        f"- Judgments of {count_noun(pilots.rounds, 'pilot round')} before live judging, with "
        f"{count_noun(pilots.pairs, 'pair')} and {count_noun(pilots.annotators, 'annotator')}. "
        "These people judged\n  no query of the same query papers afterwards.\n"
    )


def _citations(content: Content) -> Iterator[Iterable[str]]:
    if citations := content.counts.citations:
        yield citation_section(citations, has_facets=content.snapshot.collection.has_facets)


def _licence(licence: str) -> Iterator[str]:
    yield "## Licence"
    yield ""
    yield licence or "None is stated: ask the publisher before you use or pass on this collection."
    yield ""


def _citing(snapshot: Snapshot, version: str, software_version: str) -> Iterator[str]:
    yield "## Citing"
    yield ""
    yield (
        f"“{snapshot.collection.name}, version {version}”, made with Qrelsmith {software_version}, "
        "and the SHA-256 of the zip. A published version never changes, so this says exactly which "
        "labels you used."
    )
    yield ""
