"""Loads the project's templates without their indentation.

Indentation is half of a long page's bytes. The line breaks stay, so that words stay apart and an
error names the right line.
"""

from __future__ import annotations

import re

from django.template import Origin
from django.template.loaders import filesystem

INDENTATION = re.compile(r"^[ \t]+", re.MULTILINE)


class Loader(filesystem.Loader):
    def get_contents(self, origin: Origin) -> str:
        text: str = super().get_contents(origin)
        return INDENTATION.sub("", text) if origin.name.endswith(".html") else text
