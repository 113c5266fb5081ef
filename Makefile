# A newcomer needs `make demo` and `make test`. Everything is installed into .venv by pip from the hashed lock files.

.PHONY: help demo test test-all lint bench compose-check lock clean
.DEFAULT_GOAL := help
PORT ?= 8000
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PIP = .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes

help:
	@echo "make demo      start Qrelsmith with a demo collection (PORT=8001 for another port)"
	@echo "make test      what guards a merge: on SQLite, and on PostgreSQL where it answers (ARGS='tests/pooling')"
	@echo "make test-all  all tests, on both databases, also those that are slow"
	@echo "make lint      style, types, import direction, migrations, production settings"
	@echo "make bench     one table of speeds beside what you would use otherwise"
	@echo "make compose-check  start docker-compose.yml with podman, kill its services, restore a backup"
	@echo "make lock      rewrite the lock files from pyproject.toml (needs uv; ARGS=--upgrade)"
	@echo "make clean     remove .venv and caches; your data in var/ stays"

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Qrelsmith needs Python 3.11 or newer with venv. Set PYTHON=/path/to/python." >&2; exit 1; }
	@$(PYTHON) -m venv .venv

# A stamp remembers the lock file that was installed. That of development contains the other.
.venv/app: requirements/app.lock | .venv/bin/python
	@cmp -s requirements/dev.lock .venv/dev || { echo "Installing the Python packages, only once: a minute or two"; \
		$(PIP) -r requirements/app.lock; }
	@cp requirements/app.lock $@

.venv/dev: requirements/dev.lock | .venv/bin/python
	@echo "Installing the Python packages for development, only once: a minute or two"
	@$(PIP) -r requirements/dev.lock
	@cp requirements/dev.lock $@

demo: .venv/app
	@MODE=demo exec .venv/bin/python manage.py demo --port $(PORT)

test: .venv/dev
	@.venv/bin/python -m tests.run $(ARGS)

test-all: .venv/dev
	@.venv/bin/python -m tests.run --all $(ARGS)

lint: .venv/dev
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/oxlint --deny-warnings --quiet web/static/js
	@.venv/bin/oxfmt --check web/static
	@.venv/bin/mypy .
	@.venv/bin/lint-imports
	@.venv/bin/python manage.py makemigrations --check --dry-run -v0
	@MODE=production SECRET_KEY=$$(.venv/bin/python -c 'import secrets; print(secrets.token_urlsafe(64))') \
		ALLOWED_HOSTS=example.org .venv/bin/python manage.py check --deploy --fail-level WARNING

bench: .venv/dev
	@.venv/bin/python -m bench.run $(ARGS)

compose-check: .venv/dev
	@.venv/bin/python -m tests.compose

lock:
	@uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url $(ARGS) pyproject.toml -o requirements/app.lock
	@uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url $(ARGS) --extra dev \
		-c requirements/app.lock pyproject.toml -o requirements/dev.lock
	@echo "django-storages[s3]>=1.14" | uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url $(ARGS) \
		-c requirements/app.lock - -o requirements/s3.lock

clean:
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
