/**
 * Describes the admin key of the first start. Contains the key itself only for a terminal, because other readers of the output may
 * store it in a log.
 */
export function describeFirstKey(key: string, file: string, isTerminal: boolean): string {
  const where = `The first admin key is in ${file}, which only this user can read. Send the key in the header apikey. vouch keys create creates more keys.`;
  return isTerminal ? `The first admin key: ${key}\n${where}` : where;
}
