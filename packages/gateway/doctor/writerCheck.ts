import type { Connection } from '@vouch/platform/database/database';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Finding } from '@vouch/platform/product/findings';
import { listKeyLeases } from '../lanes/laneStore.ts';
import { gatewayFindings } from './gatewayFindings.ts';

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
  for (const { relayer, holder, held, ageSeconds, lostLately } of await listKeyLeases(database, deployment)) {
    if (!own.has(relayer)) continue;
    const age = Math.round(ageSeconds ?? 0);
    if (!held && underWay > 0 && age > maxUnwrittenSeconds) {
      findings.push(gatewayFindings.found(
        'lease-unheld',
        `no gateway has held the lease of the relayer key ${relayer} for ${age} s (last holder: process ${holder ?? 'unknown'}), and ${underWay} ${underWay === 1 ? 'message is' : 'messages are'} pending`,
      ));
    }
    if (lostLately >= maxLosses) {
      findings.push(gatewayFindings.found(
        'lease-lost',
        `the lease of the relayer key ${relayer} was lost ${lostLately === 8 ? 'at least 8' : lostLately} times within ten minutes (last holder: process ${holder ?? 'unknown'})`,
      ));
    }
  }
  return findings;
}
