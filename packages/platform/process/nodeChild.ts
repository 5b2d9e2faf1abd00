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
 * Runs one of our own files in a child process with a channel of JSON messages, whatever the working directory. The child uses
 * `onMessage`, `send` and `disconnect`. A memory limit also bounds V8's heap, so that V8 collects garbage before the measured
 * resident set reaches the limit.
 *
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

/** In the child: sends a JSON message to the parent. Resolves when the message was handed over, so that an exit cannot lose it. */
export function send(message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) return reject(new Error('this program is started by vouch, not by hand'));
    process.send(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}

/** In the child: calls `heard` with each message of the parent until `disconnect`; the open channel keeps the child alive. */
export function onMessage(heard: (message: unknown) => void): void {
  process.on('message', heard);
}

/** In the child: closes the channel, so that the child ends by itself when its work is done. */
export function disconnect(): void {
  if (process.connected) process.disconnect();
}
