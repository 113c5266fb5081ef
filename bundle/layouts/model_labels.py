"""`model_labels/`: the labels of models that the publisher chose, apart from all others.

They never count as labels. Each name of a file and each column of a grade says that a model gave
it, and no other file of a release has a label of a model.
"""

from __future__ import annotations

from collections.abc import Iterator

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.names import RATINGS
from bundle.reading.opened import BundleError, read_json, read_lines
from bundle.records import ReleasedModel
from bundle.verification.data import ReleaseData
from bundle.verification.failures import CannotCheck, Failure
from bundle.verification.label_copies import read_grade
from bundle.zip.draft_files import DraftFolder

FOLDER = "model_labels/"
ABOUT = "model_labels/model_labels.json"
COLUMNS = ("query", "docno", "model", "model_grade")
LEAST_COMPARED = 100  # of fewer pairs, the same grades of a person and a model may be chance


def labels_file(name: str) -> str:
    return f"{FOLDER}model_labels.{name}.tsv"


FILES = (
    FileNote(
        ABOUT,
        "the models whose labels are in this folder: what they were asked, and how many answers "
        "had no grade",
    ),
    FileNote(
        labels_file("<model>"),
        "the labels of a model, which never count: `query`, `docno`, `model`, `model_grade`",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    models = content.snapshot.models
    if not models:
        return {}
    files: Files = {labels_file(model.name): folder.write(_lines(model)) for model in models}
    about = [{"name": model.name, "labels": len(model.labels), **model.about} for model in models]
    return {ABOUT: formats.write_json({"never_count_as_labels": True, "models": about}), **files}


def _lines(model: ReleasedModel) -> Iterator[bytes]:
    yield "\t".join(COLUMNS).encode() + b"\n"
    for label in model.labels:
        yield f"{label.query}\t{label.docno}\t{model.name}\t{label.grade}\n".encode()


def check(data: ReleaseData) -> Iterator[Failure]:
    """The folder has the labels of exactly the models of the manifest, and no person has them."""
    named = set(data.manifest.options.model_labels)
    found = {name for name in data.bundle.names if name.startswith(FOLDER)}
    if not named and not found:
        raise CannotCheck("the release has no labels of models")
    expected = {ABOUT, *map(labels_file, named)}
    for name in sorted(expected - found):
        yield Failure(name, None, "is missing.")
    for name in sorted(found - expected):
        yield Failure(name, None, "is not one of the models in manifest.json.")
    if ABOUT in found:
        yield from _wrong_about(data, named)
    for name in sorted(named):
        if labels_file(name) in found:
            yield from _wrong_labels(data, name)


def _wrong_about(data: ReleaseData, named: set[str]) -> Iterator[Failure]:
    about = read_json(data.bundle, ABOUT)
    models = about.get("models") if isinstance(about, dict) else None
    if not isinstance(models, list) or about.get("never_count_as_labels") is not True:
        yield Failure(ABOUT, None, "must say that the labels of its models never count.")
        return
    if {model.get("name") for model in models if isinstance(model, dict)} != named:
        yield Failure(ABOUT, None, "must name the models in manifest.json.")


def _wrong_labels(data: ReleaseData, name: str) -> Iterator[Failure]:
    file = labels_file(name)
    labels: dict[tuple[str, str], int] = {}
    lines = read_lines(data.bundle, file)
    if next(lines, (1, ""))[1].split("\t") != list(COLUMNS):
        yield Failure(file, 1, f"must be the columns {', '.join(COLUMNS)}.")
        return
    for line, text in lines:
        cells = text.split("\t")
        if len(cells) != len(COLUMNS):
            yield Failure(file, line, f"must have {len(COLUMNS)} columns, got {len(cells)}.")
            continue
        query, docno, model, grade = cells
        if model != name:
            yield Failure(file, line, f"{model!r} is not the model of this file.")
        if query not in data.queries:
            yield Failure(file, line, f"the query {query!r} is unknown.")
        if docno not in data.docnos:
            yield Failure(file, line, f"the document {docno!r} is unknown.")
        if (query, docno) in labels:
            yield Failure(file, line, f"{query} {docno} has a second label.")
        try:
            labels[query, docno] = read_grade(grade, file, line)
        except BundleError as error:
            yield Failure(error.file, error.line, error.reason)
            continue
        if labels[query, docno] > data.manifest.highest_grade:
            yield Failure(file, line, f"the grade {grade} is not on the scale.")
    yield from _people_who_are_the_model(data, name, labels)


def are_copies(compared: int, same: int, kinds: int) -> bool:
    """Return whether the grades of a person are those of a model.

    `compared` pairs have a grade of both, `same` have the same one, and the model gave `kinds`
    different grades to them. A model that always gives one grade proves nothing.
    """
    return compared >= LEAST_COMPARED and compared == same and kinds > 1


def _people_who_are_the_model(
    data: ReleaseData, name: str, labels: dict[tuple[str, str], int]
) -> Iterator[Failure]:
    """Annotators of the ratings with the name or with all the labels of the model."""
    compared: dict[str, list[tuple[int, int]]] = {}
    for query, judged_pairs in data.ratings.items():
        for docno, judged in judged_pairs.items():
            for judgment in judged.judgments:
                grades = compared.setdefault(judgment.annotator, [])
                if (query, docno) in labels and judgment.grade is not None:
                    grades.append((labels[query, docno], judgment.grade))
    for annotator, grades in sorted(compared.items()):
        same = sum(first == second for first, second in grades)
        if annotator == name:
            yield Failure(RATINGS, None, f"{annotator} is the name of a model.")
        elif are_copies(len(grades), same, len({first for first, _ in grades})):
            yield Failure(
                RATINGS,
                None,
                f"all {same} judgments of {annotator} are the labels of the model {name}. "
                "Labels of a model must not be in ratings, splits or qrels.",
            )
