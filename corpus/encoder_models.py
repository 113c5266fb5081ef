"""Models of sentence-transformers, which is an optional extra."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from django.conf import settings

from web.errors import UserFacingError

INSTALL = 'pip install ".[encoder]" in the folder of Qrelsmith'


class EncoderMissing(UserFacingError):
    """The optional extra is not installed, or the model cannot be loaded."""


def allowed_models() -> list[str]:
    """The models of the setting ENCODERS, without `encoder:` and their settings."""
    return list(dict.fromkeys(map(model_of, settings.ENCODERS)))


def model_of(encoder: str) -> str:
    return encoder.removeprefix("encoder:").partition("?")[0]


def not_allowed(model: str) -> str:
    """The message for a model that is not in the setting ENCODERS; "" for one that is.

    A model is a path or an address, so an arbitrary name would make the server read there. Commands
    do not check it, because their user has access to the machine.
    """
    allowed = sorted(allowed_models())
    if model in allowed:
        return ""
    return (
        f"The encoder {model} is not allowed on this server. Ask its operator to add the model to "
        f"the setting ENCODERS, which now has {', '.join(allowed) or 'none'}."
    )


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
