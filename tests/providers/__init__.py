"""The institution's login with real providers. `make provider-check` begins in `__main__.py`."""
