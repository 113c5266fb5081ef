"""Finding what a command names, or saying clearly that it is not there."""

from __future__ import annotations

from django.core.management.base import CommandError

from accounts.models import Collection


def collection_named(slug: str) -> Collection:
    """The collection of that short name.

    Raises:
        CommandError: there is none; the message lists those that exist.
    """
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        known = ", ".join(Collection.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(
            f"No collection {slug!r}; there is: {known}. "
            "Make one with: manage.py create_collection SLUG --name NAME --admin USERNAME"
        )
    return collection
