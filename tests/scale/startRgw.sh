#!/bin/sh
# Starts a Ceph object gateway (S3) on loopback for the blob tests, with one monitor, one manager and one OSD in a separate folder.
# Requires the Debian packages: apt-get install --no-install-recommends radosgw ceph-mon ceph-mgr ceph-osd
# Usage: tests/scale/startRgw.sh <empty folder> [port]; prints the environment variables for the tests, then runs until SIGTERM.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
port=${2:-7480}
monitor=$((port + 1))
export CEPH_CONF="$folder/ceph.conf"
fsid=$(cat /proc/sys/kernel/random/uuid)
mkdir -p "$folder/mon" "$folder/mgr" "$folder/osd" "$folder/rgw" "$folder/run"
cat > "$CEPH_CONF" <<CONF
[global]
fsid = $fsid
mon host = v1:127.0.0.1:$monitor
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr2 = false
keyring = $folder/keyring
run dir = $folder/run
admin socket = $folder/run/\$name.asok
log file = $folder/\$name.log
mon data = $folder/mon
mgr data = $folder/mgr
osd data = $folder/osd
rgw data = $folder/rgw
osd objectstore = memstore
memstore device bytes = 8589934592
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
mon allow pool size one = true
mon warn on pool no redundancy = false
mon pg warn min per osd = 0
mon max pg per osd = 1000
rgw frontends = beast endpoint=127.0.0.1:$port
CONF

ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n mgr.x --cap mon 'allow profile mgr' --cap osd 'allow *' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap mgr 'allow profile osd' --cap osd 'allow *' >/dev/null
ceph-authtool "$folder/keyring" --gen-key -n client.rgw --cap mon 'allow rw' --cap osd 'allow rwx' --cap mgr 'allow rw' >/dev/null
monmaptool --create --fsid "$fsid" --addv x "[v1:127.0.0.1:$monitor]" "$folder/monmap" >/dev/null
ceph-mon --mkfs -i x --monmap "$folder/monmap" --keyring "$folder/keyring" >/dev/null

processes=
trap 'kill $processes 2>/dev/null; wait; exit 0' TERM INT
trap 'kill $processes 2>/dev/null' EXIT
ceph-mon -f -i x >"$folder/mon.out" 2>&1 & processes=$!
ceph-mgr -f -i x >"$folder/mgr.out" 2>&1 & processes="$processes $!"
disk=$(cat /proc/sys/kernel/random/uuid)
ceph osd new "$disk" >/dev/null
ceph auth import -i "$folder/keyring" >/dev/null 2>&1
ceph-osd -i 0 --mkfs --osd-uuid "$disk" >"$folder/osd.out" 2>&1
ceph-osd -f -i 0 >>"$folder/osd.out" 2>&1 & processes="$processes $!"
radosgw -f -n client.rgw >"$folder/rgw.out" 2>&1 & processes="$processes $!"
radosgw-admin user create --uid vouch --display-name vouch --access-key vouch-test --secret-key vouch-test-secret >/dev/null
i=0
until bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>/dev/null; do
  i=$((i + 1))
  [ "$i" -lt 300 ] || { echo "the gateway did not start; see $folder" >&2; exit 1; }
  sleep 0.2
done
echo "VOUCH_TEST_S3_ENDPOINT=http://127.0.0.1:$port VOUCH_TEST_S3_ACCESS_KEY_ID=vouch-test VOUCH_TEST_S3_SECRET_ACCESS_KEY=vouch-test-secret"
wait
