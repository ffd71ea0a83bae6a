# A Redis server with KEYNS in it, or a Valkey server on another base image:
#
#   docker build -t keyns .
#   docker build -t keyns --build-arg SERVER_IMAGE=valkey/valkey:8.1.8-trixie .
#
# The C library of the image that builds must not be newer than that of the image that runs.
# So it is Debian 12 that builds, and Debian 12 or 13 that runs.
ARG RUST_IMAGE=rust:1.95.0-slim-bookworm
ARG SERVER_IMAGE=redis:8.0.6-bookworm


FROM ${RUST_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libclang1 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# The bindings to the server are made with libclang. It needs the headers of a compiler, and
# those of the compiler that is there do: libclang's own would be another 300 MB.
RUN BINDGEN_EXTRA_CLANG_ARGS="-isystem $(cc -print-file-name=include)" \
    scripts/reproducibly cargo build --release --locked --lib
# The settings of the example hold here too; docker/redis.conf says which differ.
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
# Both would otherwise show when the server starts: a C library that is too old, and a base
# image with another user.
RUN ! ldd /usr/lib/redis/modules/libkeyns.so 2>&1 | grep 'not found' \
    && test "$(stat -c %u:%g /data)" = 999:999

# The user `redis` or `valkey` of the base image. Kubernetes wants a number to see that it is
# not root.
USER 999:999
WORKDIR /data
VOLUME /data
EXPOSE 6379
# The server saves its data and ends.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=1m --retries=3 CMD ["keyns-healthcheck"]
ENTRYPOINT ["keyns-entrypoint"]
CMD []

ARG SERVER_IMAGE
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="KEYNS" \
      org.opencontainers.image.description="Redis or Valkey with key-naming conventions as commands of the server" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.base.name="${SERVER_IMAGE}"
