from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import checks  # noqa: F401
        from accounts.tokens import openapi  # noqa: F401  (registers the security scheme)
