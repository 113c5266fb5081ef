"""Everything that writes shadow judges: import, family and removal."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypedDict

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Pair
from corpus.digests import canonical_json
from corpus.documents.import_meter import meter_for
from corpus.state import corpus_docnos
from database.bulk import insert_rows
from evaluation.shadow_judges.asking.models import ModelAnswer
from evaluation.shadow_judges.formats import LabelFormatError, LabelLine, read_labels
from evaluation.shadow_judges.models import ShadowJudge, ShadowLabel
from evaluation.shadow_judges.worth.reading import drawing_sources
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload
from retrieval.families import CITATION, DENSE, LEXICAL
from web.errors import UserFacingError

IMPORT_KIND, COMPARISON_KIND = "import_shadow_judge", "compare_shadow_judge"
NAME = r"[\w.-]+"
LONGEST_NAME, LONGEST_MODEL, LONGEST_TEXT = 60, 200, 20_000
EXAMPLES = 5  # ids that a report names for each reason
READ_TOGETHER = 200  # queries

# The reasons why a line has no stored label, in the words of the page.
OMISSIONS = {
    "unknown_queries": "the query is not in the collection",
    "unopened_queries": "the query is not open for judging",
    "unknown_documents": "the document is not in the corpus",
    "not_pooled": "the document is not judged for this query",
    "repeated": "the same label again",
}


class ShadowJudgeError(UserFacingError):
    """A request about a shadow judge that cannot be met."""


class InvalidLabels(ShadowJudgeError):
    """The file of labels cannot be used."""


class UnknownShadowJudge(ShadowJudgeError):
    """The collection has no shadow judge of that name."""

    status: ClassVar[int] = 404

    def __init__(self, collection: Collection, name: str) -> None:
        names = ", ".join(collection.shadow_judges.values_list("name", flat=True)) or "none yet"
        super().__init__(f'{collection.slug} has no shadow judge "{name}". It has: {names}.')


class ShadowNameTaken(ShadowJudgeError):
    """The collection has a shadow judge of that name."""

    status: ClassVar[int] = 409

    def __init__(self, name: str) -> None:
        super().__init__(
            f'There is a shadow judge "{name}" already, so nothing was stored. Choose another '
            "name, or delete that shadow judge first."
        )


class ShadowJudgeUnderWay(ShadowJudgeError):
    """A file is being imported under the same name."""

    status: ClassVar[int] = 409

    def __init__(self, name: str) -> None:
        super().__init__(
            f'Another file is being imported as "{name}". Wait until that import is done, or '
            "choose another name."
        )


@dataclass(frozen=True)
class Description:
    """The description of a shadow judge: its name, model and prompt, and the date of labelling."""

    name: str
    model: str = ""
    prompt: str = ""
    description: str = ""
    labelled_on: date | None = None

    def as_json(self) -> dict[str, object]:
        """As the parameters of a job."""
        labelled_on = self.labelled_on and self.labelled_on.isoformat()
        return {**vars(self), "labelled_on": labelled_on}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Description:
        labelled_on = values.get("labelled_on")
        return cls(
            **{key: values.get(key, "") for key in ("name", "model", "prompt", "description")},
            labelled_on=date.fromisoformat(labelled_on) if labelled_on else None,
        )


class UnknownFamily(ShadowJudgeError):
    """No family of sources has this name."""

    def __init__(self, family: str, known: Sequence[str]) -> None:
        super().__init__(f'Unknown family "{family}". Use one of: {", ".join(known)}; or nothing.')


class OmittedLines(TypedDict):
    lines: int
    examples: list[str]


@dataclass
class Omissions:
    """The number of lines without a stored label, by reason, and the first ids of each."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, reason: str, *ids: str, lines: int = 1) -> None:
        self.counts[reason] += lines
        for name in ids:
            if len(self.examples[reason]) < EXAMPLES:
                self.examples[reason][name] = None

    def as_json(self) -> dict[str, OmittedLines]:
        return {
            reason: {"lines": self.counts[reason], "examples": list(self.examples[reason])}
            for reason in OMISSIONS
            if self.counts[reason]
        }


def check_description(about: Description) -> None:
    """Raise ShadowJudgeError for an invalid name, or for a text that is too long."""
    if not re.fullmatch(NAME, about.name) or len(about.name) > LONGEST_NAME:
        raise ShadowJudgeError(
            f'Invalid name "{about.name}". Use up to {LONGEST_NAME} letters, digits, "-", "_" '
            'and ".", for example "gpt-4o-zero-shot".'
        )
    if len(about.model) > LONGEST_MODEL:
        raise ShadowJudgeError(f"The model must have at most {LONGEST_MODEL} characters.")
    for text in (about.prompt, about.description):
        if len(text) > LONGEST_TEXT:
            raise ShadowJudgeError(
                f"A prompt or description must have at most {LONGEST_TEXT:,} characters, got "
                f"{len(text):,}. Shorten it, or write where the whole text is."
            )


def request_shadow_judge(
    *,
    collection: Collection,
    about: Description,
    upload: UploadedFile[Any],
    requested_by: User | None,
) -> Job:
    """Store the file and queue its import.

    Raises:
        ShadowNameTaken, ImportUnderWay: the name is in use.
        ShadowJudgeError: the name is invalid, or a text is too long.
        NoRoom: the disk is full.
    """
    check_description(about)
    if collection.shadow_judges.filter(name=about.name).exists():
        raise ShadowNameTaken(about.name)
    try:
        return enqueue_upload(
            kind=IMPORT_KIND,
            collection=collection,
            files={"path": upload},
            parameters=about.as_json(),
            requested_by=requested_by,
            key=f"{IMPORT_KIND}:{about.name}",
        )
    except KeyTaken as error:
        raise ShadowJudgeUnderWay(about.name) from error


def import_shadow_judge(
    *,
    collection: Collection,
    path: Path,
    filename: str,
    about: Description,
    imported_by: User | None = None,
    work: JobContext | None = None,
) -> ShadowJudge:
    """Import the labels of a model, under a name. All of the file is imported, or nothing.

    Lines whose pair is not open for judging in this collection are left out and counted.

    Raises:
        InvalidLabels: a line is invalid, one pair has two grades, or no label is left.
        ShadowNameTaken: the collection has a shadow judge of that name.
        ShadowJudgeError: the name is invalid, or a text is too long.
        CollectionArchived
    """
    work = work or DirectRun()
    check_description(about)
    omissions = Omissions()
    labels = _read(collection, path, filename, omissions, work)
    rows = list(_stored_rows(collection, labels, omissions, work))
    if not rows:
        raise InvalidLabels(_nothing_left(collection, filename, labels, omissions))
    judge = ShadowJudge(
        collection=collection,
        **vars(about),
        filename=filename[:300],
        labels_count=len(rows),
        omitted=omissions.as_json(),
        sha256=_digest(rows),
        imported_by=imported_by,
    )
    try:
        with work.fenced():
            lock_collection(collection)
            judge.save()
            # An opened query, its pairs and the scale never change, so the rows are still valid.
            insert_rows(
                ShadowLabel,
                ["shadow_judge", "pair", "grade"],
                ((judge.pk, pair, grade) for _, _, pair, grade in rows),
            )
            work.complete(import_result(judge))
    except IntegrityError as error:
        if ShadowJudge.objects.filter(collection=collection, name=about.name).exists():
            raise ShadowNameTaken(about.name) from error
        raise
    return judge


def family_names(collection: Collection) -> list[str]:
    """The families that a shadow judge can have: of sources, and each source that drew."""
    families = (LEXICAL, DENSE, CITATION)
    return [*families, *(name for name in drawing_sources(collection) if name not in families)]


def name_family(*, collection: Collection, name: str, family: str) -> ShadowJudge:
    """Name the family of sources that are made like the model; "" if there is none.

    A report has the preferences for all families, so none becomes out of date.

    Raises:
        UnknownShadowJudge: it was deleted meanwhile.
        UnknownFamily
        CollectionArchived
    """
    with transaction.atomic():
        lock_collection(collection)
        judge = shadow_judge_named(collection, name)
        known = family_names(collection)
        if family and family not in known:
            raise UnknownFamily(family, known)
        judge.family = family
        judge.save(update_fields=["family"])
        return judge


def shadow_judge_named(collection: Collection, name: str) -> ShadowJudge:
    """Raises UnknownShadowJudge."""
    judge = collection.shadow_judges.filter(name=name).first()
    if judge is None:
        raise UnknownShadowJudge(collection, name)
    return judge


def import_result(judge: ShadowJudge) -> dict[str, object]:
    """The result of the job, as its card shows it."""
    omitted = {reason: entry["lines"] for reason, entry in judge.omitted.items()}
    return {"shadow_judge": judge.name, "labels": judge.labels_count, **omitted}


def delete_shadow_judge(*, collection: Collection, name: str) -> None:
    """Delete the shadow judge with its labels, answers and reports.

    Raises:
        UnknownShadowJudge: it was deleted meanwhile.
        CollectionArchived
    """
    with transaction.atomic():
        lock_collection(collection)
        judge = shadow_judge_named(collection, name)
        collection.stored_reports.filter(parameters__shadow_judge=name).delete()
        # Without Django's collector, which would load every label.
        for rows in (ShadowLabel.objects, ModelAnswer.objects):
            of_judge = rows.filter(shadow_judge=judge).order_by()
            of_judge._raw_delete(of_judge.db)
        judge.delete()


Labels = dict[str, dict[str, LabelLine]]  # by query and docno


def _read(
    collection: Collection, path: Path, filename: str, omissions: Omissions, work: JobContext
) -> Labels:
    meter = meter_for(work, size=path.stat().st_size, note="reading labels")
    labels: Labels = {}
    try:
        for line in read_labels(path, name=filename, highest=collection.highest_grade, meter=meter):
            earlier = labels.setdefault(line.query, {}).setdefault(line.docno, line)
            if earlier is line:
                continue
            if earlier.grade != line.grade:
                raise InvalidLabels(
                    f"{filename}:{line.number}: {line.docno} has grade {line.grade} for "
                    f"{line.query}, but grade {earlier.grade} in line {earlier.number}. Keep one "
                    "label for each pair."
                )
            omissions.add("repeated", line.docno)
    except LabelFormatError as error:
        raise InvalidLabels(str(error)) from error
    return labels


def _stored_rows(
    collection: Collection, labels: Labels, omissions: Omissions, work: JobContext
) -> Iterator[tuple[str, str, int, int]]:
    """(query, docno, pair, grade) of the labels whose pair is open for judging, in that order."""
    names = iter(sorted(labels))
    done = 0
    while batch := list(islice(names, READ_TOGETHER)):
        queries = collection.queries.filter(name__in=batch)
        opened = dict(queries.values_list("name", "opening"))
        pairs: dict[str, dict[str, int]] = defaultdict(dict)
        for name, docno, pair in (
            Pair.objects.filter(query__in=queries)
            .order_by()
            .values_list("query__name", "candidate__document__docno", "pk")
        ):
            pairs[name][docno] = pair
        without_pair = {docno for name in batch for docno in labels[name].keys() - pairs[name]}
        known = corpus_docnos(collection, without_pair)
        for name in batch:
            if opened.get(name) is None:
                reason = "unopened_queries" if name in opened else "unknown_queries"
                omissions.add(reason, name, lines=len(labels[name]))
                continue
            for docno, line in sorted(labels[name].items()):
                if docno in pairs[name]:
                    yield name, docno, pairs[name][docno], line.grade
                else:
                    omissions.add("not_pooled" if docno in known else "unknown_documents", docno)
        done += len(batch)
        work.progress(done, len(labels), "looking up pairs")


def _digest(rows: list[tuple[str, str, int, int]]) -> str:
    sha256 = hashlib.sha256()
    for query, docno, _, grade in rows:
        sha256.update(canonical_json([query, docno, grade]))
    return sha256.hexdigest()


def _nothing_left(
    collection: Collection, filename: str, labels: Labels, omissions: Omissions
) -> str:
    reasons = "; ".join(
        f"{OMISSIONS[reason]}: {entry['lines']:,} (such as {entry['examples'][0]})"
        for reason, entry in omissions.as_json().items()
    )
    return (
        f"{filename}: none of its labels is for a pair that is judged in {collection.slug}. "
        f"{reasons}. Use the ids of this collection’s qrels, and open its queries first."
    )
