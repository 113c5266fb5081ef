"""The check for reports of planning that are due. Importing it registers them, too."""

from __future__ import annotations

from jobs.registry import due_check
from planning.yields.report import request_due_yields

due_check(request_due_yields)
