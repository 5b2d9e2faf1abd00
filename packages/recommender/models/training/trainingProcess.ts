import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import type { TrainingStage } from './trainingStages.ts';
import { parseTrainingMessage, type TrainingMessage, type TrainingTask } from './trainingTask.ts';

type Finished<Stage extends TrainingStage> = Extract<TrainingMessage, { kind: Stage }>;

interface TrainingProcessOptions {
  task: TrainingTask;
  memoryBytes: number;
  /** 0 to 19; processes with larger values have lower priority. */
  niceness: number;
  signal: AbortSignal;
  timers: Timers;
  progress(stage: TrainingStage, fraction: number): void;
}

/**
 * A training in a separate process. By default, the process has a lower priority than the server, so that queries stay fast.
 */
export class TrainingProcess {
  private readonly child: NodeChild;
  private readonly finished = new Map<TrainingStage, TrainingMessage>();
  private wake: () => void = () => {};
  private failure: unknown = null;
  private refusal: Extract<TrainingMessage, { kind: 'refused' }> | null = null;
  private ended = false;

  constructor(options: TrainingProcessOptions) {
    this.child = startNodeChild(
      {
        file: new URL('./train.child.ts', import.meta.url),
        parse: parseTrainingMessage,
        received: (message) => {
          if (message.kind === 'progress') return options.progress(message.stage, message.fraction);
          if (message.kind === 'refused') this.refusal = message;
          else this.finished.set(message.kind, message);
          this.wake();
        },
        limits: { memoryBytes: options.memoryBytes },
        niceness: options.niceness,
        signal: options.signal,
      },
      options.timers,
    );
    this.child.done.then(
      () => this.end(null),
      (error: unknown) => this.end(error),
    );
    this.child.send(options.task).catch(() => {
      // The child has ended; `done` contains the reason.
    });
  }

  /** Null if the process could not be started. */
  get processId(): number | null {
    return this.child.pid;
  }

  /**
   * Waits for the result of a stage.
   * @throws ChildFailed if the process ends before the stage is finished
   * @throws Problem if the process refuses the filter of the training
   */
  async result<Stage extends TrainingStage>(stage: Stage): Promise<Finished<Stage>> {
    for (;;) {
      const message = this.finished.get(stage);
      if (message !== undefined) return message as Finished<Stage>;
      if (this.refusal !== null) throw recommenderErrors.problem(this.refusal.code, this.refusal.detail);
      if (this.ended) throw this.failure ?? new Error(`the training process ended without its stage ${stage}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Stops the process; resolves when the process has ended, with or without success. */
  async stopped(): Promise<void> {
    this.child.stop({ kind: 'cancelled' });
    await this.child.done.catch(() => {});
  }

  private end(error: unknown): void {
    this.ended = true;
    this.failure = error;
    this.wake();
  }
}
