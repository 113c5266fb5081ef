"""The README's section on loading a release, its texts and its splits. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bundle.content import Content
from bundle.layouts.beir import TEST, loading_code, qrels_file
from bundle.options import Texts
from bundle.snapshot import Snapshot

ABOUT_TEXTS = {
    Texts.POOLED: (
        "The query papers and all candidates are here with their texts: {documents} documents. The "
        "corpus that the candidates were drawn from can be larger."
    ),
    Texts.CORPUS: "The whole corpus is here with its texts: {documents} documents.",
    Texts.NONE: (
        "This release has no texts of documents, only the docnos of {documents} documents in "
        "`documents.txt`. `GET_TEXTS.md` says how to get the texts."
    ),
}


ABOUT_QUERY_TEXTS = """
The text of a query is the title of its query paper and {what}. It
is the same in `trec/`, `beir/` and `hf/`. The query papers are documents too: leave a query paper
out of its own ranking.
"""


ABOUT_LOADING = """
Unpack the zip, and open a terminal in its folder. This works without any other package:

```sh
python -c "print(sum(1 for line in open('trec/qrels.all.txt')), 'labels')"
```

It prints how many labels there are. With [ir_measures](https://ir-measur.es), a run is scored by

```sh
ir_measures trec/qrels.{part}.txt my.run nDCG@20
```

With [ir_datasets](https://ir-datasets.com), and so in PyTerrier as `irds:{name}`:

```python
import ir_datasets
import load_ir_datasets  # a script of this release; it downloads nothing

dataset = ir_datasets.load("{name}{split}")
```
"""


ABOUT_LOADING_BEIR = """
With [BEIR](https://github.com/beir-cellar/beir):

```python
{code}
```
"""


ABOUT_LOADING_HUGGING_FACE = """
With [datasets](https://huggingface.co/docs/datasets), from this folder or from the Hub:

```python
from pathlib import Path

from datasets import load_dataset

folder = str(Path.cwd())  # or the name of a data set on the Hub
qrels = load_dataset(folder, "{config}", split="test")
```

The other configs are in the first lines of this file. Their names are those that MTEB expects.
"""


ABOUT_SPLITS = """
{origin}

A fold tests some of the queries, and all others with a fold are its development set: {sets}, in
`splits.json`, `beir/qrels/` and `hf/`. {figure} The split `test` has every query with a label.
"""


FIGURES = {
    False: "A test figure is the mean over the queries of `fold1_test`.",
    True: "A test figure is the mean of the folds' means.",
}


IMPORTED_FOLDS = "The {number} imported from `{source}`."


MADE_FOLDS = """\
The {number} made from the seed `{source}` by Qrelsmith. No other publication has them, so compare
figures of a fold only with figures of this release."""


def loading_section(content: Content, names: Sequence[str]) -> Iterator[str]:
    """The section on loading; empty for a release without labels, which a test can make."""
    snapshot = content.snapshot
    facet = next(
        (
            facet.key
            for facet in snapshot.collection.facets
            if facet.key and qrels_file(facet.key) in names
        ),
        "",
    )
    places = {
        "part": facet or "all",
        "name": f"{snapshot.collection.slug}-{content.version}",
        "split": f"/{facet}" if facet else "",
        "config": f"{facet}-qrels" if facet else "default",
    }
    yield "## How to load it"
    yield ABOUT_LOADING.format(**places).rstrip()
    if snapshot.options.texts.included:
        yield ABOUT_LOADING_BEIR.format(code=loading_code("beir", facet or TEST)).rstrip()
    yield ABOUT_LOADING_HUGGING_FACE.format(**places)


def texts_section(snapshot: Snapshot) -> Iterator[str]:
    texts = snapshot.options.texts
    yield "## Texts"
    yield ""
    yield ABOUT_TEXTS[texts].format(documents=len(snapshot.documents))
    if texts.included and any(not query.is_topic for query in snapshot.queries):
        what = (
            "the sentences of the query's facet"
            if snapshot.collection.has_facets
            else "all its sentences"
        )
        if snapshot.has_sentence_queries:
            what += ", or for a query by sentences these sentences"
        yield ABOUT_QUERY_TEXTS.format(what=what).rstrip()
    yield ""


def splits_section(snapshot: Snapshot) -> Iterator[str]:
    folds = snapshot.folds
    if not folds.number:
        return
    origin = IMPORTED_FOLDS if folds.imported else MADE_FOLDS
    number = "fold is" if folds.number == 1 else f"{folds.number} folds are"
    last = f" to `fold{folds.number}_dev` and `fold{folds.number}_test`" if folds.number > 1 else ""
    yield "## Splits"
    yield ABOUT_SPLITS.format(
        origin=origin.format(number=number, source=folds.imported_from or folds.seed),
        sets=f"`fold1_dev` and `fold1_test`{last}",
        figure=FIGURES[folds.number > 1],
    )
