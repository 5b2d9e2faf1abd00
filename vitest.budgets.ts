/** What the tests of a room may take of a whole run, in percent of the sum of all files' seconds. */
export interface Budget {
  /** Path that the test files begin with; the longest that fits counts. */
  room: string;
  /** All files of the room together. */
  all: number;
  /** Each file. */
  file: number;
}

/**
 * A run never fails by time: machines differ, and other programs run beside the tests. `npm test` prints at its end what exceeds its
 * budget. The budgets add up to more than 100, so that a room may grow without a change here.
 */
export const budgets: readonly Budget[] = [
  { room: 'packages/platform/', all: 15, file: 2.5 },
  { room: 'packages/recommender/', all: 12, file: 2 },
  { room: 'packages/video/', all: 12, file: 2 },
  { room: 'packages/chain/', all: 8, file: 2.5 },
  { room: 'packages/gateway/', all: 15, file: 2.5 },
  { room: 'packages/verifier/', all: 8, file: 1.5 },
  { room: 'packages/client/', all: 1, file: 0.5 },
  { room: 'packages/console/', all: 1, file: 1 },
  { room: 'packages/vouch/', all: 5, file: 2 },
  { room: 'tests/architecture/', all: 1, file: 0.5 },
  { room: 'tests/crash/', all: 20, file: 5 },
  { room: 'tests/e2e/', all: 28, file: 3.5 },
  { room: 'tests/e2e/console', all: 4, file: 4 },
  // Every statement of the specification, and a server for each that breaks the statement.
  { room: 'tests/e2e/conformance/', all: 9, file: 8 },
  { room: 'tests/fuzz/', all: 4, file: 2 },
  { room: 'tests/simulation/', all: 4, file: 4 },
  { room: 'tests/scale/', all: 1, file: 0.5 },
  { room: 'tests/reliability/', all: 1, file: 0.5 },
  { room: 'bench/', all: 2, file: 1 },
  { room: 'examples/', all: 1, file: 0.5 },
];

/** The budget of a test file; undefined where no room has the file. */
export function budgetOf(path: string): Budget | undefined {
  return budgets.filter(({ room }) => path.startsWith(room)).toSorted((left, right) => right.room.length - left.room.length)[0];
}
