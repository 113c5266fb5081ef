"""Where the text of a licence can be read. Pure."""

from __future__ import annotations

# Only identifiers that SPDX lists: a link from any text could lead nowhere.
SPDX_IDENTIFIERS = frozenset(
    {
        "Apache-2.0",
        "BSD-3-Clause",
        "CC-BY-4.0",
        "CC-BY-NC-4.0",
        "CC-BY-NC-ND-4.0",
        "CC-BY-NC-SA-4.0",
        "CC-BY-ND-4.0",
        "CC-BY-SA-4.0",
        "CC0-1.0",
        "GPL-3.0-only",
        "GPL-3.0-or-later",
        "MIT",
        "ODC-By-1.0",
        "ODbL-1.0",
        "PDDL-1.0",
    }
)


def licence_url(licence: str) -> str:
    """The address of the licence's text at SPDX; "" for a licence that is not in our list."""
    return f"https://spdx.org/licenses/{licence}.html" if licence in SPDX_IDENTIFIERS else ""
