import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { basename } from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { ChildFailed, type ChildEnd } from './childEnd.ts';
import type { Timers } from './doors.ts';
import { createGroupMeter, groupLives, signalGroup } from './processGroup.ts';
import { findProgram, spawnGroup } from './spawnGroup.ts';
import { keepStderrTail } from './stderrTail.ts';

/** How often memory and processor time of the group are measured. */
const measureIntervalMs = 250;
/** How long a process that escaped the group may hold our pipes after the child's end. */
const pipeGraceMs = 2000;
/** Longest wait for killed members to be gone. */
const deathWaitMs = 2000;

export interface ChildLimits {
  /** Processor time of the whole group. */
  cpuSeconds?: number;
  /** Memory: resident set of the whole group (measured, Linux), and for programs also each process's address space. */
  memoryBytes?: number;
  /** Time from start to end. */
  wallMs?: number;
  /** Bytes on standard output and standard error together. */
  outputBytes?: number;
  /** Size of the largest file that it may write. */
  diskBytes?: number;
}

export interface ChildRequest {
  /** A path, or a name that is looked up in PATH. Never put secrets into `args`: process lists show them. */
  command: string;
  args: readonly string[];
  cwd?: string;
  /** Variables beside the few inherited ones; their values are kept out of errors. */
  env?: Readonly<Record<string, string>>;
  /** `pipe` gives a stream to write to. */
  stdin?: 'none' | 'pipe';
  /** `pipe` gives a stream, which must be read to its end or destroyed. */
  stdout?: 'none' | 'pipe';
  /** Further pipes that it writes, as descriptors 4 and 5, each to be read like standard output; at most 2, and not with `ipc`. */
  outputs?: 0 | 1 | 2;
  /** Hears all that the child writes to standard error; only its end is kept for errors. */
  heardStderr?(chunk: Buffer): void;
  limits?: ChildLimits;
  /** 0 to 19; larger gives way to others, 19 the most. */
  niceness?: number;
  /** Abort stops the whole group: SIGTERM, then SIGKILL after the grace. */
  signal?: AbortSignal;
  /** Time between SIGTERM and SIGKILL; 1000 unless told. */
  killGraceMs?: number;
  /** A channel of JSON messages, for children of Node. */
  ipc?: boolean;
  /** Name in sentences instead of the command's own. */
  name?: string;
  /** A Node program: its address space is not limited, since RLIMIT_AS breaks WebAssembly memory. */
  node?: boolean;
}

export interface Child {
  /** Process id, which is also the id of the group; null where it could not be started. */
  readonly pid: number | null;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  /** The pipes from descriptor 4 on; empty where it could not be started. */
  readonly outputs: readonly Readable[];
  /** Resolves when the child ended with code 0 and nothing of its group lives. @throws ChildFailed */
  readonly done: Promise<void>;
  /** Stops the group with the given reason; the first reason stands. */
  stop(end: ChildEnd): void;
  /** Whether our process stays alive while this child lives, which it does unless told; the child dies with us in any case. */
  hold(held: boolean): void;
  /** The channel's ends; null without `ipc`. */
  readonly channel: ChildProcess | null;
}

/**
 * Starts a program in a process group of its own. Whatever happens to it, to us or to what it forks: when `done` is
 * settled nothing of the group lives, and when we die the group dies too (Linux: setpriv where it is installed kills the
 * child at once; everywhere: the guard, which needs /bin/sh, kills the group).
 */
export function startChild(request: ChildRequest, timers: Timers): Child {
  const program = request.name ?? basename(request.command);
  const path = findProgram(request.command);
  if (path === null) {
    return failed(program, { kind: 'not-started', why: `${request.command} is not installed or may not be run` });
  }
  if (request.signal?.aborted) return failed(program, { kind: 'cancelled' });
  const { args, cwd, env = {}, stdin = 'none', stdout = 'none', outputs = 0, ipc = false, niceness = 0 } = request;
  if (ipc && outputs > 0) throw new Error(`${program}: a channel takes the place of the pipes from descriptor 4 on`);
  const started = spawnGroup(path, { args, cwd, env, stdin, stdout, outputs, ipc, niceness, shellLimits: shellLimits(request) });
  return started.pid === undefined ? spawnFailed(program, started) : watch(started, started.pid, program, request, timers);
}

/** Runs a program to its end and gives its standard output as text. @throws ChildFailed */
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
  // The measurement stops the group at the limit; the kernel's own limit is for one process and a second later.
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
    // After its end only what it had written can still be wrong; its number may already belong to another process.
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
  // Whoever waits gets the error; nobody waiting is no reason to end the whole process.
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

/** Resolves when the child has ended, its messages and standard error are read, and its group is dead. */
async function ending(child: ChildProcess, pid: number, timers: Timers): Promise<ChildEnd> {
  const drained = Promise.all([
    child.stderr === null ? null : new Promise((resolve) => child.stderr?.once('close', resolve)),
    child.channel ? new Promise((resolve) => child.once('disconnect', resolve)) : null,
  ]);
  const end = await new Promise<ChildEnd>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'signal', signal: signal ?? 'an unknown signal' } : { kind: 'exited', code }));
  });
  // The guard is still a member, so the group's number cannot belong to anybody else yet.
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

/** Recognises the ends that the kernel and V8 give for our limits. */
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
    // The child itself holds our process, where it is to.
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
