/** Formats a duration in its two largest units. */
export function describeSeconds(seconds: number): string {
  const units = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]] as const;
  const first = units.findIndex(([, length]) => seconds >= length);
  if (first < 0) return '0 s';
  let left = seconds;
  return units.slice(first, first + 2).flatMap(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [`${count} ${unit}`];
  }).join(' ');
}
