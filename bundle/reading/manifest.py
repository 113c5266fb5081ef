"""The manifest of a release, checked. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bundle.names import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
)
from bundle.options import LabelSource, ReleaseOptions, Texts
from bundle.reading.fields import HIGHEST_GRADE, Fields
from bundle.reading.opened import (
    BundleError,
    OpenedBundle,
    read_json,
)
from bundle.records import ReleasedBuild, ReleasedImport, ReleasedRound, ReleasedRun
from corpus.formats.document_lines import excerpt

MOST_ROUNDS = 32_767  # that a small integer of the databases holds


class WrongFormat(BundleError):
    """The file is not a release, or has a format that this software does not read."""


@dataclass(frozen=True)
class Manifest:
    """The parts of the manifest that readers of a release need."""

    content: Mapping[str, Any]
    software: str
    version: str
    options: ReleaseOptions
    slug: str
    name: str
    description: str
    licence: str
    corpus_licence: str
    seed: str
    highest_grade: int
    builds: tuple[ReleasedBuild, ...]
    runs: tuple[ReleasedRun, ...]
    judgment_imports: tuple[ReleasedImport, ...]
    rounds: tuple[ReleasedRound, ...] = ()  # after the builds, as stated
    label_samples: tuple[str, ...] = ()  # the names of judged samples of citation labels

    @property
    def counts(self) -> Mapping[str, Any]:
        counts = self.content.get("counts")
        return counts if isinstance(counts, dict) else {}

    @property
    def is_judged(self) -> bool:
        """True if the labels are people's. Otherwise they are citations."""
        return self.options.labels is LabelSource.JUDGED


def read_manifest(bundle: OpenedBundle) -> Manifest:
    """The manifest. Raises WrongFormat for another format, BundleError for invalid values."""
    if MANIFEST not in bundle.names:
        raise WrongFormat("", None, f"This is not a release: it has no {MANIFEST}.")
    content = read_json(bundle, MANIFEST)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise WrongFormat(MANIFEST, None, "is not that of a release of Qrelsmith.")
    fields = Fields(content, MANIFEST)
    software = fields.fields("software").text("version")
    _check_format(content.get("format_version"), software)
    collection = fields.fields("collection")
    return Manifest(
        content=content,
        software=software,
        version=fields.text("version"),
        options=_options(fields.fields("options")),
        slug=collection.text("slug", longest=60),
        name=collection.text("name", longest=120),
        description=collection.text("description", default=""),
        licence=collection.text("licence", longest=120, default=""),
        corpus_licence=collection.text("corpus_licence", longest=120, default=""),
        seed=collection.text("seed", longest=64),
        highest_grade=collection.whole("highest_grade", least=1, most=HIGHEST_GRADE),
        builds=fields.each("pool_builds", _build),
        runs=fields.each("runs", _run),
        judgment_imports=fields.each("judgment_imports", _judgment_import),
        rounds=fields.each("pool_rounds", _round),
        label_samples=fields.each("label_samples", lambda sample: sample.text("name")),
    )


def _check_format(version: Any, software: str) -> None:
    if version == FORMAT_VERSION:
        return
    raise WrongFormat(
        MANIFEST,
        None,
        f"the release has format {version}, and this software reads format {FORMAT_VERSION}. "
        f"Use Qrelsmith {software} or a newer version.",
    )


def _options(fields: Fields) -> ReleaseOptions:
    texts, labels = fields.text("texts"), fields.text("labels")
    try:
        return ReleaseOptions(
            Texts(texts), LabelSource(labels), fields.optional_texts("model_labels")
        )
    except ValueError as error:
        fields.fail(f"{error}.")


def _build(fields: Fields) -> ReleasedBuild:
    manifest = fields.mapping("manifest")
    fields.fields("manifest").texts("forced")
    return ReleasedBuild(manifest, fields.texts("query_papers"))


def _round(fields: Fields) -> ReleasedRound:
    manifest = fields.mapping("manifest")
    within = fields.fields("manifest")
    within.whole("round", least=2, most=MOST_ROUNDS)
    within.whole("depth", least=1)
    for name, longest in (("reason", None), ("choice", 20), ("seed", 200), ("sha256", 64)):
        within.text(name, longest=longest)
    within.mapping("parameters")
    names = within.each("runs", lambda run: (run.text("name", longest=60), run.text("sha256")))
    pools = within.fields("pools").mapping("query_papers")
    for paper in pools:
        _check_round_pool(Fields(pools[paper], MANIFEST, within=f"the round of {paper}: "))
    files = fields.mapping("files")
    if sorted(files) != sorted(name for name, _ in names):
        fields.fail(f'"files" must name the runs of the round, got {excerpt(sorted(files))}.')
    stated = fields.fields("files")
    return ReleasedRound(
        manifest,
        {name: stated.text(name) for name in files},
        fields.whole("documents"),
        fields.whole("query_papers"),
    )


def _check_round_pool(facts: Fields) -> None:
    facts.whole("size")
    facts.text("sha256", longest=64)
    facts.texts("topics")
    facts.fields("before").whole("size")
    facts.fields("before").text("sha256", longest=64)


def _run(fields: Fields) -> ReleasedRun:
    return ReleasedRun(
        name=fields.text("name", longest=60),
        kind=fields.text("kind", longest=30),
        parameters=fields.mapping("parameters"),
        depth=fields.optional_whole("depth"),
        sha256=fields.text("sha256", longest=64),
        file=fields.text("file", default="") or None,
    )


def _judgment_import(fields: Fields) -> ReleasedImport:
    return ReleasedImport(
        fields.mapping("files"), fields.whole("judgments"), fields.whole("decisions")
    )
