import { stepNames, type Reason, type Step, type StepName, type StepValue } from './outcome.ts';

/** Ends the verification at a failed step. Only verifyAttestation catches this error. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason: Reason;

  constructor(reason: Reason, sentence: string) {
    super(sentence);
    this.reason = reason;
  }
}

type Values = Readonly<Record<string, StepValue>>;

/** Records the steps of a verification with their values, and the collateral files that it relied on. */
export class Trail {
  readonly #made = new Map<StepName, Step>();
  readonly #files = new Set<string>();

  passed(name: StepName, values: Values): void {
    this.#made.set(name, { name, outcome: 'passed', values });
  }

  /** Records a failed step. @throws Refusal always, to end the verification */
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
