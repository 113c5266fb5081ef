"""The templates can be read: no line is longer than a screen is wide."""

from pathlib import Path

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
LONGEST = 120


def test_no_template_line_is_longer_than_120_characters():
    # djangofmt wraps text and tags, but no template tag and no attribute value.
    too_long = [
        f"{path.relative_to(TEMPLATES)}:{number}: {len(line)} characters"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > LONGEST
    ]

    assert too_long == []
