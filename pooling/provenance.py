"""Names for the origin of candidates that no run gave. Pure."""

from __future__ import annotations

# The source of candidates, and of the manifest, in pools made of documents judged elsewhere.
IMPORTED = "imported"
