"""`hf/`: labels as JSON lines, which `datasets` finds by the first lines of the README.

Not as CSV: `datasets` would read the id 007 as the number 7. Queries and corpus are those of `beir/`.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from release.formats import Files, json_lines, release_format
from release.tables import Row, Tables


@release_format("huggingface")
def huggingface(tables: Tables) -> Files:
    """A file for each facet, so that no label is in two files."""
    labels = sorted(tables.qrels, key=itemgetter("facet", "query", "docno"))
    return {
        f"hf/qrels/{facet or 'all'}.jsonl": json_lines(map(line, some))
        for facet, some in groupby(labels, itemgetter("facet"))
    }


def line(label: Row) -> Row:
    return {"query-id": label["query"], "corpus-id": label["docno"], "score": label["grade"]}


def configs(files: Files) -> list[Row]:
    """The data sets that `datasets` finds: name and, as its only split, name and files."""
    qrels = sorted(name for name in files if name.startswith("hf/qrels/"))
    found: list[Row] = [{"name": "default", "split": "test", "files": qrels}] if qrels else []
    for name in qrels if len(qrels) > 1 else []:
        facet = name.removeprefix("hf/qrels/").removesuffix(".jsonl")
        found.append({"name": f"qrels-{facet}", "split": "test", "files": [name]})
    for name in ("queries", "corpus"):
        if f"beir/{name}.jsonl" in files:
            found.append({"name": name, "split": name, "files": [f"beir/{name}.jsonl"]})
    return found
