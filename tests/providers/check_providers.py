"""The journey of an invited person, with providers that other people made.

`make provider-check` runs it. pytest does not find it by itself: it needs what is downloaded.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from accounts.institution.configuration import OIDC, SAML, read_logins
from server.checks.network import check_institution
from tests.providers import simplesamlphp
from tests.support.institution_journey import join_and_judge
from tests.support.saml_provider import Signer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
DOWNLOADS = Path(os.environ["PROVIDER_DOWNLOADS"])


@contextmanager
def running(command: list[str], answers_at: str, **options):
    """The program, once its address answers."""
    process = subprocess.Popen(command, **options)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(answers_at, timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, f"{command[0]} ended"
                time.sleep(0.1)
        else:
            pytest.fail(f"{answers_at} does not answer")
        yield
    finally:
        process.terminate()
        process.wait()


def a_free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return listener.getsockname()[1]


def test_oidc_provider_of_npm(browser, live_server, settings):
    server = live_server.url
    issuer = f"http://localhost:{a_free_port()}"
    script = DOWNLOADS / "npm" / "oidc_provider.mjs"
    shutil.copy(Path(__file__).with_name("oidc_provider.mjs"), script)
    back = f"{server}/accounts/institution/oidc/callback/"
    settings.INSTITUTION_LOGINS = read_logins(
        {
            "OIDC_DISCOVERY_URL": issuer,
            "OIDC_CLIENT_ID": "qrelsmith",
            "OIDC_CLIENT_SECRET": "a secret that is only for this check",
            "OIDC_NAME": "Uni Example",
            "OIDC_EMAIL_DOMAINS": "uni.example",
        }
    )
    login = settings.INSTITUTION_LOGINS[OIDC]

    def log_in_there(page, username):
        page.wait_for_url(f"{issuer}/**")
        page.locator("input[name=login]").fill(username)
        page.locator("input[name=password]").fill("any")
        page.locator("button[type=submit]").click()
        page.get_by_role("button", name="Continue").click()

    with running(["node", str(script), issuer, back], login.source):
        assert check_institution().level == "ok"
        join_and_judge(browser, server, log_in_there)


@pytest.mark.parametrize("encrypts", [False, True])
def test_simplesamlphp_of_debian(browser, live_server, settings, tmp_path, encrypts):
    server = live_server.url
    host = f"localhost:{a_free_port()}"
    folder, packages = tmp_path / "settings", DOWNLOADS / "debian"
    signer, own_key = Signer(), {}
    if encrypts:
        for name, text in (("KEY", signer.private_key), ("CERTIFICATE", signer.certificate)):
            own_key[f"SAML_ENCRYPTION_{name}"] = str(tmp_path / name)
            (tmp_path / name).write_text(text)
    simplesamlphp.write_settings(
        folder,
        packages=packages,
        address=f"http://{host}",
        server=server,
        encrypts_for=signer.certificate if encrypts else "",
    )
    metadata = f"http://{host}/saml2/idp/metadata.php"
    settings.INSTITUTION_LOGINS = read_logins(
        {
            "SAML_METADATA": metadata,
            "SAML_NAME": "Uni Example",
            "SAML_EMAILS_ARE_VERIFIED": "1",
            "SAML_EMAIL_DOMAINS": "uni.example",
            **own_key,
        }
    )
    assert set(settings.INSTITUTION_LOGINS) == {SAML}

    def log_in_there(page, username):
        page.wait_for_url(f"http://{host}/**")
        page.locator("input[name=username]").fill(username)
        page.locator("input[name=password]").fill(simplesamlphp.PASSWORD)
        page.locator("#submit_button, button[type=submit], input[type=submit]").first.click()

    environment = {**os.environ, "SIMPLESAMLPHP_CONFIG_DIR": str(folder)}
    with running(simplesamlphp.command(packages, host), metadata, env=environment):
        assert check_institution().level == "ok"
        join_and_judge(browser, server, log_in_there)
