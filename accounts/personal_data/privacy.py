"""The privacy page, from the settings of this server. For everybody, also without a login."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.login import known_browsers
from web.languages.choice import translated

SECONDS_OF_A_DAY = 24 * 60 * 60


@login_not_required
@require_safe
@translated
def privacy(request: HttpRequest) -> HttpResponse:
    context = {
        "server": settings.SERVER_NAME,
        "session_days": settings.SESSION_COOKIE_AGE // SECONDS_OF_A_DAY,
        "browser_days": known_browsers.SECONDS // SECONDS_OF_A_DAY,
        "login_minutes": -(-settings.LOGIN_WAIT_SECONDS // 60),
        "address_days": settings.ACTION_ADDRESS_DAYS,
        "token_days": settings.ENDED_TOKEN_DAYS,
        "invitation_days": settings.INVITATION_DAYS + settings.UNUSED_INVITATION_DAYS,
        "mail_days": 0 if settings.SENDS_MAIL else settings.MAIL_FILE_DAYS,
        "log_days": settings.LOG_DAYS,
        "backup_days": settings.BACKUP_DAYS,
    }
    return render(request, "accounts/privacy.html", context)
