"""The documentation site: `make docs` builds it with Sphinx and fails on any broken link."""

from __future__ import annotations

project = "Qrelsmith"
copyright = "the authors of Qrelsmith; GPL-3.0-or-later"  # noqa: A001 - the name Sphinx reads

extensions = ["myst_parser"]
myst_heading_anchors = 4  # links such as pooling.md#strategies
myst_links_external_new_tab = False
# JSON Lines has no lexer of its own; the blocks of docs/manifest.md name their file after it.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "Qrelsmith"
html_favicon = "../static/img/icon.svg"
html_static_path = ["site"]
html_css_files = ["site.css"]  # the tokens of static/css/qrelsmith.css
html_copy_source = False
html_show_sphinx = False
