import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The end of a node program. */
interface NodeExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A node program that runs as a separate process. */
export interface NodeProcess {
  processId: number;
  /** Returns all output so far, both streams in the order of arrival. */
  output(): string;
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<NodeExit>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<NodeExit>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<NodeExit>;
}

export interface NodeProcessOptions {
  /** Path of the program built by `npm run build`. */
  program: string;
  /** Working directory; the node stores its state there. */
  folder: string;
  arguments: readonly string[];
  /** Environment variables in addition to PATH and HOME; the process gets no other variables. */
  environment?: Readonly<Record<string, string>>;
  /** Text for standard input. */
  input?: string;
  /** Command that runs the program as its argument, e.g. taskset. */
  under?: readonly string[];
  /** Whether the program runs in a separate process group. */
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

/** Starts the node program. When this process exits normally, it kills the program. */
export function startNodeProcess({ program, folder, arguments: words, environment = {}, input, under = [], detached = false }: NodeProcessOptions): NodeProcess {
  const { PATH = '', HOME = '' } = process.env;
  const [command = program, ...before] = [...under, program];
  const child = spawn(command, [...before, ...words], { cwd: folder, env: { PATH, HOME, ...environment }, stdio: ['pipe', 'pipe', 'pipe'], detached });
  if (running.size === 0) process.once('exit', killAll).once('SIGTERM', killAllAndEnd).once('disconnect', killAllAndEnd);
  running.add(child);
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (written += text));
  // A program that ends before it reads its input is not a fault of the test.
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
