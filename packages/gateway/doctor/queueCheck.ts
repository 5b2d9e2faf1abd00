import type { Hex } from '@vouch/chain/messages/operation';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/findings';
import { defaultName, prefixOf, settingOf } from '../deployments/namedDeployment.ts';
import { countUnderWay, type UnderWay } from '../requests/countUnderWay.ts';
import { toHex } from '../requests/storedOperation.ts';
import { isWritten, listLanes } from '../lanes/laneStore.ts';
import { checkForeignUse } from './foreignCheck.ts';
import { checkWriters } from './writerCheck.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** Age in seconds above which a pending message is delayed. */
const maxAgeSeconds = 300;

/** The deployment whose queue is checked. */
export interface QueueParts {
  /** Name that scopes the rows. */
  deployment: string;
  /** Name in the settings; `default` if absent. */
  name?: string;
  /** `<chain id>:<contract>` of further configured deployments, whose messages are not left behind. */
  others?: readonly string[];
  /** Whether to report messages of deployments that nobody serves; only one of several deployments reports them. */
  tellsLeftBehind?: boolean;
}

/**
 * Reports pending messages and their age, paused keys with reasons, keys that left transactions behind, and messages for a chain or
 * contract that no gateway serves any more, and keys that another program uses.
 * @param ownKeys Ethereum addresses of the configured keys, in lower case
 */
export async function checkQueue(platform: { database: Database; clock: Clock }, { deployment, name = defaultName, others = [], tellsLeftBehind = true }: QueueParts, ownKeys: readonly Hex[]): Promise<Finding[]> {
  const { database, clock } = platform;
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('gateway_requests') IS NOT NULL AND to_regclass('gateway_lines') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [{ status: 'ok', detail: 'no message has been accepted yet' }];
  const own = new Set(ownKeys);
  const lanes = (await listLanes(database, deployment)).filter((lane) => own.has(lane.relayer) || isWritten(lane, clock.now()));
  const paused = lanes.filter(({ state }) => state === 'paused');
  const left = (await listUnended(database, deployment)).filter(({ relayer }) => !own.has(relayer) && lanes.every((lane) => lane.relayer !== relayer));
  const leftBehind = tellsLeftBehind ? (await listLeftBehind(platform, deployment)).filter((each) => !others.some((service) => each.name.startsWith(`${service}:`))) : [];
  return [
    await checkAge(platform, deployment, { othersLeft: leftBehind.length > 0, prefix: prefixOf(name) }),
    ...(await checkWriters(database, deployment, ownKeys, (await countUnderWay(database, deployment)).count)),
    ...leftBehind.map(({ name, count, received }) => gatewayFindings.found(
      'messages-left-behind',
      `${count} ${count === 1 ? 'message' : 'messages'} (the oldest received at ${received?.toISOString() ?? 'an unknown time'}) ${count === 1 ? 'was' : 'were'} accepted for ${name}, which no gateway serves any more (${deployment} is served): no gateway sends or follows ${count === 1 ? 'this message' : 'these messages'}`,
    )),
    ...(await checkForeignUse(database, deployment, clock.now())),
    ...paused.map(({ relayer, reason }) => gatewayFindings.found('key-paused', `${relayer} sends no new transactions: ${reason ?? 'no reason recorded'}`)),
    ...left.map(({ relayer, transactions, messages }) => gatewayFindings.found(
      'key-left-behind',
      `the relayer key ${relayer} has ${transactions} pending ${transactions === 1 ? 'transaction' : 'transactions'} with ${messages} ${messages === 1 ? 'message' : 'messages'}, but no gateway runs with this key, so no gateway follows ${transactions === 1 ? 'the transaction' : 'the transactions'}`,
      `Add the key again (${settingOf(name, 'relayer_keys')} or ${settingOf(name, 'relayer_keystores')}) and restart vouch serve. Remove the key once vouch doctor no longer reports this.`,
    )),
  ];
}

interface Unended {
  relayer: Hex;
  transactions: number;
  messages: number;
}

/** Reads the keys that have transactions which are not final. */
async function listUnended(database: Database, name: string): Promise<Unended[]> {
  const { rows } = await database.query<{ relayer: Buffer; transactions: number; messages: number }>(
    `SELECT relayer, count(*)::int AS transactions, sum(operations)::int AS messages FROM gateway_batches
     WHERE deployment = $1 AND state IN ('prepared', 'sent', 'mined') GROUP BY relayer ORDER BY relayer`, [name]);
  return rows.map(({ relayer, ...counted }) => ({ relayer: toHex(relayer), ...counted }));
}

/** Reads the pending messages of other deployments that have no writer. */
async function listLeftBehind({ database, clock }: { database: Database; clock: Clock }, served: string): Promise<(UnderWay & { name: string })[]> {
  const { rows } = await database.query<{ deployment: string }>(
    `SELECT deployment FROM gateway_requests WHERE deployment <> $1 AND state IN ('verified', 'batched', 'sent')
     UNION SELECT deployment FROM gateway_batches WHERE deployment <> $1 AND state = 'mined' ORDER BY deployment LIMIT 100`, [served]);
  const left: (UnderWay & { name: string })[] = [];
  for (const { deployment: name } of rows) {
    if ((await listLanes(database, name)).some((lane) => isWritten(lane, clock.now()))) continue;
    const underWay = await countUnderWay(database, name);
    if (underWay.count > 0) left.push({ name, ...underWay });
  }
  return left;
}

async function checkAge({ database, clock }: { database: Database; clock: Clock }, name: string, { othersLeft, prefix }: { othersLeft: boolean; prefix: string }): Promise<Finding> {
  const { count, received: oldest } = await countUnderWay(database, name);
  if (oldest === null) return { status: 'ok', detail: `every accepted message ${othersLeft ? 'for the served deployment ' : ''}has ended` };
  const age = Math.round((clock.now() - oldest.getTime()) / 1000);
  const detail = `${count} messages are pending, the oldest for ${age} s`;
  if (age <= maxAgeSeconds) return { status: 'ok', detail };
  return gatewayFindings.found('messages-delayed', detail, `Start vouch serve with the relayer's key; GET ${prefix}/gateway/batches shows what the newest transactions wait for.`);
}
