import { fileURLToPath } from 'node:url';
import { basename } from 'node:path';
import { startChild, type Child, type ChildRequest } from './childProcess.ts';
import type { Timers } from './doors.ts';
import { programArguments } from './ownProgram.ts';

export interface NodeChildRequest<Message>
  extends Pick<ChildRequest, 'cwd' | 'env' | 'stdin' | 'stdout' | 'heardStderr' | 'limits' | 'niceness' | 'signal' | 'killGraceMs' | 'name'> {
  /** One of our own files, e.g. `./train.child.ts` beside `import.meta.url`; scripts/build/programs.js names each for the build. */
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
 * Runs one of our own files in a child process with a channel of JSON messages, whatever the working directory. The child speaks with `tellParent` and `hearParent`. With a memory
 * limit V8's heap is bounded by it too, so that it collects garbage before the limit is reached; the limit itself is on the
 * measured resident set.
 */
export function startNodeChild<Message>(request: NodeChildRequest<Message>, timers: Timers): NodeChild {
  const { file, parse, received, args = [], ...rest } = request;
  const heap = request.limits?.memoryBytes;
  const options = heap === undefined ? [] : [`--max-old-space-size=${Math.max(32, Math.floor(heap / 2 ** 20))}`];
  const child = startChild({
    name: basename(fileURLToPath(file)).replace(/\.[jt]s$/, ''),
    ...rest,
    command: process.execPath,
    args: [...options, ...programArguments(file), ...args],
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

function sendTo({ channel }: Child, message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (channel === null || !channel.connected) return reject(new Error('the child process has ended'));
    channel.send(message as object, (error) => (error ? reject(error) : resolve()));
  });
}
