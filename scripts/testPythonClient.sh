#!/usr/bin/env bash
# Generates a Python client from docs/openapi.json with openapi-python-client, and runs one flow with it against a server with a local chain. Needs Python
# 3.10 or newer with venv, which Vouch itself does not need.
set -eu
cd "$(dirname "$0")/.."
if ! python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo 'skipped: there is no Python 3.10 or newer with venv' >&2
  exit 0
fi
folder="${TMPDIR:-/tmp}/vouch-python-client-1"
if [ ! -f "$folder/complete" ]; then
  python3 -m venv "$folder"
  if ! "$folder/bin/pip" install --quiet --disable-pip-version-check openapi-python-client==0.29.1; then
    echo 'skipped: pip cannot install openapi-python-client' >&2
    exit 0
  fi
  touch "$folder/complete"
fi
rm -rf "$folder/vouch_api"
# The generator warns and goes on where it cannot make a class of a schema; here, a warning is a failure. ruff only formats the files.
output="$(PATH="$folder/bin:$PATH" "$folder/bin/openapi-python-client" generate --path docs/openapi.json --output-path "$folder/vouch_api" --meta none 2>&1)" || { echo "$output"; exit 1; }
if grep -qE '^(Unable to process|WARNING|ERROR)' <<<"$output"; then
  echo "$output"
  exit 1
fi
cp tests/clients/flows/flow.py "$folder/"
node --import tsx tests/clients/withServer.ts "$folder/bin/python" "$folder/flow.py"
