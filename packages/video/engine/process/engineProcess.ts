import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import { mediaErrors } from '../mediaErrors.ts';
import { parseEngineMessage, type EngineCallName, type EngineCalls, type EngineMessage, type EngineSetup, type ReportProgress } from './engineCalls.ts';

export interface EngineProcessOptions {
  setup: EngineSetup;
  /** Abort kills the process and everything it started. */
  signal: AbortSignal;
  timers: Timers;
  /** Time limit of the whole process, ms. */
  wallMs: number;
  /** Receives the id of the process when the process has started. */
  started?: ((processId: number) => void) | undefined;
}

interface Pending {
  progress(fraction: number): void;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * Memory limit of the engine process without its decoders; at most 300 MB were measured, for a video of three hours in the
 * tier `accurate`.
 */
const engineMemoryBytes = 1024 * 2 ** 20;

/**
 * Runs the engine in a separate process, because measuring pictures would block the event loop, and a crash of the engine must
 * cost only one run. The process starts at the first call. The decoders are children of the process and die with the process.
 */
export class EngineProcess {
  private readonly options: EngineProcessOptions;
  private child: NodeChild | null = null;
  private readonly pending = new Map<number, Pending>();
  private count = 0;
  private end: unknown = null;

  constructor(options: EngineProcessOptions) {
    this.options = options;
  }

  /**
   * Sends one call to the engine.
   * @param progress receives the progress of the call, 0–1
   * @throws Problem of `mediaErrors` or `storage-full`; the signal's reason on abort; ChildFailed if the process was killed
   *   from outside
   */
  async call<Name extends EngineCallName>(
    call: Name, ask: EngineCalls[Name]['ask'], progress: ReportProgress = () => {},
  ): Promise<EngineCalls[Name]['answer']> {
    if (this.end !== null) throw this.end;
    this.child ??= this.start();
    const id = (this.count += 1);
    const answer = new Promise<unknown>((resolve, reject) => this.pending.set(id, { progress, resolve, reject }));
    this.child.send({ id, call, ask }).catch(() => {
      // The process has ended; `done` says why.
    });
    // Both sides run from the same source, so the answer has the type of the call.
    return await answer as EngineCalls[Name]['answer'];
  }

  /** Stops the process. Resolves when the process and its decoders are gone. */
  async stopped(): Promise<void> {
    this.child?.stop({ kind: 'cancelled' });
    await this.child?.done.catch(() => {});
  }

  private start(): NodeChild {
    const { setup, signal, timers, wallMs, started } = this.options;
    const child = startNodeChild({
      file: new URL('./engine.child.ts', import.meta.url),
      parse: parseEngineMessage,
      received: (message) => this.receive(message),
      limits: { memoryBytes: engineMemoryBytes, wallMs },
      niceness: setup.limits.niceness,
      signal,
      killGraceMs: 200,
      name: 'the video engine',
    }, timers);
    child.done.then(
      () => this.ended(new Error('the process of the video engine ended before it answered')),
      (error: unknown) => this.ended(signal.aborted ? signal.reason : asProblem(error)),
    );
    child.send(setup).catch(() => {
      // The process has ended; `done` says why.
    });
    if (child.pid !== null) started?.(child.pid);
    return child;
  }

  private receive(message: EngineMessage): void {
    const pending = this.pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'progress') return pending.progress(message.fraction);
    this.pending.delete(message.id);
    if (message.kind === 'answer') pending.resolve(message.answer);
    else pending.reject(message.kind === 'problem' ? problemOf(message.code, message.detail) : new Error(message.message));
  }

  private ended(error: unknown): void {
    this.end = error;
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }
}

function problemOf(code: string, detail: string): Error {
  if (code === 'storage-full') return platformErrors.problem('storage-full', detail);
  const known = Object.keys(mediaErrors.entries).find((entry) => entry === code) as keyof typeof mediaErrors.entries | undefined;
  return known === undefined ? new Error(`${code}: ${detail}`) : mediaErrors.problem(known, detail);
}

/**
 * Turns a reached limit into a Problem, because a new attempt would reach the limit again. After a kill from outside, the job
 * is tried again.
 */
function asProblem(error: unknown): unknown {
  if (!(error instanceof ChildFailed)) return error;
  if (!['memory', 'timed-out', 'processor-time', 'disk'].includes(error.end.kind)) return error;
  return mediaErrors.problem('media-limit', `The run was stopped: ${error.message}. Use a lower tier in options.analysis, or raise the limits of the video settings.`, { cause: error });
}
