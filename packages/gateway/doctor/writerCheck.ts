import type { Connection } from '@vouch/platform/database/database';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Finding } from '@vouch/platform/product/product';
import { readKeyLeases } from '../lanes/laneStore.ts';

/** A takeover takes 15 s at most; a key without a writer for longer has none that could write. */
const maxUnwrittenSeconds = 30;
/** A single loss is a crash or an update; so many within ten minutes are a cause that stays. */
const maxLosses = 3;

/**
 * The keys that no gateway writes although messages wait, and those whose writer changes again and again. Nothing where all is well.
 * @param underWay accepted messages that have not ended
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
