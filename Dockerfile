# docker build --build-arg TRAITS=PostgreSQL: a collector that can keep its counts in PostgreSQL too.
FROM swift:6.3-bookworm AS build
ARG TRAITS
# Package.swift declares the product collector only with it.
ENV LEAK_COLLECTOR_DEVELOPMENT=1
RUN apt-get update \
 && apt-get install -y --no-install-recommends libcurl4-openssl-dev libsqlite3-dev zlib1g-dev libbrotli-dev libssl-dev ${TRAITS:+libpq-dev} \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources ./Sources
COPY Tests ./Tests
RUN swift build -c release --static-swift-stdlib -Xlinker -s ${TRAITS:+--traits "$TRAITS"} --product collector \
 && install -D -m 755 "$(swift build -c release --static-swift-stdlib --show-bin-path)/collector" /out/collector

FROM debian:bookworm-slim
ARG TRAITS
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl4 libsqlite3-0 libssl3 zlib1g libbrotli1 ${TRAITS:+libpq5} \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 collector \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin collector \
 && install -d -o 10001 -g 0 -m 770 /data
COPY --from=build /out/collector /usr/local/bin/collector
COPY Public /usr/local/share/collector/Public
# Settings are the collector's own; `collector --help` lists them.
ENV COLLECTOR_HOST=0.0.0.0 COLLECTOR_PORT=8080 COLLECTOR_DATA=/data
# Group 0, as OpenShift runs every user: `docker run --user 12345:0` may write /data too.
USER 10001:0
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s CMD ["collector", "health"]
ENTRYPOINT ["collector"]
