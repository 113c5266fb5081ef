# PostgreSQL from Debian's packages, where the public image cannot be had. It reads POSTGRES_USER and
# POSTGRES_PASSWORD and stores its data like that image, so docker-compose.yml works with either.
ARG BASE
FROM ${BASE}
RUN apt-get -qq update \
    && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install postgresql \
    && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/*
COPY containers/start-postgresql /usr/local/bin/start-postgresql
VOLUME /var/lib/postgresql/data
EXPOSE 5432
# PostgreSQL takes SIGINT as "end sessions and stop".
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/start-postgresql"]
