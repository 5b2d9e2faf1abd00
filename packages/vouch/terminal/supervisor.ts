import { basename } from 'node:path';

/** How a service ended that was not to end, as `crashes/` of the data folder keeps it. */
export interface Crash {
  /** ISO 8601. */
  at: string;
  /** `serve` or `worker`. */
  command: string;
  process: number | null;
  /** A signal's name, or `exit code 1`. */
  ended: string;
  ran_seconds: number;
  /** Stack of an uncaught error; null where the process could not say it. */
  error: string | null;
}

/** The process that starts this one again after a crash; see bin/supervise.js. */
export interface Supervisor {
  /** Of this service since the supervisor was started. */
  crashes(): number;
  lastCrash(): Crash | null;
  /** Names the data folder, where crashes are written down. */
  nameData(folder: string): void;
  /** From now on an end with an exit code other than 0 is a crash. */
  serving(): void;
  /** Says what ends this process. */
  fail(error: string): void;
  /** Hears how many signals to stop have come, each time that one comes, and its name. */
  onStop(heard: (stops: number, signal: string) => void): void;
}

/** Faults of native code: a listener would keep the process in an endless loop at the same instruction, so they end it. */
export const fatalSignals = ['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGABRT'] as const;

/** Number of the process before this one, where its supervisor saw a fault of native code end it; null otherwise. */
export function findCrashedProcess(): number | null {
  const crash = findSupervisor()?.lastCrash() ?? null;
  return crash !== null && fatalSignals.some((signal) => signal === crash.ended) ? crash.process : null;
}

let known: Supervisor | null | undefined;

/** The supervisor of this process; null where it runs alone. When the supervisor dies in any way, this process does. */
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
  // The channel alone keeps nothing running.
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
