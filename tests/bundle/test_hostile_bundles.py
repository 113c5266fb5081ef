"""A release that was made to break the verification gets findings with the file, as any other."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from bundle.reading.opened import LARGEST_WHOLE, LONGEST_LINE, MOST_VALUES
from bundle.verification.service import verify
from tests.support.bundles import released_files, with_new_sums, with_sums, write_bundle
from tests.support.release_scenes import a_judged_collection_with_runs

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
Files = dict[str, bytes]
Change = Callable[[bytes], bytes]

MANIFEST, SETTINGS = "manifest.json", "collection/settings.json"
GUIDELINES, RATINGS = "collection/guidelines.json", "annotations/ratings.csv"
POOLS, DOCUMENTS = "pools/pool.jsonl", "collection/documents.jsonl"
RANKED, SPLITS = "hf/top_ranked.parquet", "splits.json"
NESTED = b"[" * 100_000
MANY_VALUES = b"[" + b"[]," * (MOST_VALUES // 2) + b"[]]"


@pytest.fixture(scope="module")
def files(rolled_back) -> Files:
    with rolled_back():
        return released_files(a_judged_collection_with_runs())


def instead(content: bytes) -> Change:
    return lambda _: content


def of_json(change_value: Callable[[Any], object]) -> Change:
    def change(content: bytes) -> bytes:
        value = json.loads(content)
        change_value(value)
        return json.dumps(value).encode()

    return change


def of_build(**fields: object) -> Change:
    return of_json(lambda manifest: manifest["pool_builds"][0]["manifest"].update(fields))


def a_column_more(content: bytes) -> bytes:
    return content.replace(b"\n", b"," * 2_000_000 + b"\n", 1)


def ranked(**columns: list[object]) -> Change:
    def change(_: bytes) -> bytes:
        file = io.BytesIO()
        table = pyarrow.table(columns)
        parquet.write_table(table, file, compression="NONE", use_dictionary=False)
        return file.getvalue()

    return change


def compressed(content: bytes) -> bytes:
    """4,096 rows that need 4 GB of memory together, in a file of a few kilobytes."""
    file = io.BytesIO()
    text = pyarrow.array(["x" * 2**20])
    rows = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 4096, pyarrow.int32()), text)
    parquet.write_table(pyarrow.table({"query-id": rows, "corpus-ids": rows}), file)
    assert len(file.getvalue()) < 1_000_000
    return file.getvalue()


# The check, the file, the change of it, and words of the finding after the name of the file.
HOSTILE: dict[str, tuple[str, str, Change, str]] = {
    "a manifest with a list of files": (
        "files",
        MANIFEST,
        of_json(lambda manifest: manifest.update(files=[])),
        '"files" must be an object',
    ),
    "a manifest of 60 MB": (
        "files",
        MANIFEST,
        lambda content: content + b" " * 60_000_000,
        f"Files of its kind can have {LARGEST_WHOLE:,}.",
    ),
    "a manifest of many values": (
        "files",
        MANIFEST,
        instead(MANY_VALUES),
        f"has more than {MOST_VALUES:,} values.",
    ),
    "a nested manifest": ("files", MANIFEST, instead(NESTED), "has too many nested brackets."),
    "a manifest that is cut": ("files", MANIFEST, lambda it: it[:500], "is not valid JSON"),
    "a manifest in another encoding": ("files", MANIFEST, instead(b'{"a":"\xff"}'), "not valid"),
    "a manifest without builds": (
        "formats",
        MANIFEST,
        of_json(lambda manifest: manifest.update(pool_builds=3)),
        '"pool_builds" must be a list, got 3.',
    ),
    "forced sources that are a number": (
        "formats",
        MANIFEST,
        of_build(forced=3),
        'item 1 of "pool_builds": "manifest": "forced" must be a list, got 3.',
    ),
    "a forced source that is a list": (
        "formats",
        MANIFEST,
        of_build(forced=[[]]),
        'an item of "forced" must be text',
    ),
    "a guideline of a list of facets": (
        "guidelines",
        MANIFEST,
        of_json(lambda manifest: manifest["guidelines"][0].update(facet=[])),
        'item 1 of "guidelines": "facet" must be text, got [].',
    ),
    "nested settings": ("formats", SETTINGS, instead(NESTED), "has too many nested brackets."),
    "a long number in the settings": (
        "formats",
        SETTINGS,
        of_json(lambda settings: settings.update(seconds_per_judgment=10**400)),
        '"seconds_per_judgment" must be a number',
    ),
    "grades without names": (
        "guidelines",
        GUIDELINES,
        of_json(lambda guidelines: guidelines[0]["grades"][0].pop("name")),
        'item 1 of "guidelines": item 1 of "grades": "name" must be text, got null.',
    ),
    "a nested line": ("formats", POOLS, instead(NESTED), "has too many nested brackets."),
    "a line of many values": (
        "formats",
        POOLS,
        instead(MANY_VALUES),
        f"has more than {MOST_VALUES:,} values.",
    ),
    "a long line": (
        "formats",
        DOCUMENTS,
        instead(b" " * LONGEST_LINE),
        f"has more than {LONGEST_LINE:,} bytes.",
    ),
    "a long row": ("formats", RATINGS, a_column_more, "the row has more than 1,048,576 characters"),
    "a long row of many lines": (
        "formats",
        RATINGS,
        lambda content: content + (b'"\n"' + b"," * 1000) * 1200,
        "the row has more than 1,048,576 characters",
    ),
    "a NUL in a row": ("formats", RATINGS, lambda it: it + b"\0", "has 1 cells, not 12."),
    "a long number in a row": (
        "formats",
        RATINGS,
        lambda content: content.replace(b",1,annotator", b"," + b"0" * 5000 + b",annotator", 1),
        "slot must be a whole number from 1 to 2",
    ),
    "nested folds": ("folds", SPLITS, instead(NESTED), "not valid JSON"),
    "a fold with a long number": (
        "folds",
        SPLITS,
        instead(b'{"method": {"fold%s_test": []}}' % (b"1" * 5000)),
        "Use at most 20.",
    ),
    "Parquet that is cut": ("hf", RANKED, lambda it: it[:-50], "cannot be read as Parquet"),
    "damaged Parquet": (
        "hf",
        RANKED,
        lambda content: content[:4] + bytes(40) + content[44:],
        "cannot be read as Parquet",
    ),
    "compressed Parquet": ("hf", RANKED, compressed, "has compressed values"),
    "Parquet without a column": (
        "hf",
        RANKED,
        ranked(**{"query-id": ["q1_method"]}),
        "has a value that no release has (KeyError: 'corpus-ids').",
    ),
    "a null in Parquet": (
        "hf",
        RANKED,
        ranked(**{"query-id": ["q1_method"], "corpus-ids": [None]}),
        "has a value that no release has (TypeError: ",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_a_finding_with_its_name(files, tmp_path, what):
    check, name, change, words = HOSTILE[what]
    changed = {**files, name: change(files[name])}
    changed = with_sums(changed) if name == MANIFEST else with_new_sums(changed)

    outcomes = {one.name: one for one in verify(write_bundle(tmp_path / "a.zip", changed))}

    found = list(map(str, outcomes[check].failures))
    assert any(text.startswith(name) and words in text for text in found), found
