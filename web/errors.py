"""The base class of errors whose message is shown to the person who sent the request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar


class UserFacingError(Exception):
    """A request that cannot be done; the message says what is wrong and how to fix it.

    `status` is the HTTP status of the answer, where a view does not choose another.
    """

    status: ClassVar[int] = 400

    @property
    def code(self) -> str:
        """The class's name for programs: `RevisedMeanwhile` is `revised_meanwhile`."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()

    def details(self) -> Mapping[str, Any]:
        """Keys of the API's error response beside the message and the code."""
        return {}
