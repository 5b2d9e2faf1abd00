#!/usr/bin/env bash
# Packs the checkout and installs the tarball as an ordinary user into an empty folder; the demo runs there, and again after the
# installation was moved, then on Node 24 where that comes from npm (Linux x64). Where this is root, the user is 12345.
set -eu
source="$(cd "$(dirname "$0")/.." && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
path="$PATH"
newer="$PATH"
if [ "$(uname -sm)" = 'Linux x86_64' ]; then newer="$(bash "$source/scripts/testOnNode24.sh" --where):$PATH"; fi

(cd "$source" && npm pack --silent --pack-destination "$folder" > /dev/null)
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

user node --version
user npm i -g --prefix "$folder/prefix" --loglevel=error "$folder"/vouch-*.tgz
du -sm "$folder/prefix" | cut -f1 | sed 's/$/ MB installed/'
user "$folder/prefix/bin/verifier" version
user "$folder/prefix/bin/vouch" demo --once | tee "$folder/first"
mv "$folder/prefix" "$folder/moved"
path="$newer"
user node --version
user "$folder/moved/bin/vouch" demo --once | tee "$folder/second"
grep -q 'An earlier demo trained the model' "$folder/second"
for run in first second; do
  grep -q 'recall@20' "$folder/$run"
  grep -q 'The preview: .*preview.mp4' "$folder/$run"
  grep -q 'Signed message: confirmed' "$folder/$run"
  grep -q "The node's votes are on the chain" "$folder/$run"
done
