# A Redis server with KEYNS, or a Valkey server with another base image:
#
#   docker build -t keyns .
#   docker build -t keyns --build-arg SERVER_IMAGE=valkey/valkey:8.1.8-trixie .
#
# The C library of the build image must not be newer than that of the server image, so Debian 12
# builds, and Debian 12 or 13 runs.
ARG RUST_IMAGE=rust:1.95.0-slim-bookworm
ARG SERVER_IMAGE=redis:8.0.6-bookworm


FROM ${RUST_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libclang1 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# libclang generates the bindings to the server. It needs the headers of a compiler. Use those of
# the installed compiler: libclang's own would be another 300 MB.
RUN BINDGEN_EXTRA_CLANG_ARGS="-isystem $(cc -print-file-name=include)" \
    scripts/reproducibly cargo build --release --locked --lib
# The settings of the example apply here too; docker/redis.conf has the differences.
RUN install -D -m 755 target/release/libkeyns.so /image/usr/lib/redis/modules/libkeyns.so \
    && install -D -m 755 docker/entrypoint /image/usr/local/bin/keyns-entrypoint \
    && install -D -m 755 docker/healthcheck /image/usr/local/bin/keyns-healthcheck \
    && install -D -m 644 docker/redis.conf /image/etc/keyns/redis.conf \
    && install -D -m 644 LICENSE /image/usr/share/doc/keyns/LICENSE \
    && install -d -m 755 /image/etc/keyns/conf.d \
    && sed 's|^loadmodule .*|loadmodule /usr/lib/redis/modules/libkeyns.so|' \
        redis.conf.example >/image/etc/keyns/redis.conf.example


FROM ${SERVER_IMAGE}
COPY --from=build /image/ /
# Find out now, not when the server starts, if the C library is too old or the base image has
# another user.
RUN ! ldd /usr/lib/redis/modules/libkeyns.so 2>&1 | grep 'not found' \
    && test "$(stat -c %u:%g /data)" = 999:999

# The user `redis` or `valkey` of the base image. Kubernetes needs a number to see that it is not
# root.
USER 999:999
WORKDIR /data
VOLUME /data
EXPOSE 6379
# The server saves its data and exits.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=1m --retries=3 CMD ["keyns-healthcheck"]
ENTRYPOINT ["keyns-entrypoint"]
CMD []

ARG SERVER_IMAGE
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="KEYNS" \
      org.opencontainers.image.description="Redis or Valkey with KEYNS: key names, documents, rate limits, namespaces and locks as commands" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.base.name="${SERVER_IMAGE}"
