"""From an invitation over a login at the institution to the first judgment."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.institution.configuration import OIDC
from tests.support.institution_journey import join_and_judge
from tests.support.oidc_provider import MARA, OidcProvider

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(2, day=1),
]


def test_an_invited_person_logs_in_at_the_institution_and_judges(browser, live_server, settings):
    provider = OidcProvider(person={**MARA, "sub": "eve", "email": "eve@uni.example"})
    settings.INSTITUTION_LOGINS = {OIDC: provider.login()}

    def log_in_there(page, username):
        """The provider leads back at once. The first person is turned away."""
        if username == "eve":
            expect(page.get_by_role("heading", name="Not logged in")).to_be_visible()
            provider.person = dict(MARA)

    join_and_judge(browser, live_server.url, log_in_there)
    provider.stop()
