import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** How a node program ended. */
interface NodeExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A node program that runs as a process of its own. */
export interface NodeProcess {
  processId: number;
  /** Everything that it wrote so far, both streams as they came. */
  output(): string;
  /** Settles when it has ended, however. */
  ended: Promise<NodeExit>;
  /** SIGTERM, and waits. */
  stop(): Promise<NodeExit>;
  /** SIGKILL, and waits. */
  kill(): Promise<NodeExit>;
}

export interface NodeProcessOptions {
  /** The program of `npm run build`. */
  program: string;
  /** Working folder; the node's state goes there. */
  folder: string;
  arguments: readonly string[];
  /** Beside PATH and HOME, which is all that it gets. */
  environment?: Readonly<Record<string, string>>;
  /** What is piped in. */
  input?: string;
  /** Runs it as `command words… program`, e.g. taskset. */
  under?: readonly string[];
  /** A process group of its own. */
  detached?: boolean;
}

const running = new Set<ChildProcess>();
const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
const killAllAndEnd = (): void => {
  killAll();
  process.exit(1);
};

/** Starts the node program. It is killed with this process where that ends in order. */
export function startNodeProcess({ program, folder, arguments: words, environment = {}, input, under = [], detached = false }: NodeProcessOptions): NodeProcess {
  const { PATH = '', HOME = '' } = process.env;
  const [command = program, ...before] = [...under, program];
  const child = spawn(command, [...before, ...words], { cwd: folder, env: { PATH, HOME, ...environment }, stdio: ['pipe', 'pipe', 'pipe'], detached });
  if (running.size === 0) process.once('exit', killAll).once('SIGTERM', killAllAndEnd).once('disconnect', killAllAndEnd);
  running.add(child);
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (written += text));
  // A program that ends before it reads is no fault of the test.
  child.stdin.on('error', () => {}).end(input ?? '');
  const ended = once(child, 'close').then(([code, signal]): NodeExit => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll).off('SIGTERM', killAllAndEnd).off('disconnect', killAllAndEnd);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  const end = (signal: NodeJS.Signals) => async (): Promise<NodeExit> => {
    child.kill(signal);
    return ended;
  };
  return { processId: child.pid ?? 0, output: () => written, ended, stop: end('SIGTERM'), kill: end('SIGKILL') };
}
