/** Targets of the interactions of each content; a batch is read after each commit. */
const known = new WeakMap<Buffer, readonly string[]>();

/** Returns the targets of a batch of interactions: the third column. Values of the simulation have no commas, quotes or line ends. */
export function listTargets(content: Buffer): readonly string[] {
  const read = known.get(content);
  if (read !== undefined) return read;
  const [header, ...lines] = content.toString('utf8').trimEnd().split('\n');
  const column = header!.split(',').indexOf('target_id');
  const targets = column < 0 ? [] : lines.map((line) => line.split(',')[column]!.slice(1, -1));
  known.set(content, targets);
  return targets;
}
