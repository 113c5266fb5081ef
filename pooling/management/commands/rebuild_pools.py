from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Collection
from pooling.manifest import first_difference


class Command(BaseCommand):
    help = "Draw every frozen pool again from the stored lists, and name the first difference."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("collection", help="its short name, such as csfcube")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = Collection.objects.filter(slug=options["collection"]).first()
        if collection is None:
            raise CommandError(f"There is no collection {options['collection']!r}.")
        identical = imported = 0
        for pool_set in collection.pool_sets.frozen().order_by("frozen_at"):
            if not pool_set.plan:
                imported += pool_set.pools.count()
                continue
            if difference := first_difference(pool_set):
                raise CommandError(f"Round {pool_set.round}: {difference}")
            identical += pool_set.pools.count()
        self.stdout.write(f"Identical pools: {identical}")
        if imported:
            self.stdout.write(f"Imported pools, which were not drawn here: {imported}")
