#!/usr/bin/env bash
# Runs the tests of blob stores, of the removal of blobs and of s3:// sources against an S3-compatible server from npm on loopback. This server accepts
# overwrites that a real store rejects; tests/scale/startRgw.sh starts a real store if Debian packages can be installed.
set -eu
cd "$(dirname "$0")/.."
if [ -z "${VOUCH_TEST_S3_ENDPOINT:-}" ]; then
  folder="$(mktemp -d)"
  trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
  npm install --silent --no-save --ignore-scripts --no-fund --no-audit --prefix "$folder" s3rver@3.7.1
  port="$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')"
  "$folder/node_modules/.bin/s3rver" --silent --address 127.0.0.1 --port "$port" --directory "$folder/store" --configure-bucket vouch-test &
  server=$!
  export VOUCH_TEST_S3_ENDPOINT="http://127.0.0.1:$port" VOUCH_TEST_S3_BUCKET=vouch-test
  export VOUCH_TEST_S3_ACCESS_KEY_ID=S3RVER VOUCH_TEST_S3_SECRET_ACCESS_KEY=S3RVER
  for _ in $(seq 50); do (: > "/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.2; done
fi
npx vitest run --project integration packages/platform/blobs packages/video/download/objectClient.integration.test.ts packages/vouch/wiring/collectUnnamedBlobs.integration.test.ts
