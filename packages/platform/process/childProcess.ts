import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { basename } from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { ChildFailed, type ChildEnd } from './childEnd.ts';
import type { Timers } from './systemInterfaces.ts';
import { createGroupMeter, groupLives, signalGroup } from './processGroup.ts';
import { findProgram, spawnGroup } from './spawnGroup.ts';
import { keepStderrTail } from './stderrTail.ts';

/** Interval in ms at which memory and processor time of the group are measured. */
const measureIntervalMs = 250;
/** Time in ms for which a process that left the group may keep the pipes open after the child's end. */
const pipeGraceMs = 2000;
/** Longest wait in ms for killed processes to disappear. */
const deathWaitMs = 2000;

/** Limits of a child process; each omitted limit does not apply. */
export interface ChildLimits {
  /** Limit for the processor time of the whole group, in seconds. */
  cpuSeconds?: number;
  /**
   * Limit for memory in bytes: the resident set of the whole group (measured, on Linux). For programs other than Node, also the address space of each
   * process.
   */
  memoryBytes?: number;
  /** Limit for the time from start to end, in ms. */
  wallMs?: number;
  /** Limit for the bytes on standard output and standard error together. */
  outputBytes?: number;
  /** Limit for the size of each file that the child writes, in bytes. */
  diskBytes?: number;
}

export interface ChildRequest {
  /** Path of the program, or a name that is looked up in PATH. `args` must never contain secrets, because process lists show them. */
  command: string;
  args: readonly string[];
  cwd?: string;
  /** Variables in addition to the few inherited ones. Their values are removed from error messages. */
  env?: Readonly<Record<string, string>>;
  /** `pipe` opens a stream for writing. */
  stdin?: 'none' | 'pipe';
  /** `pipe` opens a stream, which must be read completely or destroyed. */
  stdout?: 'none' | 'pipe';
  /** Number of further pipes that the child writes, from descriptor 4 on. Each must be read like standard output. Not together with `ipc`. */
  outputs?: 0 | 1 | 2;
  /** Called with all data that the child writes to standard error. Errors contain only the last part of it. */
  heardStderr?(chunk: Buffer): void;
  limits?: ChildLimits;
  /** 0 to 19. A process with a larger niceness gets less processor time. */
  niceness?: number;
  /** Aborting stops the whole group: SIGTERM, then SIGKILL after `killGraceMs`. */
  signal?: AbortSignal;
  /** Time in ms between SIGTERM and SIGKILL. Default: 1000. */
  killGraceMs?: number;
  /** Opens a channel for JSON messages, for children that run Node. */
  ipc?: boolean;
  /** Name in messages. Default: the base name of the command. */
  name?: string;
  /** The child runs Node. Its address space is not limited, because RLIMIT_AS breaks WebAssembly memory. */
  node?: boolean;
}

export interface Child {
  /** Process id, which is also the group id; null if the child could not be started. */
  readonly pid: number | null;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  /** The pipes from descriptor 4 on; empty if the child could not be started. */
  readonly outputs: readonly Readable[];
  /** Resolves when the child has ended with code 0 and no process of its group lives. @throws ChildFailed */
  readonly done: Promise<void>;
  /** Stops the group with this reason. Only the first reason counts. */
  stop(end: ChildEnd): void;
  /** Sets whether this process stays alive while the child lives, which is the default. The child dies with this process in any case. */
  hold(held: boolean): void;
  /** The message channel; null without `ipc`. */
  readonly channel: ChildProcess | null;
}

/**
 * Starts a program in its own process group. When `done` has settled, no process of the group lives, whatever the program forked. If this process
 * dies, the group dies too: on Linux with setpriv installed, the kernel kills the child at once; on all systems, a guard process (/bin/sh) kills the
 * group.
 * @example
 * const child = startChild({ command: 'ffmpeg', args, stdout: 'pipe', limits: { wallMs: 60_000 } }, timers);
 * for await (const part of child.stdout ?? []) use(part);
 * await child.done;
 */
export function startChild(request: ChildRequest, timers: Timers): Child {
  const program = request.name ?? basename(request.command);
  const path = findProgram(request.command);
  if (path === null) {
    return failed(program, { kind: 'not-started', why: `${request.command} is not installed or not executable` });
  }
  if (request.signal?.aborted) return failed(program, { kind: 'cancelled' });
  const { args, cwd, env = {}, stdin = 'none', stdout = 'none', outputs = 0, ipc = false, niceness = 0 } = request;
  if (ipc && outputs > 0) throw new Error(`${program}: a message channel and pipes from descriptor 4 on exclude each other`);
  const started = spawnGroup(path, { args, cwd, env, stdin, stdout, outputs, ipc, niceness, shellLimits: shellLimits(request) });
  return started.pid === undefined ? spawnFailed(program, started) : watch(started, started.pid, program, request, timers);
}

/** Runs a program until it ends and returns its standard output as text. @throws ChildFailed */
export async function runChild(
  request: ChildRequest & { limits: ChildLimits & { outputBytes: number } },
  timers: Timers,
): Promise<string> {
  const child = startChild({ ...request, stdout: 'pipe' }, timers);
  const parts: Buffer[] = [];
  child.stdout?.on('data', (part: Buffer) => parts.push(part));
  const read = new Promise((resolve) => (child.stdout === null ? resolve(null) : child.stdout.once('close', resolve)));
  await child.done;
  await read;
  return Buffer.concat(parts).toString('utf8');
}

function shellLimits({ limits = {}, node }: ChildRequest): string[] {
  const options: string[] = [];
  // The measurement stops the group at the limit. The kernel's limit applies per process and is one second later.
  if (limits.cpuSeconds !== undefined) options.push('-t', String(Math.ceil(limits.cpuSeconds) + 1));
  if (limits.memoryBytes !== undefined && !node) options.push('-v', String(Math.ceil(limits.memoryBytes / 1024)));
  if (limits.diskBytes !== undefined) options.push('-f', String(Math.ceil(limits.diskBytes / 512)));
  return options;
}

function watch(child: ChildProcess, pid: number, program: string, request: ChildRequest, timers: Timers): Child {
  const { limits = {} } = request;
  const ended = new AbortController();
  const tail = keepStderrTail(Object.values(request.env ?? {}));
  let reason: ChildEnd | null = null;
  let outputBytes = 0;

  const stop = (end: ChildEnd): void => {
    if (reason !== null) return;
    reason = end;
    // After the child's end, only its output can still exceed a limit. Its process id may already belong to another process, so no signal is sent.
    if (ended.signal.aborted) return;
    const patient = end.kind === 'cancelled' || end.kind === 'timed-out';
    signalGroup(pid, patient ? 'SIGTERM' : 'SIGKILL');
    if (!patient) return;
    void timers.sleep(request.killGraceMs ?? 1000, ended.signal).then(() => {
      if (!ended.signal.aborted) signalGroup(pid, 'SIGKILL');
    });
  };
  const count = (bytes: number): void => {
    outputBytes += bytes;
    if (limits.outputBytes !== undefined && outputBytes > limits.outputBytes) {
      stop({ kind: 'output', outputBytes: limits.outputBytes });
    }
  };
  const cancel = (): void => stop({ kind: 'cancelled' });

  child.stderr?.on('data', (chunk: Buffer) => {
    tail.add(chunk);
    count(chunk.length);
    request.heardStderr?.(chunk);
  });
  for (const stream of [child.stdin, child.stderr, child.stdio[3]]) stream?.on('error', () => {});
  request.signal?.addEventListener('abort', cancel, { once: true });
  void limitTime(limits, timers, ended.signal, stop);
  void limitUse(pid, limits, timers, ended.signal, stop);

  child.once('exit', () => {
    ended.abort();
    request.signal?.removeEventListener('abort', cancel);
  });
  const done = ending(child, pid, timers).then((end) => {
    const verdict = reason ?? judge(end, limits, tail.text());
    if (verdict.kind !== 'exited' || verdict.code !== 0) throw new ChildFailed(program, verdict, tail.text());
  });
  // Callers that await `done` get the error. Without a caller, an unhandled rejection would end the whole process.
  done.catch(() => {});
  return {
    pid, stdin: child.stdin, stdout: child.stdout === null ? null : counted(child.stdout, count), done, stop,
    outputs: child.stdio.slice(4).flatMap((pipe) => (pipe instanceof Readable ? [counted(pipe, count)] : [])),
    hold: (held) => holdChild(child, held),
    channel: request.ipc ? child : null,
  };
}

function holdChild(child: ChildProcess, held: boolean): void {
  const pipes = child.stdio.filter((stream) => stream instanceof Socket);
  for (const handle of [child, child.channel, ...pipes]) {
    if (held) handle?.ref();
    else handle?.unref();
  }
}

/** Resolves when the child has ended, its messages and standard error have been read, and its group is dead. */
async function ending(child: ChildProcess, pid: number, timers: Timers): Promise<ChildEnd> {
  const drained = Promise.all([
    child.stderr === null ? null : new Promise((resolve) => child.stderr?.once('close', resolve)),
    child.channel ? new Promise((resolve) => child.once('disconnect', resolve)) : null,
  ]);
  const end = await new Promise<ChildEnd>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'signal', signal: signal ?? 'an unknown signal' } : { kind: 'exited', code }));
  });
  // The guard is still in the group, so the group id cannot yet belong to other processes.
  signalGroup(pid, 'SIGKILL');
  const given = new AbortController();
  await Promise.race([drained, timers.sleep(pipeGraceMs, given.signal)]);
  given.abort();
  child.stderr?.destroy();
  child.stdio[3]?.destroy();
  if (child.connected) child.disconnect();
  for (let waited = 0; waited < deathWaitMs && groupLives(pid); waited += 5) await timers.sleep(5);
  return end;
}

/** Recognizes ends that the kernel or V8 causes at Vouch's limits. */
function judge(end: ChildEnd, limits: ChildLimits, stderr: string): ChildEnd {
  if (end.kind !== 'signal') return end;
  if (end.signal === 'SIGXCPU' && limits.cpuSeconds !== undefined) {
    return { kind: 'processor-time', cpuSeconds: limits.cpuSeconds };
  }
  if (end.signal === 'SIGXFSZ' && limits.diskBytes !== undefined) return { kind: 'disk', diskBytes: limits.diskBytes };
  if (end.signal === 'SIGABRT' && limits.memoryBytes !== undefined && stderr.includes('heap out of memory')) {
    return { kind: 'memory', memoryBytes: limits.memoryBytes, measuredBytes: null };
  }
  return end;
}

async function limitTime(
  { wallMs }: ChildLimits, timers: Timers, ended: AbortSignal, stop: (end: ChildEnd) => void,
): Promise<void> {
  if (wallMs === undefined) return;
  await timers.sleep(wallMs, ended);
  if (!ended.aborted) stop({ kind: 'timed-out', wallMs });
}

async function limitUse(
  pid: number, { memoryBytes, cpuSeconds }: ChildLimits, timers: Timers, ended: AbortSignal, stop: (end: ChildEnd) => void,
): Promise<void> {
  if (memoryBytes === undefined && cpuSeconds === undefined) return;
  const measure = createGroupMeter(pid);
  while (!ended.aborted) {
    const use = measure();
    if (use === null) return;
    if (memoryBytes !== undefined && use.residentBytes > memoryBytes) {
      return stop({ kind: 'memory', memoryBytes, measuredBytes: use.residentBytes });
    }
    if (cpuSeconds !== undefined && use.cpuSeconds > cpuSeconds) return stop({ kind: 'processor-time', cpuSeconds });
    // This timer does not keep the process alive; the child does, unless `hold(false)` was called.
    await timers.sleep(measureIntervalMs, ended, false);
  }
}

function counted(stdout: Readable, count: (bytes: number) => void): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      count(chunk.length);
      next(null, chunk);
    },
  });
  stdout.on('error', (error) => counter.destroy(error));
  counter.on('close', () => stdout.destroy());
  return stdout.pipe(counter);
}

function failed(program: string, end: ChildEnd): Child {
  return withoutProcess(Promise.reject(new ChildFailed(program, end, '')));
}

function spawnFailed(program: string, child: ChildProcess): Child {
  return withoutProcess(new Promise((_resolve, reject) => {
    child.once('error', (error) => reject(new ChildFailed(program, { kind: 'not-started', why: error.message }, '')));
  }));
}

function withoutProcess(done: Promise<void>): Child {
  done.catch(() => {});
  return { pid: null, stdin: null, stdout: null, outputs: [], done, stop: () => {}, hold: () => {}, channel: null };
}
