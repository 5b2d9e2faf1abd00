import { fileURLToPath } from 'node:url';
import { basename } from 'node:path';
import { startChild, type Child, type ChildRequest } from './childProcess.ts';
import type { Timers } from './systemInterfaces.ts';
import { programArguments } from './ownProgram.ts';

export interface NodeChildRequest<Message>
  extends Pick<ChildRequest, 'cwd' | 'env' | 'stdin' | 'stdout' | 'heardStderr' | 'limits' | 'niceness' | 'signal' | 'killGraceMs' | 'name'> {
  /** One of Vouch's own files, e.g. `./train.child.ts` relative to `import.meta.url`. scripts/build/programs.js must list it for the build. */
  file: URL;
  args?: readonly string[];
  /** Converts a message of the child to its type. If the function throws, the child is stopped. */
  parse(message: unknown): Message;
  /** Called with each message in order. If the function throws, the child is stopped too. */
  received(message: Message): void;
}

export interface NodeChild extends Pick<Child, 'pid' | 'stdin' | 'stdout' | 'done' | 'stop' | 'hold'> {
  /** Sends a JSON message. Resolves when the message was handed over; rejects if the child has ended. */
  send(message: unknown): Promise<void>;
}

/**
 * Runs one of Vouch's own files in a child process with a channel for JSON messages. Works with any working directory. The child uses `onMessage`,
 * `send` and `disconnect`. A memory limit also limits V8's heap, so V8 collects garbage before the measured resident set reaches the limit.
 * @example
 * const child = startNodeChild({ file: conversionProgram, parse, received: (answer) => use(answer) }, timers);
 * await child.send({ path });
 * await child.done;
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
  return { pid, stdin, stdout, done, stop, hold, send: (message) => sendToChild(child, message) };
}

function sendToChild({ channel }: Child, message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (channel === null || !channel.connected) return reject(new Error('the child process has ended'));
    channel.send(message as object, (error) => (error ? reject(error) : resolve()));
  });
}

/** In the child: sends a JSON message to the parent. Resolves when the message was handed over, so that an exit afterwards cannot lose it. */
export function send(message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('vouch starts this program; do not start it by hand'));
    process.send(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}

/** In the child: calls `heard` with each message of the parent until `disconnect`. The open channel keeps the child alive. */
export function onMessage(heard: (message: unknown) => void): void {
  process.on('message', heard);
}

/** In the child: closes the channel, so that the child ends when its work is done. */
export function disconnect(): void {
  if (process.connected) process.disconnect();
}
