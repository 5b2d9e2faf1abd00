import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { setPriority } from 'node:os';
import { delimiter, join } from 'node:path';

/** Variables that a child gets from us unasked; everything else only by name. */
const inheritedVariables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/**
 * Starts the command with a guard beside it in its group. The guard holds a pipe from us: when we die in any way, also
 * by kill -9, the pipe ends and the guard kills the whole group. Arguments: niceness, limits of the shell, `--`, the
 * command.
 *
 * Lower priority needs more than the niceness. Where Linux groups processes by session (autogroup), niceness counts
 * within a session only, and this one is new: without a niceness of its own the session takes as much as the server's.
 * It gets at most 10, a tenth of the server's weight, since at 19 a training made no progress for minutes on a machine
 * whose processors others kept busy. Without CAP_SYS_ADMIN the system takes one such change in 100 ms and refuses others,
 * so it is tried again. At 19 the policy SCHED_IDLE comes on top: a processor that runs nothing else counts as free when
 * the server wakes. Measured at half of the saturation on two cores, p99 of queries during a training: 938 ms by the
 * process's niceness alone, 48 ms with the session's.
 */
const launcher = `
( trap "" TERM INT HUP; read line <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 4>&- 5>&- &
ulimit -c 0
if [ "$1" -gt 0 ]; then
  session=$1
  [ "$session" -le 10 ] || session=10
  for wait in 0.1 0.2 0.4 0; do
    [ -w /proc/$$/autogroup ] || break
    { echo "$session" >/proc/$$/autogroup; } 2>/dev/null && break
    sleep $wait
  done
  if [ "$1" -eq 19 ]; then chrt -i -p 0 $$ >/dev/null 2>&1; fi
fi
shift
while [ "$1" != "--" ]; do ulimit "$1" "$2" 2>/dev/null; shift 2; done
shift
exec "$@" 3<&-
`;

export interface GroupRequest {
  args: readonly string[];
  cwd: string | undefined;
  env: Readonly<Record<string, string>>;
  stdin: 'none' | 'pipe';
  stdout: 'none' | 'pipe';
  /** Pipes that the child writes besides standard output, from descriptor 4 on; not together with `ipc`. */
  outputs: number;
  ipc: boolean;
  /** 0 to 19. */
  niceness: number;
  /** Options of the shell's `ulimit`, each followed by its value. */
  shellLimits: readonly string[];
}

/** Spawns a program in a session and process group of its own, with its guard. `pid` is undefined where that fails. */
export function spawnGroup(path: string, request: GroupRequest): ChildProcess {
  const command = process.platform === 'linux' && findProgram('setpriv') !== null
    ? ['setpriv', '--pdeathsig', 'KILL', '--', path]
    : [path];
  const stdio: StdioOptions = [
    request.stdin === 'pipe' ? 'pipe' : 'ignore', request.stdout === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe',
  ];
  if (request.ipc) stdio.push('ipc');
  for (let output = 0; output < request.outputs; output++) stdio.push('pipe');
  const words = [String(request.niceness), ...request.shellLimits, '--', ...command, ...request.args];
  const child = spawn('/bin/sh', ['-c', launcher, 'vouch', ...words], {
    cwd: request.cwd, env: environment(request.env), stdio, detached: true,
  });
  if (request.niceness > 0 && child.pid !== undefined) lowerPriority(child.pid, request.niceness);
  return child;
}

/** The path of a program that may be run, looked up in PATH where it is a name; null where there is none. */
export function findProgram(command: string): string | null {
  const places = command.includes('/') ? [''] : (process.env['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  for (const place of places) {
    const path = place === '' ? command : join(place, command);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return null;
}

function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of inheritedVariables) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return { ...kept, ...env };
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, which its end tells.
  }
}
