# vouch serve in a container. From the root of the checkout: docker build -f deploy/container/vouch.Dockerfile -t vouch .
# docker run -p 127.0.0.1:8080:8080 -v vouch:/data --env-file vouch.env vouch
ARG NODE_IMAGE=node:22-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json LICENSE ./
COPY scripts/build scripts/build
COPY packages packages
COPY examples/verifier examples/verifier
COPY docs docs
RUN npm ci --no-audit --no-fund && npm pack && npm i -g --prefix /opt/vouch --no-audit --no-fund ./vouch-*.tgz

FROM ${NODE_IMAGE}
COPY --from=build /opt/vouch /opt/vouch
RUN mkdir -m 0700 /data && chown node:node /data
ENV VOUCH_DATA=/data HOST=0.0.0.0 PORT=8080
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["/opt/vouch/bin/vouch"]
CMD ["serve"]
