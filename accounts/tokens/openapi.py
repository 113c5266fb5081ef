"""The tokens and the scopes that each operation needs, in the OpenAPI document."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from accounts.tokens.authentication import scopes_needed
from accounts.tokens.scopes import TokenScope


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.tokens.authentication.ApiTokenAuthentication"
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token from the page “API tokens” of your account. The word Token is "
            "accepted in place of Bearer, too.",
        }


class ScopedSchema(AutoSchema):
    """Names the scopes of tokens in the description and, for programs, in `x-token-scopes`."""

    def get_description(self) -> str:  # type: ignore[override]  # drf-spectacular's own
        names = " or ".join(f"`{scope}`" for scope in self._scopes())
        text = super().get_description()
        return f"{text}\n\nScope of a token: {names}.".strip()

    def get_extensions(self) -> dict[str, Any]:
        return {**super().get_extensions(), "x-token-scopes": self._scopes()}

    def _scopes(self) -> list[str]:
        needed = scopes_needed(self.view, self.method)
        return [scope.value for scope in TokenScope if scope in needed]
