"""The queues of jobs, so that no page waits behind a build. ADR 87 has the reasons.

A kind of jobs names its queue. A worker takes jobs from all queues, unless Celery's option
`--queues` names some.
"""

from __future__ import annotations

from enum import StrEnum

from celery import current_app


class JobQueue(StrEnum):
    SHORT = "short"  # a page waits for it: reports, openings
    LONG = "long"  # minutes or hours
    MEMORY = "memory"  # imports and indexes: gigabytes, too

    def name_in(self, installation: str) -> str:
        """Its name at the broker. The short one has the name that was of all jobs before."""
        return installation if self is JobQueue.SHORT else f"{installation}-{self}"

    @property
    def name_at_broker(self) -> str:
        return self.name_in(current_app.conf.task_default_queue)


def queues_of_worker() -> set[JobQueue]:
    """The queues that this worker takes jobs from.

    All, if it takes from none of this installation: then it counts the jobs that it never gets.
    """
    taken = current_app.amqp.queues.consume_from
    return {queue for queue in JobQueue if queue.name_at_broker in taken} or set(JobQueue)
