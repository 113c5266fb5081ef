"""The names of licences, and where their texts can be read. Pure."""

from __future__ import annotations

# Only identifiers that SPDX lists: a link from any text could lead nowhere.
NAMES = {
    "Apache-2.0": "Apache License 2.0",
    "BSD-3-Clause": "BSD 3-Clause License",
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
    "CC-BY-NC-4.0": "Creative Commons Attribution-NonCommercial 4.0 International",
    "CC-BY-NC-ND-4.0": "Creative Commons Attribution-NonCommercial-NoDerivatives 4.0 International",
    "CC-BY-NC-SA-4.0": "Creative Commons Attribution-NonCommercial-ShareAlike 4.0 International",
    "CC-BY-ND-4.0": "Creative Commons Attribution-NoDerivatives 4.0 International",
    "CC-BY-SA-4.0": "Creative Commons Attribution-ShareAlike 4.0 International",
    "CC0-1.0": "Creative Commons Zero 1.0 Universal",
    "GPL-3.0-only": "GNU General Public License 3.0 only",
    "GPL-3.0-or-later": "GNU General Public License 3.0 or later",
    "MIT": "MIT License",
    "ODC-By-1.0": "Open Data Commons Attribution License 1.0",
    "ODbL-1.0": "Open Data Commons Open Database License 1.0",
    "PDDL-1.0": "Open Data Commons Public Domain Dedication and License 1.0",
}
SPDX_IDENTIFIERS = frozenset(NAMES)


def licence_url(licence: str) -> str:
    """The address of the licence's text at SPDX; "" for a licence that is not in our list."""
    return f"https://spdx.org/licenses/{licence}.html" if licence in SPDX_IDENTIFIERS else ""


def licence_name(licence: str) -> str:
    """The full name of a licence in our list; for other licences, the text itself."""
    return NAMES.get(licence, licence)
