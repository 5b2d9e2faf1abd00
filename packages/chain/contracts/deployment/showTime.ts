/** Formats seconds since the epoch as UTC. */
export function showTime(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
