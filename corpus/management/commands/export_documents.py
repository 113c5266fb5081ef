"""Write the documents of a collection as the import reads them."""

from __future__ import annotations

from typing import Any

from accounts.commands import ProjectCommand
from corpus.documents.export import document_lines


class Command(ProjectCommand):
    help = "Write every document as a line of JSON, as import_documents reads it."
    stage = "Corpus"
    writes = False

    def handle(self, *args: Any, **options: Any) -> None:
        for line in document_lines(options["collection"]):
            self.stdout.write(line)
