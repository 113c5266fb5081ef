"""A check of the setting MODEL_ADDRESSES, for every start of the program."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks

from evaluation.shadow_judges.asking.addresses import InvalidAddress, parsed_address


@checks.register(checks.Tags.security)
def check_model_addresses(**kwargs: Any) -> list[checks.CheckMessage]:
    """An invalid address would be missing on the page, without a reason."""
    messages: list[checks.CheckMessage] = []
    for text in settings.MODEL_ADDRESSES:
        try:
            parsed_address(text)
        except InvalidAddress as error:
            messages.append(
                checks.Error(
                    f"MODEL_ADDRESSES: {error}",
                    hint="Separate addresses by commas. .env.example has an example.",
                    id="evaluation.E001",
                )
            )
    return messages
