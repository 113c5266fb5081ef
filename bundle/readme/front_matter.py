"""The YAML at the top of a release's README: what the Hub, `datasets` and MTEB read. Pure.

`datasets` finds the files of `hf/` by it, so no script is needed. The names are those of MTEB's
loader: `corpus`, `queries`, `default` and `top_ranked`, and for a facet the same after
`<facet>-`, with `qrels` for `default`. A config without splits of its own has a single one, which
the loader takes whatever split it is asked for.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from bundle.layouts.hugging_face import ANNOTATIONS, CORPUS, QUERIES, TOP_RANKED, qrels_file
from bundle.layouts.splits import sets_of
from bundle.licences import SPDX_IDENTIFIERS
from bundle.records import ReleasedCollection
from bundle.snapshot import Snapshot
from scoring.folds import MOST as MOST_FOLDS

# The Hub has names of its own for these; for the others, SPDX's in small letters.
HUB_LICENCES = {
    "GPL-3.0-only": "gpl-3.0",
    "GPL-3.0-or-later": "gpl-3.0",
    "ODC-By-1.0": "odc-by",
    "ODbL-1.0": "odbl",
    "PDDL-1.0": "pddl",
}
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))
LARGEST = "1M<n<10M"
# None: a query that is in no fold. 0: one to develop with only.
FOLDS: tuple[int | None, ...] = (*range(MOST_FOLDS + 1), None)
QRELS = "default"
AMBIGUOUS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}  # other types in YAML


class Config(NamedTuple):
    """A subset of the data set: the files of each of its splits."""

    name: str
    splits: dict[str, list[str]]


def front_matter(snapshot: Snapshot, names: Collection[str], labels: int) -> Iterator[str]:
    """The lines, from `---` to `---`. `names` are the files of the bundle."""
    collection = snapshot.collection
    yield "---"
    yield f"pretty_name: {_text(collection.name)}"
    yield from _licence(_licences(snapshot))
    yield from _list("task_categories", ["text-retrieval"])
    yield from _list("task_ids", ["document-retrieval"])
    yield from _list("size_categories", [size_category(max(len(snapshot.documents), labels))])
    yield from _list("tags", ["test-collection", "qrels", "mteb"])
    yield "configs:"
    for config in configs(collection, names):
        yield f"- config_name: {_text(config.name)}"
        if config.name == QRELS:
            yield "  default: true"
        yield "  data_files:"
        for split, files in config.splits.items():
            yield f"  - split: {split}"
            yield "    path:"
            yield from (f"    - {_text(file)}" for file in files)
    yield "---"
    yield ""


def configs(collection: ReleasedCollection, names: Collection[str]) -> Iterator[Config]:
    """The configs whose files are there, the qrels of all facets first."""
    keys = [facet.key for facet in collection.facets]
    folds = [fold for fold in FOLDS if fold and any(qrels_file(key, fold) in names for key in keys)]
    count = max(folds, default=0)
    yield from _qrels(QRELS, keys, names, count)
    shared = [
        Config(name, {name: [file]})
        for name, file in (("corpus", CORPUS), ("queries", QUERIES), ("top_ranked", TOP_RANKED))
        if file in names
    ]
    yield from shared
    for key in filter(None, keys):
        qrels = list(_qrels(f"{key}-qrels", [key], names, count))
        if qrels:
            yield from qrels
            yield from (config._replace(name=f"{key}-{config.name}") for config in shared)
    if ANNOTATIONS in names:
        yield Config("annotations", {"annotations": [ANNOTATIONS]})


def _qrels(
    name: str, facets: Iterable[str], names: Collection[str], count: int
) -> Iterator[Config]:
    """The labels of these facets: all of them as `test`, and each set of the `count` folds."""
    of_fold = {
        fold: [file for facet in facets if (file := qrels_file(facet, fold)) in names]
        for fold in FOLDS
    }
    splits: dict[str, list[str]] = defaultdict(list)
    splits["test"] = sorted(file for files in of_fold.values() for file in files)
    for number, files in of_fold.items():
        for split in sets_of(number, count):
            splits[split] += files
    if splits["test"]:
        yield Config(name, {split: files for split, files in splits.items() if files})


def size_category(count: int) -> str:
    """The Hub's name for so many rows."""
    return next((name for limit, name in SIZES if count < limit), LARGEST)


def _licences(snapshot: Snapshot) -> list[str]:
    """The licence of the labels and, if the texts are here, that of the documents. Each once."""
    collection = snapshot.collection
    texts = collection.corpus_licence if snapshot.options.texts.included else ""
    return list(dict.fromkeys(filter(None, [collection.licence, texts])))


def _licence(licences: list[str]) -> Iterator[str]:
    known = [hub_licence(licence) for licence in licences]
    if not known:
        yield "license: unknown"
        return
    yield from _list("license", list(dict.fromkeys(known)))
    others = [licence for licence in licences if licence not in SPDX_IDENTIFIERS]
    if others:
        yield f"license_name: {_text(', '.join(others))}"


def hub_licence(licence: str) -> str:
    """The Hub's name for a licence, `other` for one that is not in our list."""
    if licence not in SPDX_IDENTIFIERS:
        return "other"
    return HUB_LICENCES.get(licence, licence.lower())


def _list(key: str, values: Iterable[str]) -> Iterator[str]:
    yield f"{key}:"
    yield from (f"- {_text(value)}" for value in values)


def _text(value: str) -> str:
    """As YAML. JSON's strings are YAML's; a plain word needs no quotes."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_/.-]*", value) and value.lower() not in AMBIGUOUS:
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())
