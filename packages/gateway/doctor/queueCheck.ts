import type { Clock } from '@vouch/platform/process/doors';
import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/product';
import type { GatewayParts } from '../intake/gatewayParts.ts';
import { countUnderWay } from '../requests/countUnderWay.ts';
import { readLines } from '../sending/lineStore.ts';

/** A message that is on its way for longer is being held up by something. */
const ageSecondsMax = 300;

/** How many accepted messages are under way, since when the oldest is, and which keys send nothing new and why. */
export async function checkQueue(platform: { database: Database; clock: Clock }, { chain }: GatewayParts): Promise<Finding[]> {
  const { database } = platform;
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('gateway_requests') IS NOT NULL AND to_regclass('gateway_lines') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [{ status: 'ok', detail: 'nothing was accepted yet' }];
  const { name } = await chain.deployment();
  const paused = (await readLines(database, name)).filter(({ state }) => state === 'paused');
  return [
    await checkAge(platform, name),
    ...paused.map(({ relayer, reason }): Finding => ({
      status: 'warning', detail: `${relayer} sends nothing new: ${reason ?? 'no reason is given'}`, remedy: 'Mend what the sentence names; messages wait meanwhile.',
    })),
  ];
}

async function checkAge({ database, clock }: { database: Database; clock: Clock }, name: string): Promise<Finding> {
  const { count, received: oldest } = await countUnderWay(database, name);
  if (oldest === null) return { status: 'ok', detail: 'every accepted message has ended' };
  const age = Math.round((clock.now() - oldest.getTime()) / 1000);
  const detail = `${count} messages are under way, the oldest for ${age} s`;
  if (age <= ageSecondsMax) return { status: 'ok', detail };
  return { status: 'warning', detail, remedy: 'Start vouch serve with the relayer\'s key; GET /gateway/batches says what the newest transactions wait for.' };
}
