# Checks `vouch serve` as the container file runs it; for testImage.sh and testContainerSteps.sh, which source this file. They set `source` and `folder`, and define
# `said` (text), `start` (name, arguments of vouch), `inside` (command) and `stop`. The data folder is $folder/data, and the port, free at this moment, is $port.
port="$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')"
mkdir -m 0700 "$folder/data"
chown 1000:1000 "$folder/data"
chmod 755 "$folder"
serving=''

ready() { curl -sf "http://127.0.0.1:$port/readyz" > "$folder/readyz"; }

expect_page() { # text, path of a page
  curl -sf "http://127.0.0.1:$port$2" > "$folder/page"
  grep -q "$1" "$folder/page" || { echo "the page $2 has no $1"; exit 1; }
}

check_served() {
  local key check code=0
  # A process group of its own, so that nothing of the service outlives this script.
  set -m
  start vouch-test serve > "$folder/serve.log" 2>&1 &
  serving=$!
  set +m
  for _ in $(seq 120); do ready && break; sleep 1; done
  ready || { tail -20 "$folder/serve.log"; exit 1; }
  said "ready: $(cat "$folder/readyz")"
  curl -sf "http://127.0.0.1:$port/healthz" > /dev/null
  [ "$(inside id -u)" = 1000 ]
  [ "$(inside stat -c '%u %a' /data/key)" = '1000 600' ]
  key="$(inside cat /data/key)"
  [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/v1/recommender/models")" = 401 ]
  curl -sf -H "apikey: $key" "http://127.0.0.1:$port/v1/recommender/models" > /dev/null
  expect_page 'Vouch documentation' /docs
  expect_page 'id="app"' /console
  # The health check of the image, as Docker runs it.
  check="$(sed -n 's/^HEALTHCHECK .* CMD \["node", "-e", "\(.*\)"\]$/\1/p' "$source/deploy/container/vouch.Dockerfile")"
  [ -n "$check" ]
  inside env PORT="$port" node -e "$check"
  said 'the health check passes'
  stop
  wait "$serving" || code=$?
  [ "$code" = 0 ] || { tail -20 "$folder/serve.log"; echo "ended with $code"; exit 1; }
  serving=''
  said 'stopped by SIGTERM with exit code 0'
}
