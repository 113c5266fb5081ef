# What a newcomer needs: make demo, make test, make lint. The logic is in bootstrap.py,
# demo/management/commands/demo.py, tests/run_all.py and tests/mutate.py.

.PHONY: help demo test lint mutate bench lock clean
.DEFAULT_GOAL := help

PORT ?= 8000
UV ?= uv
export PORT

# The first of these that runs and is new enough: a `python3` may be old, and a name may be a shim
# for nothing. PYTHON=/path/to/python comes before all.
PYTHONS = $(PYTHON) python3 python3.13 python3.12 python3.11
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
# $(call install,LOCK): make .venv what the lock file says.
install = found=; for python in $(PYTHONS); do \
	if "$$python" -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then found="$$python"; break; fi; done; \
	if [ -z "$$found" ]; then \
	echo "Qrelsmith needs Python 3.11 or newer, and there is none on the PATH; PYTHON=/path/to/python names one." >&2; \
	exit 1; fi; \
	"$$found" bootstrap.py $(1)

help:
	@echo "make demo    start Qrelsmith with a demo collection (PORT=8001 and DATA_DIR=folder move it)"
	@echo "make test    run all tests on SQLite, and those that use a database on PostgreSQL"
	@echo "make lint    check style, types, import direction, migrations and production settings"
	@echo "make mutate  change lines of the core at random; print the changes that no test notices"
	@echo "             (ARGS='--sample 20 --seed 7 --module release/gate.py'; docs/testing.md)"
	@echo "make bench   measure time, memory and disk (SIZES=10k,100k,800k,2M; ARGS=--no-others)"
	@echo "make lock    write both lock files anew from pyproject.toml (needs uv)"
	@echo "make clean   remove .venv and caches; your data in var/ stays"

demo:
	@$(call install,requirements.lock) && exec .venv/bin/python manage.py demo

test:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.run_all $(ARGS)

lint:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.lint

mutate:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.mutate $(ARGS)

SIZES ?= 10k,100k
bench:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m bench.run --sizes $(SIZES) $(ARGS)

# Hashed, for every platform, and naming no index or file address.
COMPILE = $(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-header \
	--python-version 3.11 pyproject.toml
lock:
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache staticfiles
