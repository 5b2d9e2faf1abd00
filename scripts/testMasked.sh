#!/usr/bin/env bash
# Copies the checkout, installs it without install scripts, hides PostgreSQL and ffmpeg from PATH, and then starts, queries and stops the demo
# twice. With --linked, the copy shares the packages of the checkout, which npm must have installed without install scripts.
set -eu
source="$(cd "$(dirname "$0")/.." && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/bin"
for directory in $(echo "$PATH" | tr ':' ' '); do
  for program in "$directory"/*; do
    name="$(basename "$program")"
    case "$name" in postgres|psql|pg_*|initdb|ffmpeg|ffprobe) continue ;; esac
    [ -x "$program" ] && [ ! -e "$folder/bin/$name" ] && ln -s "$program" "$folder/bin/$name"
  done
done
export PATH="$folder/bin"
if command -v postgres psql ffmpeg; then echo "these should be masked"; exit 1; fi

git clone --quiet "$source" "$folder/clone"
cd "$folder/clone"
if [ "${1:-}" != --linked ]; then npm ci --ignore-scripts --silent --no-fund --no-audit
else (cd "$source" && find . packages/* -maxdepth 1 -name node_modules) | while read -r path; do cp -al "$source/$path" "$path"; done; fi
node --version
expect() { # text, file
  grep -q "$1" "$2" || { echo "the demo did not print: $1"; exit 1; }
}
PORT=0 npm run --silent demo -- --once | tee "$folder/first"
expect 'recall@20' "$folder/first"
expect 'Preview: .*preview.mp4' "$folder/first"
expect 'Signed message: confirmed' "$folder/first"
expect 'the votes of the node are on the chain' "$folder/first"
PORT=0 npm run --silent demo -- --once | tee "$folder/second"
expect 'An earlier demo trained the model' "$folder/second"
expect 'Started the local chain with its earlier blocks' "$folder/second"
expect 'Signed message: confirmed' "$folder/second"
expect 'the votes of the node are on the chain' "$folder/second"
