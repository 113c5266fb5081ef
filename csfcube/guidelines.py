"""The guideline of the imported collection: a pointer to CSFCube's own."""

from __future__ import annotations

from annotation.models import GuidelineText

CSFCUBE_GUIDELINE = "ann_guidelines.pdf in https://github.com/iesl/CSFCube"

# The names that CSFCube gives the grades, 0 first.
NAMES = ("Unrelated", "Related", "Similar", "Near identical")


def csfcube_guideline() -> GuidelineText:
    """A guideline that says where CSFCube's own is, and does not redefine its grades."""
    return {
        "instructions": (
            "CSFCube’s annotators made these labels under CSFCube’s own guideline, before they "
            "were imported here. Only that guideline defines the grades. It is not part of the "
            f"import; you find it as {CSFCUBE_GUIDELINE}.\n\n"
            "To have more pairs of this facet judged, write a new version of this guideline first."
        ),
        "grades": [
            {
                "grade": grade,
                "name": name,
                "definition": "Defined in CSFCube’s own guideline",
                "detail": "",
                "example": "",
            }
            for grade, name in enumerate(NAMES)
        ],
    }
