"""A made-up collection in Cranfield's own format: lower-case text, and ids that clash."""

from __future__ import annotations

import json
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


def write_importable_collection(folder: Path, *, documents: int, topics: int) -> None:
    """The like in formats that the pages import: `documents.jsonl`, `topics.txt` and `mine.run`.

    Topics have narratives. Document n is relevant to topic n modulo the number of topics. The run
    has ten documents of each topic; the first, third and fifth are relevant.
    """
    chance = random.Random(7)
    themes = [chance.sample(WORDS, 3) for _ in range(topics)]
    lines, runs = [], []
    for number in range(1, documents + 1):
        title = "{} and {} of a {} .".format(*themes[number % topics])
        rest = " ".join(chance.choices(WORDS, k=12))
        record = {"docno": str(number), "title": title, "abstract": f"it is shown .  {rest} ."}
        lines.append(json.dumps(record) + "\n")
    (folder / "documents.jsonl").write_text("".join(lines))
    texts = []
    for topic in range(1, topics + 1):
        title = " ".join(themes[topic % topics])
        narrative = f"a report on the {title} is relevant . " * 8
        texts.append(
            f"<top>\n<num> Number: {topic}\n<title> {title}\n<desc> Description:\nwhat is known of "
            f"the {title} .\n<narr> Narrative:\n{narrative}\n</top>\n"
        )
        relevant = [topic + times * topics for times in range(5)]
        others = [number % documents + 1 for number in relevant]
        ranked = [docno for couple in zip(relevant, others, strict=True) for docno in couple]
        for rank, docno in enumerate(ranked, start=1):
            runs.append(f"{topic} Q0 {docno} {rank} {1 / rank} mine\n")
    (folder / "topics.txt").write_text("".join(texts))
    (folder / "mine.run").write_text("".join(runs))


def is_relevant(topic: str, docno: str, *, topics: int) -> bool:
    return (int(docno) - int(topic)) % topics == 0
