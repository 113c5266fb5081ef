"""The institution's login: people log in at their university, by OpenID Connect or SAML.

Begin with `adapter.py`, which decides who gets in. `configuration.py` reads the environment,
`claims.py` compares what a provider says with what is required, and `services.py` links an identity
to an account. `oidc.py` and `saml.py` talk with providers; they are imported when a login begins,
because their packages are only in `requirements-server.lock`.
"""
