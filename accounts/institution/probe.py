"""Ask a provider, as a login does at first. For the doctor."""

from __future__ import annotations

from accounts.institution.configuration import OIDC, InstitutionLogin


def ask_provider(login: InstitutionLogin) -> None:
    """Read the discovery document and the keys, or the SAML metadata.

    Raises:
        ImportError: a package of `requirements-server.lock` is missing.
        OSError: the provider does not answer.
        ValueError: the answer is not what a login needs.
    """
    if login.key == OIDC:
        from accounts.institution.oidc import discover, signing_keys

        signing_keys(discover(login))
    else:
        from accounts.institution.saml import read_metadata

        read_metadata(login)
