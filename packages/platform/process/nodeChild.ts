import { fileURLToPath } from 'node:url';
import { basename, join, relative } from 'node:path';
import { startChild, type Child, type ChildRequest } from './childProcess.ts';
import type { Timers } from './doors.ts';

/** Where this program was compiled from and to, in a compiled one; see packages/vouch/bin/compile.js. */
declare const COMPILED_PROGRAM: { packages: string; folder: string };

export interface NodeChildRequest<Message>
  extends Pick<ChildRequest, 'cwd' | 'env' | 'stdin' | 'stdout' | 'heardStderr' | 'limits' | 'niceness' | 'signal' | 'killGraceMs' | 'name'> {
  /** One of our own .ts files, e.g. `new URL('./train.child.ts', import.meta.url)`. */
  file: URL;
  args?: readonly string[];
  /** Makes a typed message of what the child sent, or throws; then the child is stopped. */
  parse(message: unknown): Message;
  /** Hears each message in order; what it throws stops the child as well. */
  received(message: Message): void;
}

export interface NodeChild extends Pick<Child, 'pid' | 'stdin' | 'stdout' | 'done' | 'stop' | 'hold'> {
  /** Sends a JSON message; resolves when it was handed over, rejects where the child is gone. */
  send(message: unknown): Promise<void>;
}

/**
 * Runs one of our own TypeScript files in a child process with a channel of JSON messages, compiled or through tsx as the
 * program itself runs, whatever the working directory. The child speaks with `tellParent` and `hearParent`. With a memory
 * limit V8's heap is bounded by it too, so that it collects garbage before the limit is reached; the limit itself is on the
 * measured resident set.
 */
export function startNodeChild<Message>(request: NodeChildRequest<Message>, timers: Timers): NodeChild {
  const { file, parse, received, args = [], ...rest } = request;
  const path = fileURLToPath(file);
  const heap = request.limits?.memoryBytes;
  const options = heap === undefined ? [] : [`--max-old-space-size=${Math.max(32, Math.floor(heap / 2 ** 20))}`];
  const child = startChild({
    name: basename(path, '.ts'),
    ...rest,
    command: process.execPath,
    args: [...options, ...runnable(path), ...args],
    ipc: true,
    node: true,
  }, timers);

  child.channel?.on('message', (message: unknown) => {
    try {
      received(parse(message));
    } catch (error) {
      child.stop({ kind: 'unreadable-message', why: error instanceof Error ? error.message : String(error) });
    }
  });
  const { pid, stdin, stdout, done, stop, hold } = child;
  return { pid, stdin, stdout, done, stop, hold, send: (message) => sendTo(child, message) };
}

/** What Node is given for one of our files: the compiled one beside a compiled program, else the source and tsx. */
function runnable(path: string): string[] {
  if (typeof COMPILED_PROGRAM === 'undefined') return ['--import', import.meta.resolve('tsx'), path];
  const { packages, folder } = COMPILED_PROGRAM;
  return [join(folder, relative(packages, path)).replace(/\.ts$/, '.mjs')];
}

function sendTo({ channel }: Child, message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (channel === null || !channel.connected) return reject(new Error('the child process has ended'));
    channel.send(message as object, (error) => (error ? reject(error) : resolve()));
  });
}
