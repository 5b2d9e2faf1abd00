import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ServiceCommand {
  program: string;
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
  folder?: string;
}

/** A running service in a process group of its own. */
export interface Service {
  processId: number;
  /** How it ended: an exit code or the name of a signal. */
  ended: Promise<number | NodeJS.Signals>;
  /** The last million characters that it wrote. */
  output(): string;
  /** SIGKILL to the whole group; resolves when the first process is gone. */
  kill(): Promise<void>;
}

const keptOutput = 1_000_000;

/** Starts a command in a new process group, so that a kill takes its children too. */
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
  // A spawn that fails is thrown by the next line; nobody may be waiting for the end.
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
        // No such group: everything in it has ended already.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      await ended;
    },
  };
}
