import { expect, test } from 'vitest';
import { countEvaluated } from './heldOutUsers.ts';

/** Split of users who each keep `kept` items and have one held-out item. */
function splitOf(users: number, kept: number) {
  const rows = (length: number) => ({
    pointer: Float64Array.from({ length: users + 1 }, (_, user) => length * user), index: new Int32Array(length * users),
  });
  return { train: rows(kept), test: rows(1) };
}

test.each([[4000, 6, 3000], [3999, 6, 1999], [3999, 9, 3000], [2000, 8, 1000], [1999, 20, 1999], [300, 6, 150], [300, 9, 300], [299, 6, 299], [5, 6, 5]])(
  'of %d users with %d items beside the held-out one, %d are evaluated', (users, kept, evaluated) => {
    expect(countEvaluated(splitOf(users, kept))).toBe(evaluated);
  },
);

test('users without held-out items do not count', () => {
  const { train, test: held } = splitOf(2000, 6);
  held.pointer.fill(held.pointer[1999] as number, 1999);
  expect(countEvaluated({ train, test: held })).toBe(999);
});
