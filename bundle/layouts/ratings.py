"""`annotations/`: what people said, under pseudonyms.

The files are written query by query, so no more than one query's records are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.names import ADJUDICATIONS, HELP_REQUESTS, PROPOSALS, QUESTIONS, RATINGS
from bundle.records import Adjudication, AdvisedJudgment, ProposedGrade, Rating
from bundle.zip.draft_files import DraftFolder

FILES = (
    FileNote(RATINGS, "what each of the two annotators said of a pair"),
    FileNote(ADJUDICATIONS, "how the disputed pairs were decided"),
    FileNote(
        QUESTIONS, "the pairs that both annotators were asked about, with their grades before"
    ),
    FileNote(HELP_REQUESTS, "judgments made after an admin's answer about their pair"),
    FileNote(PROPOSALS, "first grades of annotators, and the grade that the shared steps suggest"),
)


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    if snapshot.of_citations:
        return {}
    files: Files = {
        RATINGS: folder.write(
            _csv(
                partial(formats.write_ratings, with_rounds=bool(snapshot.rounds)), snapshot.ratings
            )
        ),
        ADJUDICATIONS: folder.write(_csv(formats.write_adjudications, snapshot.adjudications)),
    }
    if snapshot.proposals:
        files[PROPOSALS] = formats.write_csv(ProposedGrade._fields, snapshot.proposals)
    if snapshot.advised:
        files[HELP_REQUESTS] = formats.write_csv(AdvisedJudgment._fields, snapshot.advised)
    rows = [(pair.query, pair.docno, *pair.before) for pair in snapshot.pairs if pair.before]
    if not rows:
        return files
    table = formats.write_csv(("query", "docno", "grade_1", "grade_2"), rows)
    return {**files, QUESTIONS: table}


def _csv(write: Callable[..., bytes], records: Iterable[Rating | Adjudication]) -> Iterator[bytes]:
    """The header, and then the records of each query."""
    yield write((), header=True)
    for _, some in groupby(records, attrgetter("query")):
        yield write(some, header=False)
