"""The job that draws a sample."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile

from accounts.models import Collection, User
from curation.samples.exclusions import docnos_of_samples, read_exclusions
from curation.samples.services import (
    Exclusions,
    SamplePlan,
    check_name,
    draw_sample,
    stratification_of,
)
from curation.samples.strata import SampleError
from jobs import registry
from jobs.lease import Lease
from jobs.models import Job
from jobs.services import enqueue
from jobs.uploaded_files import place_of
from jobs.uploads import KeyTaken, enqueue_upload

JOB_KIND = "sample_papers"


class SampleUnderWay(SampleError):
    """Another sample of the collection is being drawn."""

    status = 409

    def __init__(self) -> None:
        super().__init__(
            "Another sample is being drawn, so nothing was started. Wait until that job is done."
        )


@registry.handles(
    JOB_KIND, title="Draw a sample", page="samples", reads=("path",), form="draw-sample"
)
def run_sample_papers(lease: Lease) -> None:
    """Parameters: `name`, `plan` as of SamplePlan, and perhaps an uploaded list of exclusions."""
    parameters = lease.parameters
    path = place_of(parameters) if "path" in parameters else None
    filename = parameters.get("filename", "")
    draw_sample(
        collection=lease.collection,
        name=parameters["name"],
        plan=SamplePlan.of(parameters["plan"]),
        work=lease,
        exclusions=Exclusions(read_exclusions(path, filename), filename),
        created_by=lease.requester,
    )


def request_sample(
    *,
    collection: Collection,
    name: str,
    plan: SamplePlan,
    requested_by: User,
    upload: UploadedFile[Any] | None = None,
) -> Job:
    """Queue the job that draws the sample. `upload` is a list of exclusions.

    Raises:
        SampleError: the plan or the name is invalid, or a sample has the name.
        SampleUnderWay: another sample of this collection is being drawn.
        NoRoom: the disk is full or read-only.
    """
    check_name(collection, name)
    stratification_of(collection, plan)
    docnos_of_samples(collection, plan.without)
    parameters = {"name": name, "plan": plan.values}
    if upload is None:
        job = enqueue(
            kind=JOB_KIND, collection=collection, parameters=parameters, requested_by=requested_by
        )
        if job.parameters != parameters:
            raise SampleUnderWay
        return job
    try:
        return enqueue_upload(
            kind=JOB_KIND,
            collection=collection,
            files={"path": upload},
            parameters=parameters,
            requested_by=requested_by,
        )
    except KeyTaken as error:
        raise SampleUnderWay from error
