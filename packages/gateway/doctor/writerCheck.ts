import type { Connection } from '@vouch/platform/database/database';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Finding } from '@vouch/platform/product/product';
import { readKeyLeases } from '../lanes/laneStore.ts';

/** Age in seconds of a lease above which its key has no writer; a takeover takes at most 15 s. */
const maxUnwrittenSeconds = 30;
/** Number of lost leases within ten minutes that indicates a lasting cause; a single loss can be a crash or an update. */
const maxLosses = 3;

/**
 * Reports keys without a writer while messages wait, and keys whose writer changes repeatedly.
 * @param underWay number of accepted messages that have not ended
 * @returns an empty list if there is no problem
 */
export async function checkWriters(database: Connection, deployment: string, ownKeys: readonly Hex[], underWay: number): Promise<Finding[]> {
  const { rows: [found] } = await database.query<{ there: boolean }>(`select to_regclass('leases') is not null as there`);
  if (found?.there !== true) return [];
  const own = new Set(ownKeys);
  const findings: Finding[] = [];
  for (const { relayer, holder, held, ageSeconds, lostLately } of await readKeyLeases(database, deployment)) {
    if (!own.has(relayer)) continue;
    const age = Math.round(ageSeconds ?? 0);
    if (!held && underWay > 0 && age > maxUnwrittenSeconds) {
      findings.push({
        status: 'fault',
        detail: `no gateway has written the transactions of ${relayer} for ${age} s, the last was process ${holder ?? 'unknown'}, and ${underWay} ${underWay === 1 ? 'message is' : 'messages are'} under way`,
        remedy: 'Start vouch serve with this key. Where one runs, its log names the lease and what keeps it from taking it: mostly no endpoint of the chain answers it.',
      });
    }
    if (lostLately >= maxLosses) {
      findings.push({
        status: 'warning',
        detail: `the writer of ${relayer} was lost ${lostLately === 8 ? 'at least 8' : lostLately} times within ten minutes; the last is process ${holder ?? 'unknown'}`,
        remedy: 'Compare the logs of the gateways: a writer that loses its lease did not reach the chain or PostgreSQL for 7 s, or its machine stood still. Messages are sent once all the same, but later.',
      });
    }
  }
  return findings;
}
