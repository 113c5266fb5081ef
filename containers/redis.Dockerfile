# Redis from Debian's packages, where the public image cannot be had.
ARG BASE
FROM ${BASE}
RUN apt-get -qq update \
    && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install redis-server \
    && rm -rf /var/lib/apt/lists/*
USER redis
EXPOSE 6379
# Only the containers of its network reach it, because no port of it is published.
ENTRYPOINT ["/bin/sh", "-c", "exec \"$@\" --bind 0.0.0.0 --protected-mode no --dir /tmp", "redis"]
CMD ["redis-server"]
