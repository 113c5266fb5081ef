"""Uploaded files of judgments, queued as import jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from adjudication.judgment_import import ImportOptions
from adjudication.judgment_import.files import FieldNames
from corpus.uploads import ImportUnderWay
from jobs.models import Job
from jobs.uploads import KeyTaken, enqueue_upload

JUDGMENTS_KIND = "import_judgments"


class JudgmentsUnderWay(ImportUnderWay):
    """Another import of judgments is in progress, which could fill the same slots."""


def request_judgments(
    *,
    collection: Collection,
    uploads: Sequence[UploadedFile[Any]],
    options: ImportOptions,
    requested_by: User,
) -> Job:
    """Store the files and queue their import.

    Raises:
        JudgmentsUnderWay: other judgments of this collection are being imported.
    """
    try:
        return enqueue_upload(
            kind=JUDGMENTS_KIND,
            collection=collection,
            files={"path": uploads},
            parameters=options_as_json(options),
            requested_by=requested_by,
        )
    except KeyTaken as error:
        raise JudgmentsUnderWay(error.job) from error


def options_as_json(options: ImportOptions) -> dict[str, Any]:
    """The options as parameters of a job."""
    names = options.names
    return {
        "query_field": names.query,
        "docno_field": names.docno,
        "annotator_field": names.annotator,
        "grade_field": names.grade,
        "labels": dict(names.labels),
        "prefix": names.prefix,
        "topic_prefix": names.topic_prefix,
        "second_annotator": options.second_annotator,
        "replace_drafts": options.replace_drafts,
        "dry_run": options.dry_run,
    }


def options_from_json(parameters: dict[str, Any]) -> ImportOptions:
    return ImportOptions(
        names=FieldNames(
            query=parameters["query_field"],
            docno=parameters["docno_field"],
            annotator=parameters["annotator_field"],
            grade=parameters["grade_field"],
            labels=parameters["labels"],
            prefix=parameters["prefix"],
            topic_prefix=parameters["topic_prefix"],
        ),
        second_annotator=parameters["second_annotator"],
        replace_drafts=parameters["replace_drafts"],
        dry_run=parameters["dry_run"],
    )
