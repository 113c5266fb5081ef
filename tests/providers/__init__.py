"""The institution's login with real providers: `make provider-check`, see docs/institution_login.md."""
