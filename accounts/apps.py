from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from allauth.mfa.signals import authenticator_added
        from django.contrib.auth.signals import user_logged_in

        from accounts import checks  # noqa: F401
        from accounts.actions import logins  # noqa: F401  (hears of every login)
        from accounts.languages import remember_language
        from accounts.login.second_factors import end_other_sessions
        from accounts.personal_data import account_rows  # noqa: F401  (registers what is stored)

        authenticator_added.connect(end_other_sessions)
        user_logged_in.connect(remember_language)
