#!/usr/bin/env bash
# Copies the checkout, installs it without install scripts, hides PostgreSQL and ffmpeg from PATH, and then starts, queries and stops the demo
# twice.
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
npm ci --ignore-scripts --silent --no-fund --no-audit
PORT=0 npm run --silent demo -- --once | tee "$folder/first"
grep -q 'recall@20' "$folder/first"
grep -q 'The preview: .*preview.mp4' "$folder/first"
grep -q 'Signed message: confirmed' "$folder/first"
grep -q "The node's votes are on the chain" "$folder/first"
PORT=0 npm run --silent demo -- --once | tee "$folder/second"
grep -q 'An earlier demo trained the model' "$folder/second"
grep -q 'Started the local chain with its earlier blocks' "$folder/second"
grep -q 'Signed message: confirmed' "$folder/second"
grep -q "The node's votes are on the chain" "$folder/second"
