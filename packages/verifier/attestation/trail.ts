import { stepNames, type Reason, type Step, type StepName, type StepValue } from './outcome.ts';

/** Why the examination ended at a step. Never leaves verifyAttestation. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: Reason;

  constructor(reason: Reason, sentence: string) {
    super(sentence);
    this.reason = reason;
  }
}

type Values = Readonly<Record<string, StepValue>>;

/** What an examination leaves behind: its steps with their values, and the files it relied on. */
export class Trail {
  readonly #made = new Map<StepName, Step>();
  readonly #files = new Set<string>();

  passed(name: StepName, values: Values): void {
    this.#made.set(name, { name, outcome: 'passed', values });
  }

  /** Records the step and ends the examination. */
  refuse(name: StepName, reason: Reason, sentence: string, values: Values): never {
    this.#made.set(name, { name, outcome: 'failed', values: { ...values, reason: sentence } });
    throw new Refusal(reason, sentence);
  }

  reliesOn(files: Iterable<string>): void {
    for (const file of files) this.#files.add(file);
  }

  get steps(): Step[] {
    return stepNames.map((name) => this.#made.get(name) ?? { name, outcome: 'not reached', values: {} });
  }

  get files(): string[] {
    return [...this.#files].sort();
  }
}
