# A newcomer needs make demo, make test and make lint. The logic is in bootstrap.py,
# demo/management/commands/demo.py, tests/run_all.py, tests/messages.py, tests/mutate.py and
# docs/make_pictures.py.

.PHONY: help demo test lint mutate compose-check provider-check machines-check bench bench-judging bench-labels bench-evaluation docs messages pictures lock sbom client release-files clean
.DEFAULT_GOAL := help

PORT ?= 8000
UV ?= uv
export PORT

# The first of these that runs and is new enough is used: `python3` may be old, and a name may be a
# broken shim. PYTHON=/path/to/python is tried first.
PYTHONS = $(PYTHON) python3 python3.13 python3.12 python3.11
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))
# $(call install,LOCK): install the packages of the lock file into .venv.
install = found=; for python in $(PYTHONS); do \
	if "$$python" -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then found="$$python"; break; fi; done; \
	if [ -z "$$found" ]; then \
	echo "Qrelsmith needs Python 3.11 or newer, and none is on the PATH. Set PYTHON=/path/to/python." >&2; \
	exit 1; fi; \
	"$$found" bootstrap.py $(1)

help:
	@echo "make demo    start Qrelsmith with a demo collection (options: PORT=8001, DATA_DIR=folder)"
	@echo "make test    run all tests on SQLite, and those that use a database also on PostgreSQL"
	@echo "make lint    check style, types, import direction, migrations and production settings"
	@echo "make mutate  change lines of the core at random; print the changes that no test notices"
	@echo "             (ARGS='--sample 20 --seed 7 --module release/gate/checks.py'; docs/testing.md)"
	@echo "make compose-check  start docker-compose.yml with podman, use it, kill and restart its services"
	@echo "make provider-check  log in at real OpenID and SAML providers in a browser"
	@echo "make machines-check  judge on two machines that share no folder, and kill their processes"
	@echo "make bench   measure time, memory and disk (SIZES=10k,100k,800k,2M; ARGS=--no-others)"
	@echo "make bench-judging  measure half a million judgments with real clients, beside the goals"
	@echo "             (ARGS='--queries 100'; ARGS='--potato /path/to/potato' measures the peer)"
	@echo "make bench-labels  measure the labelling of sentences (ARGS='--documents 200000')"
	@echo "make bench-evaluation  measure the scoring of systems (ARGS='--queries 500 --runs 5')"
	@echo "make docs    build the documentation site in var/site; a broken link fails"
	@echo "make messages  bring the texts to translate in locale/ up to date (docs/languages.md)"
	@echo "make pictures  take the docs' screenshots of the demo (needs Chromium)"
	@echo "make lock    rewrite the lock files from pyproject.toml (needs uv; ARGS=--upgrade)"
	@echo "make sbom    list the installed packages with their licences in var/sbom (CycloneDX)"
	@echo "make client  write a Python client of the API to var/client (docs/client.md)"
	@echo "make release-files  write the wheel, SBOMs and checksums of a tagged version to dist"
	@echo "make clean   remove .venv and caches; your data in var/ stays"

demo:
	@$(call install,requirements.lock) && exec .venv/bin/python manage.py start_demo

test:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.run_all $(ARGS)

lint:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.lint

mutate:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.mutate $(ARGS)

machines-check:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.machines $(ARGS)

compose-check:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.compose $(ARGS)

provider-check:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.providers $(ARGS)

SIZES ?= 10k,100k
bench:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m bench.run --sizes $(SIZES) $(ARGS)

bench-judging:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m bench.judging $(ARGS)

bench-labels:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m bench.labels $(ARGS)

bench-evaluation:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m bench.evaluation $(ARGS)

# -W: a warning, such as a broken link, is an error.
docs:
	@$(call install,requirements-dev.lock) && \
	.venv/bin/python -m sphinx -q -W --keep-going -b html -d var/site-cache docs var/site && \
	echo "The site is in var/site; open var/site/index.html."

messages:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.messages

pictures:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python docs/make_pictures.py

# With hashes, for every platform, without the address of an index or a file.
COMPILE = $(UV) pip compile -q --universal --generate-hashes --no-emit-index-url --no-header \
	--python-version 3.11 $(ARGS) pyproject.toml
OF_SERVERS = --extra server --extra models --extra word2vec
lock:
	$(COMPILE) -o requirements.lock
	$(COMPILE) $(OF_SERVERS) -c requirements.lock -o requirements-server.lock
	$(COMPILE) --extra dev $(OF_SERVERS) -c requirements-server.lock -o requirements-dev.lock

sbom:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.supply.sbom $(ARGS)

client:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.supply.client $(ARGS)

release-files:
	@$(call install,requirements-dev.lock) && exec .venv/bin/python -m tests.supply.release $(ARGS)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache staticfiles
