#!/usr/bin/env bash
# Carries out the steps of deploy/container/vouch.Dockerfile and runs what they make, without a container tool: each stage is a chroot in an overlay on this machine's own files.
# CI runs this script; testImage.sh builds and runs the image itself. Needs root on Linux; elsewhere, a line says what is missing. Node is that of this machine, not NODE_IMAGE.
set -euo pipefail
source="$(cd "$(dirname "$0")/.." && pwd)"
if [ -z "${1:-}" ]; then
  folder="$(mktemp -d)"
  # Outside of the mount namespace, where nothing is mounted below the folder.
  trap 'rm -rf --one-file-system "$folder"' EXIT
  mkdir -p "$folder/probe/changed" "$folder/probe/work" "$folder/probe/root"
  if ! unshare --mount mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/probe/changed,workdir=$folder/probe/work" "$folder/probe/root" 2> "$folder/refused"; then
    echo "skipped: no overlay can be mounted here ($(tail -1 "$folder/refused")), which needs root on Linux"
    exit 0
  fi
  unshare --mount --propagation private bash "$0" "$folder"
  exit
fi
folder="$1"
said() { echo "[$SECONDS s] $*"; }
finish() { [ -z "${serving:-}" ] || kill -KILL -- "-$serving" 2> /dev/null || true; wait; }
trap finish EXIT

stage() { # number: makes $root, the files of this machine with a layer of its own for what changes
  local device
  root="$folder/$1/root"
  mkdir -p "$folder/$1/changed" "$folder/$1/work" "$root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/$1/changed,workdir=$folder/$1/work" "$root"
  mount -t proc proc "$root/proc"
  for device in null zero full random urandom; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  # The user of the image node:22-bookworm-slim.
  chroot "$root" id -u node > /dev/null 2>&1 || chroot "$root" useradd --create-home --uid 1000 --user-group --non-unique node
}

copy() { # folder of the sources, sources…, target: the content of a folder, as COPY does
  local from="$1" target="${*: -1}" path
  shift
  case "$target" in /*) target="$root$target" ;; *) target="$root$working/$target" ;; esac
  for path in "${@:1:$#-1}"; do
    if [ -d "$from/$path" ]; then mkdir -p "$target" && cp -a "$from/$path/." "$target/"
    else mkdir -p "$(dirname "$target/.")" && cp -a "$from/$path" "$target"; fi
  done
}

words() { node -p 'JSON.parse(process.argv[1]).join("\n")' "$1"; }

git clone --quiet "$source" "$folder/clone"
stages=0
declare -A named
while IFS= read -r line; do
  rest="${line#* }"
  case "$line" in
    '' | '#'* | 'ARG '* | 'EXPOSE '* | 'VOLUME '* | 'STOPSIGNAL SIGTERM' | 'HEALTHCHECK '*) ;;
    'FROM '*)
      stages=$((stages + 1)) working=/ user=root environment=()
      stage "$stages"
      case "$rest" in *' AS '*) named[${rest##* AS }]="$root" ;; esac
      ;;
    'WORKDIR '*) working="$rest" && mkdir -p "$root$working" ;;
    'ENV '*) read -ra environment <<< "$rest" ;;
    'USER '*) user="$rest" ;;
    'COPY --from='*) read -ra paths <<< "${rest#* }"; from="${rest%% *}"; copy "${named[${from#--from=}]}" "${paths[@]}" ;;
    'COPY '*) read -ra paths <<< "$rest"; copy "$folder/clone" "${paths[@]}" ;;
    'RUN '*) chroot "$root" sh -c "cd '$working' && $rest" > "$folder/run.log" 2>&1 || { tail -30 "$folder/run.log"; exit 1; } ;;
    'ENTRYPOINT '*) mapfile -t entry < <(words "$rest") ;;
    'CMD '*) mapfile -t arguments < <(words "$rest") ;;
    *) echo "this script does not know the instruction: $line"; exit 1 ;;
  esac
done < "$folder/clone/deploy/container/vouch.Dockerfile"
[ "$user ${entry[*]} ${arguments[*]}" = 'node /opt/vouch/bin/vouch serve' ]
said "carried out $stages stages on Node $(chroot "$root" node --version)"

source "$source/scripts/checkServedImage.sh"
mount --bind "$folder/data" "$root/data"
as_image() { exec chroot --userspec=node:node "$root" env -i PATH="$PATH" HOME=/home/node "${environment[@]}" HOST=127.0.0.1 PORT="$port" sh -c 'cd "$0" && exec "$@"' "$working" "$@"; }
inside() { (as_image "$@"); }
start() { as_image "${entry[@]}" "${@:2}"; }
# `serving` is the program itself, by exec.
stop() { kill -TERM "$serving"; }
check_served
