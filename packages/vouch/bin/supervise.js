import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { recordCrash } from './crashRecord.js';

// Plain JavaScript with few imports, because this process stays in memory as long as the server runs.

const program = fileURLToPath(new URL('./run.js', import.meta.url));

/** The same signal within this time counts once: timeout(1), for example, signals its command, and then the group of the command. */
const repeatedMs = 250;
/** Signals that stop the service gracefully. A second signal ends the service at once. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
const exitCodeOfSignal = 128;

/** Delay before the first restart. Each further restart waits twice as long, at most `longestDelayMs`. */
const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
/** After this time of serving, the next restart waits `firstDelayMs` again. */
const calmMs = 600_000;
/** After this number of consecutive starts that end before serving, the supervisor gives up. */
const maxFailedStarts = 5;

/**
 * Runs a command as a child process, passes signals to the child, and restarts the child after a crash, until the child exits by
 * itself or is stopped. If the first start is refused (invalid setting, port in use), the supervisor does not restart the child
 * and exits with the child's exit code. See docs/guides/operation.md.
 *
 * Messages of the child: `{ data }` names its data folder; `{ serving: true }` reports that the child works; `{ error }` precedes
 * its end after an uncaught error. Messages to the child: `{ crashes, lastCrash }` at its start, and `{ stops, signal }` with the
 * number of stop signals so far. A terminal or a service manager sends its signal to both processes, so the child uses the larger
 * of two counts: the signals reported by the supervisor and the signals that the child received.
 * @param {string} command
 * @param {string[]} words the arguments after the command
 */
export function supervise(command, words) {
  const hasSetpriv = process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
  // Without setpriv, the child ends itself when its IPC channel to this process closes.
  const guard = hasSetpriv ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
  const [path, ...args] = [...guard, process.execPath, ...process.execArgv, program, command, ...words];
  let stops = 0;
  const signalledAt = new Map();
  let crashes = 0;
  let lastCrash = null;
  let failedStarts = 0;
  let delayMs = firstDelayMs;
  /** State of the running child; null while a restart is pending. */
  let life = null;
  let restart = null;

  for (const signal of stopSignals) {
    process.on(signal, () => {
      const now = performance.now();
      const isRepeated = now - (signalledAt.get(signal) ?? -Infinity) < repeatedMs;
      signalledAt.set(signal, now);
      if (isRepeated) return;
      stops += 1;
      if (life === null) leave(0, null);
      else if (life.servingSince === null) life.child.kill(signal);
      else if (life.child.connected) life.child.send({ stops, signal }, () => {});
    });
  }
  start();

  function start() {
    const child = spawn(path, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    life = { child, startedAt: Date.now(), servingSince: null, data: life?.data ?? null, error: null };
    const current = life;
    child.on('message', (message) => hear(current, message));
    child.on('error', (error) => {
      if (child.pid === undefined) end(current, 1, null, error.message);
    });
    child.on('exit', (code, signal) => end(current, code, signal, current.error));
    child.send({ crashes, lastCrash }, () => {});
  }

  function hear(current, message) {
    if (typeof message.data === 'string') current.data = message.data;
    if (message.serving === true) current.servingSince = Date.now();
    if (typeof message.error === 'string') current.error = message.error;
  }

  function end({ child, servingSince, startedAt, data }, code, signal, error) {
    if (stops > 0 || code === 0 || stopSignals.includes(signal)) return leave(code, signal);
    if (code !== null && servingSince === null && crashes === 0) return leave(code, signal);
    const now = Date.now();
    crashes += 1;
    lastCrash = {
      at: new Date(now).toISOString(), command, process: child.pid ?? null, ended: signal ?? `exit code ${code}`,
      ran_seconds: Math.round((now - startedAt) / 1_000), error: error?.slice(0, 10_000) ?? null,
    };
    recordCrash(data, lastCrash);
    failedStarts = servingSince === null ? failedStarts + 1 : 0;
    if (servingSince !== null && now - servingSince >= calmMs) delayMs = firstDelayMs;
    const what = `vouch: ${command} (process ${child.pid}) ended unexpectedly by ${lastCrash.ended} after ${lastCrash.ran_seconds} s`;
    if (failedStarts === maxFailedStarts) {
      console.error(`${what}, for the ${failedStarts}th time in a row during startup; the server is not started again. vouch doctor diagnoses the reason.`);
      return leave(code ?? 1, null);
    }
    console.error(`${what}; restarting in ${delayMs / 1_000} s`);
    life = null;
    restart = setTimeout(() => { life = { data }; start(); }, delayMs);
    delayMs = Math.min(2 * delayMs, longestDelayMs);
  }

  /** Ends this process with the child's exit code or signal. */
  function leave(code, signal) {
    clearTimeout(restart);
    for (const each of stopSignals) process.removeAllListeners(each);
    if (stopSignals.includes(signal)) process.kill(process.pid, signal);
    else process.exit(code ?? exitCodeOfSignal + 9);
  }
}
