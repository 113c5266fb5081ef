"""Check of the settings, with the system checks of `manage.py check --deploy`."""

from __future__ import annotations

from django.conf import settings
from django.core import checks

from server.checks.results import CheckResult, failed, ok, warning
from web.program import command_text
from web.words import count_noun


def check_configuration() -> CheckResult:
    if not settings.PRODUCTION:
        return ok("Local mode. A server for other people needs QRELSMITH_MODE=production.")
    messages = [
        message
        for message in checks.run_checks(include_deployment_checks=True)
        if not message.is_silenced()
    ]
    if not messages:
        return ok("Production mode, and the checks find nothing.")
    found = f"{count_noun(len(messages), 'finding')}: " + "; ".join(
        f"{message.id} {message.msg}" for message in messages
    )
    advice = " ".join(filter(None, (message.hint for message in messages)))
    advice = advice or f"Run `{command_text('check --deploy')}`."
    if any(message.is_serious() for message in messages):
        return failed(found, advice)
    return warning(found, advice)
