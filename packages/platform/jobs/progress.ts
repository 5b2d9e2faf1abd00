import type { JobKind } from './job.ts';

/** The progress of one attempt; `enter`, `within` and `leave` update it. */
export interface Progress {
  /** Name of the current stage; null before the first. */
  readonly stage: string | null;
  /** Progress of the whole job, 0 to 1; never decreases. */
  readonly total: number;
  enter(stage: string): void;
  within(fraction: number): void;
  leave(stage: string): void;
}

/** Computes the progress of a job from its stages and their shares. @param start progress that an earlier attempt reached, 0 to 1 */
export function createProgress(kind: Pick<JobKind, 'name' | 'stages'>, start: number): Progress {
  let stage: string | null = null;
  let total = start;

  function span(name: string): { from: number; share: number } {
    const index = kind.stages.findIndex((each) => each.name === name);
    if (index < 0) throw new Error(`the kind ${kind.name} has no stage ${name}`);
    const from = kind.stages.slice(0, index).reduce((sum, { share }) => sum + share, 0);
    return { from, share: kind.stages[index]?.share ?? 0 };
  }

  function raise(name: string, fraction: number): void {
    const { from, share } = span(name);
    const bounded = Number.isFinite(fraction) ? Math.min(Math.max(fraction, 0), 1) : 0;
    total = Math.min(1, Math.max(total, from + share * bounded));
  }

  return {
    get stage() { return stage; },
    get total() { return total; },
    enter(name) {
      raise(name, 0);
      stage = name;
    },
    within(fraction) {
      if (stage !== null) raise(stage, fraction);
    },
    leave: (name) => raise(name, 1),
  };
}
