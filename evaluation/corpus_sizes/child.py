"""The process that measures one retriever: `python -m evaluation.corpus_sizes.child FOLDER NAME`.

See `processes`, which starts it. It needs no database.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from evaluation.corpus_sizes.measuring import measure
from jobs.confinement.child import end_with_worker
from web.errors import UserFacingError

REPORT_SECONDS = 0.5
RESULT, PROGRESS = "result", "progress"


def file_of(folder: Path, kind: str, name: str) -> Path:
    return folder / f"{kind}-{name}.json"


def main(folder_name: str, name: str) -> None:
    end_with_worker()
    folder = Path(folder_name)
    reported = 0.0

    def report(note: str, done: int) -> None:
        nonlocal reported
        if time.monotonic() - reported > REPORT_SECONDS:
            reported = time.monotonic()
            _write(file_of(folder, PROGRESS, name), [note, done])

    try:
        result: object = measure(folder, name, report)
    except (UserFacingError, ValueError) as error:
        result = str(error)
    _write(file_of(folder, RESULT, name), result)


def _write(path: Path, value: object) -> None:
    """The file is complete whenever it is read."""
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(value), encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
