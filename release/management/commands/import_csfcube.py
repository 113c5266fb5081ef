"""manage.py import_csfcube csfcube path/to/CSFCube --admin ann"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import Collection, User
from release.csfcube import import_csfcube
from release.management.commands import import_release


class Command(import_release.Command):
    help = "Make a collection of a checkout of CSFCube's release, with its pools, judgments and labels."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the short name of the new collection")
        parser.add_argument("path", type=Path, metavar="folder")
        parser.add_argument("--admin", default="", help="username of its admin; without one, only superusers see it")

    def make(self, *, path: Path, slug: str, admin: User | None, **options: Any) -> Collection:
        return import_csfcube(folder=path, slug=slug, admin=admin)
