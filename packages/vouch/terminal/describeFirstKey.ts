/**
 * What the first start says of the admin key that it made: the key itself on a terminal alone, since whatever else reads the
 * output may keep it as a log.
 */
export function describeFirstKey(key: string, file: string, isTerminal: boolean): string {
  const where = `The first admin key is in ${file}, which only this user may read. Send it in the header apikey. vouch keys create makes further ones.`;
  return isTerminal ? `The first admin key: ${key}\n${where}` : where;
}
