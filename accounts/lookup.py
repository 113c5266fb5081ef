"""Look up the collection that a command names."""

from __future__ import annotations

from django.core.management.base import CommandError

from accounts.models import Collection


def collection_named(slug: str) -> Collection:
    """The collection with that short name.

    Raises:
        CommandError: it does not exist. The message lists the existing ones.
    """
    collections = Collection.objects.finished()
    collection = collections.filter(slug=slug).first()
    if collection is None:
        slugs = ", ".join(collections.values_list("slug", flat=True)) or "none yet"
        raise CommandError(
            f"No collection {slug!r}. Existing collections: {slugs}. "
            "Create one with: manage.py create_collection SLUG --name NAME --admin USERNAME"
        )
    return collection
