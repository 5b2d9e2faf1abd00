/** 99.9 % quantile of the chi-square distribution with one degree of freedom. */
const critical = 10.828;

/**
 * Tests whether the numbers of users match the share of arm b (Pearson's chi-square test). A mismatch means that users are lost or counted in one arm only,
 * so the rates cannot be compared. A correct split shows a mismatch in 0.1 % of the readings.
 * @param share between 0 and 1, both excluded
 */
export function testSampleRatio(usersA: number, usersB: number, share: number): { chiSquare: number; isMismatch: boolean } {
  const users = usersA + usersB;
  if (users === 0) return { chiSquare: 0, isMismatch: false };
  const expected = users * share;
  const chiSquare = (usersB - expected) ** 2 / (expected * (1 - share));
  return { chiSquare, isMismatch: chiSquare > critical };
}
