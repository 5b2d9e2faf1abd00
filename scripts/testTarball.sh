#!/usr/bin/env bash
# Packs the checkout and installs the tarball as an ordinary user into an empty folder, on the oldest supported Node (20.19.0). The demo
# runs there, and again on Node 24 after the installation was moved. Both versions come from npm on Linux x64; elsewhere the installed
# Node is used. If this script runs as root, the ordinary user is 12345. With a tarball as argument, nothing is packed.
set -euo pipefail
source="$(cd "$(dirname "$0")/.." && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
least="$PATH"
newer="$PATH"
if [ "$(uname -sm)" = 'Linux x86_64' ]; then
  least="$(bash "$source/scripts/testOnNode.sh" 20 --where):$PATH"
  newer="$(bash "$source/scripts/testOnNode.sh" 24 --where):$PATH"
fi
path="$least"

if [ -n "${1:-}" ]; then cp "$1" "$folder/"
else (cd "$source" && npm pack --silent --pack-destination "$folder" > /dev/null); fi
mkdir "$folder/prefix" "$folder/work"
chmod 755 "$folder"
as=()
if [ "$(id -u)" = 0 ]; then
  chown -R 12345:12345 "$folder"
  as=(setpriv --reuid=12345 --regid=12345 --clear-groups)
fi
certificates="$(npm config get cafile)"
user() { # command…
  (cd "$folder/work" && "${as[@]}" env -i HOME="$folder" PATH="$path" npm_config_cafile="$certificates" PORT=0 "$@")
}

onNode() { # major version: fails if another Node runs, so that a failed installation of Node cannot go unnoticed
  user node --version
  [ "$(uname -sm)" != 'Linux x86_64' ] || user node -e 'if (process.versions.node.split(".")[0] !== process.argv[1]) process.exit(1)' "$1"
}

started=0
stamped() { # prints each line, after the first table with the seconds since `started`
  local line told=''
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case "$line" in ─*) [ -n "$told" ] || { told=yes; echo "[the first table: $((SECONDS - started)) s]"; } ;; esac
  done
}

onNode 20
started=$SECONDS
user npm i -g --prefix "$folder/prefix" --loglevel=error --no-fund --no-audit "$folder"/vouch-*.tgz
echo "installed in $((SECONDS - started)) s, $(du -sm "$folder/prefix" | cut -f1) MB"
user "$folder/prefix/bin/verifier" version
user "$folder/prefix/bin/vouch" demo --once | stamped | tee "$folder/first"
mv "$folder/prefix" "$folder/moved"
path="$newer"
onNode 24
started=$SECONDS
user "$folder/moved/bin/vouch" demo --once | stamped | tee "$folder/second"
grep -q 'An earlier demo trained the model' "$folder/second"
for run in first second; do
  grep -q 'recall@20' "$folder/$run"
  grep -q 'Preview: .*preview.mp4' "$folder/$run"
  grep -q 'Signed message: confirmed' "$folder/$run"
  grep -q 'the votes of the node are on the chain' "$folder/$run"
done
