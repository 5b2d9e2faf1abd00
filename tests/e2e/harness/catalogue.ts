const interactionHeader = 'type,source_id,target_id,timestamp,metadata';
const entityHeader = 'id,type,name,metadata,media_url';

/** Returns a CSV of interactions of each of `users` with each of `items`, without timestamps. */
export function everybodyWith(users: readonly string[], items: readonly string[]): string {
  const rows = users.flatMap((user) => items.map((item) => `view,${user},${item},,`));
  return `${interactionHeader}\n${rows.join('\n')}\n`;
}

/** Returns a CSV of entities of type `thing`: id and name, or id, name and a metadata word. */
export function things(...entities: readonly (readonly [id: string, name: string, word?: string])[]): string {
  const rows = entities.map(([id, name, word]) => `${id},thing,${name},${word === undefined ? '' : `"{""kind"":""${word}""}"`},`);
  return `${entityHeader}\n${rows.join('\n')}\n`;
}

/** Returns enough interactions for a training that takes seconds, so that a test can observe the running training. */
export function manyInteractions(users = 3_000, items = 900, each = 30): string {
  const rows: string[] = [interactionHeader];
  for (let user = 0; user < users; user += 1) {
    for (let at = 0; at < each; at += 1) rows.push(`view,u${user},i${(user * 31 + at * at * 7) % items},,`);
  }
  return `${rows.join('\n')}\n`;
}
