"""Real data that tests read where it is, and that is never copied into the project: CSFCube and CSAbstruct."""

import os
from pathlib import Path

from django.conf import settings

SHARED = Path(os.environ.get("SHARED_DIR", settings.BASE_DIR.parent / "shared"))
