import type { Hex } from '@vouch/chain/messages/operation';
import type { Clock } from '@vouch/platform/process/doors';
import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/product';
import { defaultName, prefixOf, settingOf } from '../deployments/namedDeployment.ts';
import { countUnderWay, type UnderWay } from '../requests/countUnderWay.ts';
import { toHex } from '../requests/storedOperation.ts';
import { isWritten, readLanes } from '../lanes/laneStore.ts';
import { checkWriters } from './writerCheck.ts';

/** A message that is on its way for longer is being held up by something. */
const maxAgeSeconds = 300;

/** Whose queue it is. */
export interface QueueParts {
  /** As rows are scoped by it. */
  deployment: string;
  /** In the settings; `default` unless told. */
  name?: string;
  /** Chain and contract of further deployments in the settings: what was accepted for them was not left behind. */
  others?: readonly string[];
  /** Whether to tell what no deployment serves any more; one of several does. */
  tellsLeftBehind?: boolean;
}

/**
 * How many accepted messages are under way, since when the oldest is, which keys send nothing new and why, which left
 * transactions, and which messages were left with a chain or contract that nobody serves any more.
 * @param ownKeys addresses of the configured keys, lower case
 */
export async function checkQueue(platform: { database: Database; clock: Clock }, { deployment, name = defaultName, others = [], tellsLeftBehind = true }: QueueParts, ownKeys: readonly Hex[]): Promise<Finding[]> {
  const { database, clock } = platform;
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('gateway_requests') IS NOT NULL AND to_regclass('gateway_lines') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [{ status: 'ok', detail: 'nothing was accepted yet' }];
  const own = new Set(ownKeys);
  const lanes = (await readLanes(database, deployment)).filter((lane) => own.has(lane.relayer) || isWritten(lane, clock.now()));
  const paused = lanes.filter(({ state }) => state === 'paused');
  const left = (await readUnended(database, deployment)).filter(({ relayer }) => !own.has(relayer) && lanes.every((lane) => lane.relayer !== relayer));
  const leftBehind = tellsLeftBehind ? (await readLeftBehind(platform, deployment)).filter((each) => !others.some((service) => each.name.startsWith(`${service}:`))) : [];
  return [
    await checkAge(platform, deployment, { othersLeft: leftBehind.length > 0, prefix: prefixOf(name) }),
    ...(await checkWriters(database, deployment, ownKeys, (await countUnderWay(database, deployment)).count)),
    ...leftBehind.map(({ name, count, received }): Finding => ({
      status: 'warning',
      detail: `${count} ${count === 1 ? 'message' : 'messages'}, the oldest of ${received?.toISOString() ?? 'a time that is not known'}, ${count === 1 ? 'was' : 'were'} accepted for ${name}, which no gateway serves any more (${deployment} is served): nobody sends or follows ${count === 1 ? 'it' : 'them'}`,
      remedy: 'Serve that chain and contract again until they have ended (VOUCH_CHAIN_RPC_URL, VOUCH_CHAIN_ID, VOUCH_CONTRACT_ADDRESS); where the chain was begun anew they are lost with it, and their operators sign again.',
    })),
    ...paused.map(({ relayer, reason }): Finding => ({
      status: 'warning', detail: `${relayer} sends nothing new: ${reason ?? 'no reason is given'}`, remedy: 'Mend what the sentence names; messages wait meanwhile.',
    })),
    ...left.map(({ relayer, transactions, messages }): Finding => ({
      status: 'warning',
      detail: `${relayer} left ${transactions} ${transactions === 1 ? 'transaction' : 'transactions'} with ${messages} ${messages === 1 ? 'message' : 'messages'} on the way, and no gateway runs with that key: nobody learns what becomes of them`,
      remedy: `Put the key back beside the others (${settingOf(name, 'relayer_keys')} or ${settingOf(name, 'relayer_keystores')}) and start vouch serve again; take it out when this line is gone.`,
    })),
  ];
}

interface Unended {
  relayer: Hex;
  transactions: number;
  messages: number;
}

/** The keys that have transactions on the way, with what those carry. */
async function readUnended(database: Database, name: string): Promise<Unended[]> {
  const { rows } = await database.query<{ relayer: Buffer; transactions: number; messages: number }>(
    `SELECT relayer, count(*)::int AS transactions, sum(operations)::int AS messages FROM gateway_batches
     WHERE deployment = $1 AND state IN ('prepared', 'sent', 'mined') GROUP BY relayer ORDER BY relayer`, [name]);
  return rows.map(({ relayer, ...counted }) => ({ relayer: toHex(relayer), ...counted }));
}

/** Messages that have not ended, by deployments beside this one to which no key sends. */
async function readLeftBehind({ database, clock }: { database: Database; clock: Clock }, served: string): Promise<(UnderWay & { name: string })[]> {
  const { rows } = await database.query<{ deployment: string }>(
    `SELECT deployment FROM gateway_requests WHERE deployment <> $1 AND state IN ('verified', 'batched', 'sent')
     UNION SELECT deployment FROM gateway_batches WHERE deployment <> $1 AND state = 'mined' ORDER BY deployment LIMIT 100`, [served]);
  const left: (UnderWay & { name: string })[] = [];
  for (const { deployment: name } of rows) {
    if ((await readLanes(database, name)).some((lane) => isWritten(lane, clock.now()))) continue;
    const underWay = await countUnderWay(database, name);
    if (underWay.count > 0) left.push({ name, ...underWay });
  }
  return left;
}

async function checkAge({ database, clock }: { database: Database; clock: Clock }, name: string, { othersLeft, prefix }: { othersLeft: boolean; prefix: string }): Promise<Finding> {
  const { count, received: oldest } = await countUnderWay(database, name);
  if (oldest === null) return { status: 'ok', detail: `every accepted message ${othersLeft ? 'for what is served now ' : ''}has ended` };
  const age = Math.round((clock.now() - oldest.getTime()) / 1000);
  const detail = `${count} messages are under way, the oldest for ${age} s`;
  if (age <= maxAgeSeconds) return { status: 'ok', detail };
  return { status: 'warning', detail, remedy: `Start vouch serve with the relayer's key; GET ${prefix}/gateway/batches says what the newest transactions wait for.` };
}
