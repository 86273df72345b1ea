# Two stages: build on Debian 12, run from nothing but the two binaries and the
# libraries they load. No shell, no package manager, user 65532.
#
#   docker build --build-arg MULLIGAN_GIT_COMMIT=$(git rev-parse --short=12 HEAD) -t mulligan .
#   docker run --rm --read-only --cap-drop=ALL -p 8980:8980 -p 8981:8981 \
#     -v $PWD/tls:/etc/mulligan/tls:ro mulligan \
#     --listen-address=0.0.0.0:8980 --admin-address=0.0.0.0:8981 \
#     --tls-cert=/etc/mulligan/tls/tls.crt --tls-key=/etc/mulligan/tls/tls.key \
#     --tls-client-ca=/etc/mulligan/tls/ca.crt --allow-callers=my-controller
#
# scripts/image-check --build builds it with buildah, scripts/image-check without any engine.

FROM debian:12 AS build
WORKDIR /src
# Packages first: this layer is rebuilt only when their list changes.
COPY scripts/lib.sh scripts/install-build-packages scripts/
RUN scripts/install-build-packages
COPY . .
ARG MULLIGAN_GIT_COMMIT=unknown
RUN scripts/build && scripts/image-root /image

FROM scratch
LABEL org.opencontainers.image.title="mulligan" \
      org.opencontainers.image.description="Explains failed batch workloads and decides whether they retry" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
USER 65532:65532
# gRPC; metrics, probes and the loaded policies.
EXPOSE 8980 8981
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["/usr/bin/mulligan", "healthcheck", "--server=127.0.0.1:8980"]
ENTRYPOINT ["/usr/bin/mulligan-server"]
# Nothing is served in plaintext beyond the container's own loopback: flags as
# above say who may call. (Plaintext for a trial: --allow-plaintext.)
CMD ["--listen-address=127.0.0.1:8980", "--admin-address=0.0.0.0:8981"]
