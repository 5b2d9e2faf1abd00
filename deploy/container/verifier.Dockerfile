# A verifier node in a container. From the root of the checkout: docker build -f deploy/container/verifier.Dockerfile -t verifier .
# The volume holds verifier.yaml, the keystore, and what the node keeps: paths of the file count from its folder. It is to belong to user 1000.
# docker run -v /srv/node-1:/data verifier -conf /data/verifier.yaml -password-file /data/password
ARG NODE_IMAGE=node:22-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json LICENSE ./
COPY scripts/build scripts/build
COPY packages packages
COPY examples/verifier examples/verifier
COPY docs docs
RUN npm ci --no-audit --no-fund && npm run build

FROM ${NODE_IMAGE}
COPY --from=build /build/dist/verifier /opt/verifier
RUN mkdir -m 0700 /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/verifier/verifier"]
CMD ["-conf", "/data/verifier.yaml"]
