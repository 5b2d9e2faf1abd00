import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ServiceCommand {
  program: string;
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
  folder?: string;
}

/** A running service in a separate process group. */
export interface Service {
  processId: number;
  /** Resolves with the exit code or the name of the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>;
  /** Returns the last million characters of the output. */
  output(): string;
  /** Sends SIGKILL to the whole group; resolves when the first process has ended. */
  kill(): Promise<void>;
}

const keptOutput = 1_000_000;

/** Starts a command in a new process group, so that a kill includes its children. */
export async function startService({ program, arguments: words, environment, folder }: ServiceCommand): Promise<Service> {
  const child = spawn(program, words, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-keptOutput)));
  }
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  // The next line throws if the spawn fails; the end of the process may have no other listener.
  ended.catch(() => undefined);
  await once(child, 'spawn');
  const processId = child.pid as number;
  return {
    processId,
    ended,
    output: () => output,
    async kill() {
      try {
        process.kill(-processId, 'SIGKILL');
      } catch (error) {
        // ESRCH: all processes of the group have already ended.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      await ended;
    },
  };
}
