import type { Connection } from '@vouch/platform/database/database';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Fault } from '@vouch/platform/errors/problem';
import { findTraining } from '../models/modelStore.ts';

/** Number of newest events that are searched for their types. */
const searchedEvents = 100_000;

/**
 * Refuses interaction types that occur neither in the data of the models nor among the newest events, because such a type is probably a mistake.
 * @throws Problem invalid-parameter, with the types that occur
 */
export async function refuseUnknownTypes(
  connection: Connection, organizationId: string, modelIds: readonly string[], wanted: readonly { location: string; types: readonly string[] }[],
): Promise<void> {
  const known = new Set<string>();
  for (const modelId of modelIds) {
    const interactions = (await findTraining(connection, organizationId, modelId))?.data?.interactions;
    for (const type of Object.keys(interactions?.by_type ?? {})) known.add(type);
    // The summary of a training lists only the most frequent types.
    if (interactions !== undefined && interactions.types > Object.keys(interactions.by_type).length) return;
  }
  for (const type of await listEventTypes(connection, organizationId)) known.add(type);
  const faults = wanted.flatMap(({ location, types }) => types.filter((type) => !known.has(type)).map((type): Fault => ({ location, value: type, detail: describe(type, known) })));
  const [first] = faults;
  if (first !== undefined) throw platformErrors.problem('invalid-parameter', first.detail, { errors: faults });
}

async function listEventTypes(connection: Connection, organizationId: string): Promise<string[]> {
  const { rows } = await connection.query<{ type: string }>(
    `SELECT DISTINCT type FROM (SELECT type FROM events WHERE organization_id = $1 ORDER BY sequence DESC LIMIT ${searchedEvents}) AS newest WHERE type IS NOT NULL`,
    [organizationId],
  );
  return rows.map(({ type }) => type);
}

function describe(type: string, known: ReadonlySet<string>): string {
  const shown = [...known].filter((each) => each !== '').slice(0, 10).map((each) => JSON.stringify(each));
  const there = shown.length === 0 ? 'No interaction has a type' : `The types that occur are ${shown.join(', ')}${known.size > 10 ? ', …' : ''}`;
  return `No interaction has the type ${JSON.stringify(type.slice(0, 100))}, so it would never count. ${there}. Send one interaction with the type first if it is new.`;
}
