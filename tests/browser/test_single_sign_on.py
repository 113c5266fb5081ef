"""OpenID Connect against a real provider, in a real browser: redirects, PKCE, and the policy for forms."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts import services

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PACKAGE = "oidc-provider@9"


@pytest.fixture(scope="session")
def package(tmp_path_factory) -> Path:
    """A folder with the provider beside what it needs, from npm."""
    folder = tmp_path_factory.mktemp("openid")
    install = ["npm", "install", "--no-save", "--ignore-scripts", "--silent", PACKAGE]
    if not shutil.which("npm") or subprocess.run(install, cwd=folder, check=False).returncode:
        if "REQUIRE_ALL" in os.environ:
            pytest.fail(f"npm does not install {PACKAGE}.")
        pytest.skip(f"npm does not install {PACKAGE}.")
    shutil.copy(Path(__file__).parent / "openid_provider.mjs", folder)
    return folder


@pytest.fixture
def provider(package, live_server, settings):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        issuer = f"http://127.0.0.1:{free.getsockname()[1]}"
    redirect = live_server.url + reverse("openid_connect_callback", args=["sso"])
    command = ["node", "openid_provider.mjs", issuer, redirect]
    running = subprocess.Popen(command, cwd=package, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert running.stdout.readline() == "ready\n"
    app = {"provider_id": "sso", "name": "Lab", "client_id": "qrelsmith", "secret": "not-a-secret"}
    apps = [app | {"settings": {"server_url": issuer}}]
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": apps}}
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": policy | {"form-action": [*policy["form-action"], issuer]}}
    yield issuer
    running.terminate()
    running.wait()


@pytest.fixture
def page(live_server, new_context) -> Page:
    return new_context(base_url=live_server.url).new_page()


def log_in_there(page: Page, name: str) -> None:
    """On the provider's own pages."""
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.get_by_role("button").first.click()
    page.get_by_role("button", name=re.compile("continue", re.IGNORECASE)).click()


def test_an_invited_person_joins_and_comes_back(provider, collection, people, page):
    link = services.invite(collection=collection, by=people.admin, roles=["annotator"])[1]
    page.goto(link)
    page.get_by_role("button", name="Join with Lab").click()
    log_in_there(page, "eva")
    expect(page).to_have_url(re.compile(f"/c/{collection.slug}/"))
    expect(page.locator(".topbar .who")).to_have_text("eva of the provider")
    assert EmailAddress.objects.get(user__username="eva").verified
    page.locator(".topbar summary").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in with Lab").click()
    expect(page.locator(".topbar .who")).to_have_text("eva of the provider")
