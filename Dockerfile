# The base needs Python 3.11 or later with venv. `make compose-check` builds on a plain Debian instead. Name a
# digest (python@sha256:…) to build the same image again: see docs/supply_chain.md.
ARG BASE=python:3.11-slim-bookworm
FROM ${BASE}

# With it, compiled modules contain the hash of their source in place of its date.
ARG SOURCE_DATE_EPOCH=1577836800
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# For backups. pg_dump must have the version of the server in docker-compose.yml, which is Debian's.
RUN apt-get -qq update && apt-get -qq install --yes --no-install-recommends age gnupg postgresql-client \
    && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/*.log /var/cache/ldconfig/aux-cache \
    /var/cache/apt/*.bin

# The processes do not run as root, and can write to the data folder only.
RUN useradd --uid 10001 --home-dir /app --shell /usr/sbin/nologin qrelsmith \
    && install -d -o qrelsmith -g qrelsmith /data /backups

WORKDIR /app
ENV PATH=/venv/bin:$PATH
COPY requirements-server.lock ./
RUN python3 -m venv /venv && pip install --require-hashes -r requirements-server.lock
COPY . ./

ENV QRELSMITH_MODE=production DATA_DIR=/data
# This key signs nothing. It exists only while this command runs.
RUN SECRET_KEY=throwaway ALLOWED_HOSTS=localhost DATA_DIR=/tmp/build \
    python manage.py collectstatic --noinput && rm -rf /tmp/build

USER qrelsmith
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "--config", "python:config.gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "8"]
