from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from accounts.commands import ProjectCommand
from accounts.personal_data import erasures
from web.stored_files import StorageFailed, finished_below, share
from web.words import count_noun


class Command(ProjectCommand):
    help = "Move uploads, releases and erasures of this machine to FILES_BUCKET."
    stage = "Settings"
    takes_collection = False
    plans = True

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.FILES_BUCKET:
            raise CommandError("Set FILES_BUCKET first. Nothing was changed.")
        folders = (settings.UPLOAD_DIR, settings.RELEASE_DIR, erasures.folder())
        paths = [path for folder in folders for path in finished_below(Path(folder))]
        moved = 0
        try:
            for path in () if options["dry_run"] else paths:
                share(path)
                moved += 1
        except StorageFailed as error:
            raise CommandError(f"{error} {count_noun(moved, 'file')} had been moved.") from error
        verb = "Would move" if options["dry_run"] else "Moved"
        self.stdout.write(f"{verb} {count_noun(len(paths), 'file')} to {settings.FILES_BUCKET}.")
