from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.forms import CollectionForm
from accounts.models import FACETS, GRADES, Collection, User
from accounts.services import create_collection


class Command(BaseCommand):
    help = "Create a collection, with a person as its admin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="its short name, such as csfcube")
        parser.add_argument("--name", required=True)
        parser.add_argument("--admin", required=True, help="a username")
        parser.add_argument("--facets", default=",".join(FACETS), help="names with commas; empty for ordinary topics")
        parser.add_argument("--licence", default="", help="of the judgments, such as CC-BY-4.0")

    def handle(self, *, slug: str, name: str, admin: str, facets: str, licence: str, **options: Any) -> None:
        user = User.objects.filter(username=admin).first()
        if user is None:
            raise CommandError(f"There is no user {admin!r}. Make one with createsuperuser.")
        made = Collection()
        values = {"slug": slug, "name": name, "licence": licence, "facets": facets.replace(",", "\n")}
        defaults = {"grades": "\n".join(GRADES), "relevant_from": made.relevant_from, "seed": made.seed}
        form = CollectionForm(values | defaults)
        if not form.is_valid():
            raise CommandError(" ".join(f"{field}: {errors.as_text()}" for field, errors in form.errors.items()))
        create_collection(by=user, **form.cleaned_data)
        print(f"{slug} is created. {admin} is its admin.")
