"""Load a model of sentence-transformers, which is an optional extra."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from web.errors import UserFacingError

INSTALL = 'pip install ".[encoder]" in the folder of Qrelsmith'


class EncoderMissing(UserFacingError):
    """The optional extra is not installed, or the model cannot be loaded."""


def load_model(model: str, name: str) -> Any:
    """The model in a folder, or one that the libraries know. `name` stands in messages.

    Raises EncoderMissing.
    """
    if find_spec("sentence_transformers") is None:
        raise EncoderMissing(f"{name} needs an extra that is not installed: {INSTALL}.")
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(model).eval()
    except (OSError, ValueError) as error:
        raise EncoderMissing(
            f"The model {model} cannot be loaded ({str(error).splitlines()[0]}). "
            "Use the folder of a model on this machine."
        ) from error
