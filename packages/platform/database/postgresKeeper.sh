#!/bin/sh
# Keeps one PostgreSQL running for as long as any process holds the shared lock users.lock, however those processes end.
# Arguments: folder with the lock files, socket folder, folder to remove at the end (or empty), command of the server.
# The descriptor 8 on server.lock is inherited by every process of PostgreSQL, so while it is locked one still lives.
folder=$1 sockets=$2 remove=$3
shift 3

try_lock_server() {
  if command -v flock >/dev/null; then flock -n -x 8
  else perl -MFcntl=:flock -e 'open(my $f, "+<&=", 8) or exit 66; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)'
  fi
}

# Whoever looks whether a server lives locks the file for a few milliseconds.
lock_server() {
  for try in 1 2 3 4 5 6 7 8 9; do
    try_lock_server && return 0
    sleep 0.1
  done
  try_lock_server
}

# Whether users.lock could be taken now; the argument is -s or -x.
lockable() {
  if command -v flock >/dev/null; then flock -n "$1" "$folder/users.lock" true
  else perl -MFcntl=:flock -e 'my $mode = shift eq "-s" ? LOCK_SH : LOCK_EX; open(my $f, "+<", shift) or exit 66;
    exit(flock($f, $mode | LOCK_NB) ? 0 : 1)' -- "$1" "$folder/users.lock"
  fi
}

# Where this script itself is killed, the waiting part goes with it: the number of the server may name a stranger later.
dying=
if setpriv --pdeathsig KILL true 2>/dev/null; then dying='setpriv --pdeathsig KILL'; fi

when_unused() {
  if command -v flock >/dev/null; then exec $dying flock -x "$folder/users.lock" "$@"
  else exec $dying perl -MFcntl=:flock -e 'open(my $f, "+<", shift) or exit 66; flock($f, LOCK_EX) or exit 67; system(@ARGV)' \
    "$folder/users.lock" "$@"
  fi
}

# A crash while somebody still needs the server is followed by a new start on the same socket; one that fails within
# 5 s is repeated 5 times. A first start that never got ready is not, because the one who asked for it waits for the reason.
restarts_left=0
first=yes
exec 8>>"$folder/server.lock"
lock_server || exit 75
while :; do
  started=$(date +%s)
  "$@" </dev/null &
  server=$!
  # The lock on users.lock is held until the server is gone, so that a newcomer waits instead of meeting a dying server.
  # The signal is repeated, because one that comes before the server has its handlers is ignored.
  (when_unused sh -c "while kill -INT $server 2>/dev/null; do sleep 0.05; done") 8>&- </dev/null &
  waiter=$!
  wait "$server"
  status=$?
  # Locked exclusively: our own waiter has just stopped the server.
  if ! lockable -s; then break; fi
  kill "$waiter" 2>/dev/null
  wait "$waiter" 2>/dev/null
  if lockable -x; then break; fi
  if [ $(($(date +%s) - started)) -ge 5 ]; then restarts_left=5; fi
  # A killed server leaves its file, in which it said whether it had got ready; one that refused to start leaves none.
  if [ -n "$first" ] && grep -q '^ready' "$folder/data/postmaster.pid" 2>/dev/null; then restarts_left=5; fi
  first=
  if [ "$restarts_left" -eq 0 ]; then
    echo "keeper: the server ended with status $status and is not started again: it did not last, see above" >&2
    break
  fi
  restarts_left=$((restarts_left - 1))
  echo "keeper: the server ended with status $status while it was needed; starting it again" >&2
  sleep 1
done
rm -rf "$sockets"
[ -z "$remove" ] || rm -rf "$remove"
exit "$status"
