"""Open queries for a team of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import JUDGES, Collection, User
from annotation import team
from annotation.qualifications.standing import adjudicating_seniors
from annotation.services import UncheckedLabels
from annotation.unchecked_labels import names_with_unchecked_labels
from corpus.models import Query
from jobs.context import DirectRun
from web.words import count_noun


class Command(ProjectCommand):
    help = "Open queries for judging. Each gets two of the annotators; their work is shared evenly."
    stage = "Judging"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--queries", nargs="+", metavar="QUERY", help="Ids of queries.")
        which.add_argument(
            "--all", action="store_true", help="All queries that have a pool and are not open."
        )
        parser.add_argument(
            "--annotators",
            nargs="+",
            metavar="USERNAME",
            help="At least two annotators of the collection (default: all but its seniors).",
        )
        parser.add_argument(
            "--unchecked-labels",
            action="store_true",
            help="Open although query papers have predicted labels that no person has checked.",
        )

        parser.add_argument(
            "--senior-reason",
            default="",
            metavar="REASON",
            help="Why a senior judges, in a collection where seniors adjudicate. It is kept.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        unchecked_labels = options["unchecked_labels"]
        queries = _queries(collection, options["queries"])
        if options["all"] and not unchecked_labels:
            queries = self._with_checked_labels(queries)
        annotators = _annotators(collection, options["annotators"])
        plan = team.plan_opening(
            collection=collection,
            queries=queries,
            annotators=annotators,
            unchecked_labels=unchecked_labels,
            senior_reason=options["senior_reason"],
        )
        for row in plan.rows:
            self.stdout.write(
                f"{row.annotator.username}: {count_noun(row.queries, 'query', 'queries')}, "
                f"{count_noun(row.pairs, 'pair')}; {row.left_after:,} left to judge then"
            )
        if options["dry_run"]:
            return
        opened = team.open_as_planned(
            collection=collection,
            assignments=plan.assignments,
            opened_by=None,
            work=DirectRun(),
            unchecked_labels=unchecked_labels,
            senior_reason=options["senior_reason"],
        )["opened"]
        self.stdout.write(f"{collection.slug}: {count_noun(opened, 'query', 'queries')} opened.")

    def _with_checked_labels(self, queries: list[Query]) -> list[Query]:
        unchecked = set(names_with_unchecked_labels(queries))
        if len(unchecked) == len(queries):
            raise CommandError(str(UncheckedLabels(sorted(unchecked))))
        if unchecked:
            self.stdout.write(
                f"Left out, because predicted labels are not checked: "
                f"{count_noun(len(unchecked), 'query', 'queries')}. Check them on the page Check "
                "labels, or add --unchecked-labels."
            )
        return [query for query in queries if query.name not in unchecked]


def _queries(collection: Collection, names: Sequence[str] | None) -> list[Query]:
    closed = collection.queries.filter(opening=None)
    if names is None:
        queries = list(closed.filter(query_paper__pool__to_judge__gt=0))
        if not queries:
            raise CommandError(f"{collection.slug} has no query with a pool that is not open.")
        return queries
    queries = list(closed.filter(name__in=names))
    unknown = sorted(set(names) - {query.name for query in queries})
    if unknown:
        raise CommandError(f"No such query, or it is open already: {', '.join(unknown)}.")
    return queries


def _annotators(collection: Collection, usernames: Sequence[str] | None) -> list[User]:
    people = User.objects.filter(
        is_active=True, memberships__collection=collection, memberships__role__in=JUDGES
    )
    if usernames is None:
        return list(people.exclude(pk__in=adjudicating_seniors(collection)))
    found = list(people.filter(username__in=usernames))
    unknown = sorted(set(usernames) - {user.username for user in found})
    if unknown:
        raise CommandError(f"No annotator of {collection.slug}: {', '.join(unknown)}.")
    return found
