"""A made-up collection in Cranfield's own format: lower-case text, and ids that clash."""

from __future__ import annotations

import random
from pathlib import Path

DOCUMENTS, TOPICS = 1_400, 225
WORDS = (
    *("lift", "drag", "wing", "slipstream", "boundary", "layer", "shock", "wave", "cone"),
    *("plate", "flutter", "heat", "laminar", "supersonic", "blunt", "nozzle", "buckling"),
)


def write_classic_collection(folder: Path) -> None:
    """`cran.all.1400`, `cran.qry` and `cranqrel`: what a reader of the docs downloads."""
    chance = random.Random(7)
    themes = [chance.sample(WORDS, 3) for _ in range(TOPICS)]
    documents = []
    for number in range(1, DOCUMENTS + 1):
        theme = themes[number % TOPICS]
        title = f"on the {theme[0]} of a {theme[1]} ."
        rest = " ".join(chance.choices(WORDS, k=12))
        text = f"{title}\nthe {theme[2]} is measured .  it is compared with {rest} ."
        documents.append(f".I {number}\n.T\n{title}\n.A\nnoname\n.B\nj. ae. scs.\n.W\n{text}\n")
    (folder / "cran.all.1400").write_text("".join(documents))
    # The numbers of the questions have gaps, and the relevance file counts the questions.
    questions = [
        f".I {3 * number:03}\n.W\nwhat is known of the {' and the '.join(theme)} .\n"
        for number, theme in enumerate(themes, start=1)
    ]
    (folder / "cran.qry").write_text("".join(questions))
    relevance = [
        f"{number} {docno} {1 + docno % 4}\n"
        for number in range(1, TOPICS + 1)
        for docno in range(number, DOCUMENTS + 1, TOPICS)
        if docno % TOPICS == number % TOPICS
    ]
    (folder / "cranqrel").write_text("".join(relevance))
