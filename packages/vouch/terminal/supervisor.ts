import { basename } from 'node:path';

/** An unexpected end of a service, as stored in the folder `crashes/` of the data folder. */
export interface Crash {
  /** Time of the crash, ISO 8601. */
  at: string;
  /** `serve` or `worker`. */
  command: string;
  process: number | null;
  /** Name of the signal, or e.g. `exit code 1`. */
  ended: string;
  ran_seconds: number;
  /** Stack of the uncaught error; null if the process could not report the error. */
  error: string | null;
}

/** Connection to the parent process that restarts this process after a crash; see bin/supervise.js. */
export interface Supervisor {
  /** Number of crashes of this service since the start of the supervisor. */
  crashes(): number;
  lastCrash(): Crash | null;
  /** Tells the supervisor the data folder, where the supervisor stores crash records. */
  nameData(folder: string): void;
  /** Reports that the service works. From now on, an exit code other than 0 is a crash. */
  serving(): void;
  /** Reports the error that ends this process. */
  fail(error: string): void;
  /** Calls `heard` for each stop signal, with the number of stop signals so far and the name of the signal. */
  onStop(heard: (stops: number, signal: string) => void): void;
}

/**
 * Signals of faults in native code. They get no listener and end the process: with a listener, the process would repeat the
 * faulting instruction endlessly.
 */
export const fatalSignals = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT'] as const;

/** Id of the previous process if a fault in native code ended that process; otherwise null. */
export function findCrashedProcess(): number | null {
  const crash = findSupervisor()?.lastCrash() ?? null;
  return crash !== null && fatalSignals.some((signal) => signal === crash.ended) ? crash.process : null;
}

let known: Supervisor | null | undefined;

/**
 * Returns the connection to the supervisor, or null if this process runs without a supervisor. If the supervisor dies, this
 * process kills itself.
 */
export function findSupervisor(): Supervisor | null {
  known ??= basename(process.argv[1] ?? '') === 'run.js' && process.send !== undefined ? connect() : null;
  return known;
}

function connect(): Supervisor {
  let said: { crashes: number; lastCrash: Crash | null } = { crashes: 0, lastCrash: null };
  const listeners: ((stops: number, signal: string) => void)[] = [];
  process.on('message', (message: { crashes?: number; lastCrash?: Crash | null; stops?: number; signal?: string }) => {
    if (message.crashes !== undefined) said = { crashes: message.crashes, lastCrash: message.lastCrash ?? null };
    const { stops, signal = '' } = message;
    if (stops !== undefined) for (const heard of listeners) heard(stops, signal);
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // An open IPC channel must not keep the process running.
  process.channel?.unref();
  const tell = (message: object): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  return {
    crashes: () => said.crashes,
    lastCrash: () => said.lastCrash,
    nameData: (data) => tell({ data }),
    serving: () => tell({ serving: true }),
    fail: (error) => tell({ error }),
    onStop: (heard) => void listeners.push(heard),
  };
}
