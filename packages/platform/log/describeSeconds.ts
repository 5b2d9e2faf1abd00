const units = [['d', 86_400n], ['h', 3_600n], ['min', 60n], ['s', 1n]] as const;

/**
 * Formats a duration in its two largest units; smaller units are cut off.
 * @param seconds fractions are cut off; a negative number counts as 0
 * @example
 * describeSeconds(23_400); // '6 h 30 min'
 */
export function describeSeconds(seconds: number | bigint): string {
  if (!(seconds >= 1)) return '0 s';
  let left = typeof seconds === 'bigint' ? seconds : BigInt(Math.floor(seconds));
  const first = units.findIndex(([, length]) => left >= length);
  return units.slice(first, first + 2).flatMap(([unit, length]) => {
    const count = left / length;
    left -= count * length;
    return count === 0n ? [] : [`${count} ${unit}`];
  }).join(' ');
}
