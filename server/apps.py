from django.apps import AppConfig


class ServerConfig(AppConfig):
    name = "server"

    def ready(self) -> None:
        from django.conf import settings

        from server.metrics import access

        access.check_settings()
        if settings.SENTRY_DSN:
            from server import error_reports

            error_reports.start(settings.SENTRY_DSN)
        if access.is_on():
            from server.metrics import requests

            requests.count_waits_of_sqlite()
