import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { recordCrash } from './crashRecord.js';

// JavaScript, and little of it: this process stays beside the server for as long as that is wanted.

const program = fileURLToPath(new URL('./run.js', import.meta.url));

/** What ends a service in order; a second one ends it at once. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
const exitCodeOfSignal = 128;

/** The first restart waits so long, each further one twice as long as the one before. */
const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
/** After serving for so long, a crash is the first one again. */
const calmMs = 600_000;
/** Starts in a row that end before they serve, until the service counts as one that cannot start. */
const maxFailedStarts = 5;

/**
 * Runs a command as a child, passes signals to it, and starts it again after a crash, until it ends by itself or is stopped. A
 * first start that is refused (a setting, a port in use) is no crash: its exit code is this program's. See docs/guides/operation.md.
 *
 * The child says `{ data }`, its data folder; `{ serving: true }` once it works; `{ error }` before it ends after an uncaught error.
 * It hears `{ crashes, lastCrash }` at its start and `{ stops, signal }`, how many signals came: those of a terminal or a service
 * manager go to both processes, and the child takes the larger number of those that it was told of and those that it got.
 * @param {string} command
 * @param {string[]} words what follows the command
 */
export function supervise(command, words) {
  const hasSetpriv = process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
  // Where there is no setpriv, the child ends once its channel to this process does.
  const guard = hasSetpriv ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
  const [path, ...args] = [...guard, process.execPath, ...process.execArgv, program, command, ...words];
  let stops = 0;
  let crashes = 0;
  let lastCrash = null;
  let failedStarts = 0;
  let delayMs = firstDelayMs;
  /** Of the running child; null while a restart waits. */
  let life = null;
  let restart = null;

  for (const signal of stopSignals) {
    process.on(signal, () => {
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
      console.error(`${what}, the ${failedStarts}th time in a row before it worked: it is not started again. vouch doctor looks for the reason.`);
      return leave(code ?? 1, null);
    }
    console.error(`${what}; it starts again in ${delayMs / 1_000} s`);
    life = null;
    restart = setTimeout(() => { life = { data }; start(); }, delayMs);
    delayMs = Math.min(2 * delayMs, longestDelayMs);
  }

  /** Ends as the child did. */
  function leave(code, signal) {
    clearTimeout(restart);
    for (const each of stopSignals) process.removeAllListeners(each);
    if (stopSignals.includes(signal)) process.kill(process.pid, signal);
    else process.exit(code ?? exitCodeOfSignal + 9);
  }
}
