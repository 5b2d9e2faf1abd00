#!/bin/sh
# Runs one PostgreSQL server while any process holds a shared lock on users.lock, and stops the server afterwards, however those processes end.
# Arguments: folder with the lock files, socket folder, folder to remove at the end (or empty), command of the server.
# Every process of PostgreSQL inherits descriptor 8 on server.lock, so a lock on the file means that a process of the server still runs.
# Only this script has descriptor 7 on keeper.lock, so a lock on the file means that this script still runs.
folder=$1 sockets=$2 remove=$3
shift 3

# Tries to lock the file of a descriptor.
try_lock() {
  if command -v flock >/dev/null; then flock -n -x "$1"
  else perl -MFcntl=:flock -e 'open(my $f, "+<&=", shift) or exit 66; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)' -- "$1"
  fi
}

# A process that checks for a running server or keeper locks the file for a few milliseconds.
lock() {
  for try in 1 2 3 4 5 6 7 8 9; do
    try_lock "$1" && return 0
    sleep 0.1
  done
  try_lock "$1"
}

# Tests whether users.lock is available now; the argument is -s (shared) or -x (exclusive).
lockable() {
  if command -v flock >/dev/null; then flock -n "$1" "$folder/users.lock" true
  else perl -MFcntl=:flock -e 'my $mode = shift eq "-s" ? LOCK_SH : LOCK_EX; open(my $f, "+<", shift) or exit 66;
    exit(flock($f, $mode | LOCK_NB) ? 0 : 1)' -- "$1" "$folder/users.lock"
  fi
}

# If this script is killed, the waiting part ends too: later, the process id of the server may belong to another process.
dying=
if setpriv --pdeathsig KILL true 2>/dev/null; then dying='setpriv --pdeathsig KILL'; fi

when_unused() {
  if command -v flock >/dev/null; then exec $dying flock -x "$folder/users.lock" "$@"
  else exec $dying perl -MFcntl=:flock -e 'open(my $f, "+<", shift) or exit 66; flock($f, LOCK_EX) or exit 67; system(@ARGV)' \
    "$folder/users.lock" "$@"
  fi
}

# After a crash, the server starts again on the same socket if a process still uses it; a start that fails within
# 5 s is repeated 5 times. A first start that never became ready is not repeated, because its caller waits for the reason.
restarts_left=0
first=yes
# keeper.lock comes first: a server without a locked keeper.lock has lost its keeper.
exec 7>>"$folder/keeper.lock" 8>>"$folder/server.lock"
lock 7 && lock 8 || exit 75
while :; do
  started=$(date +%s)
  "$@" </dev/null 7>&- &
  server=$!
  # The script holds users.lock until the server has ended, so that a new process waits instead of connecting to a server that stops.
  # The script repeats the signal, because the server ignores signals until its handlers are installed.
  (when_unused sh -c "while kill -INT $server 2>/dev/null; do sleep 0.05; done") 7>&- 8>&- </dev/null &
  waiter=$!
  wait "$server"
  status=$?
  # An exclusive lock means that the waiting part of this script has just stopped the server.
  if ! lockable -s; then break; fi
  kill "$waiter" 2>/dev/null
  wait "$waiter" 2>/dev/null
  if lockable -x; then break; fi
  if [ $(($(date +%s) - started)) -ge 5 ]; then restarts_left=5; fi
  # A killed server leaves its pid file, which records whether the server was ready; a server that did not start leaves no file.
  if [ -n "$first" ] && grep -q '^ready' "$folder/data/postmaster.pid" 2>/dev/null; then restarts_left=5; fi
  first=
  if [ "$restarts_left" -eq 0 ]; then
    echo "keeper: the server ended with status $status and is not started again: it did not last, see above" >&2
    break
  fi
  restarts_left=$((restarts_left - 1))
  echo "keeper: the server ended with status $status while it was needed; starting it again" >&2
  sleep 1 7>&-
done
rm -rf "$sockets"
[ -z "$remove" ] || rm -rf "$remove"
exit "$status"
