import type { Connection } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';

/** Failed attempts after which a callback is reported; the third one follows the first after about 25 s. */
const leastFailures = 3;
/** Receivers that a finding names. */
const shownHosts = 5;

interface Receiver {
  host: string;
  count: string;
  reason: string | null;
}

/** Reports the callbacks of the last seven days: given up, or pending after several failed attempts, by receiver with the latest reason. */
export async function checkCallbacks(database: Connection): Promise<Finding[]> {
  const { rows } = await database.query<{ status: string; count: string }>(
    `SELECT status, count(*) AS count FROM webhook_deliveries WHERE created_at > now() - interval '7 days' GROUP BY status`,
  );
  const count = (status: string): number => Number(rows.find((row) => row.status === status)?.count ?? 0);
  const detail = `last 7 days: ${count('delivered')} delivered, ${count('pending')} pending, ${count('given_up')} given up`;
  const findings: Finding[] = [];
  const failing = await listReceivers(database, `status = 'pending' AND failures >= ${leastFailures}`);
  if (failing.length > 0) {
    const total = failing.reduce((sum, receiver) => sum + Number(receiver.count), 0);
    const attempts = `${leastFailures} attempts or more have failed`;
    findings.push(platformFindings.found('callbacks-failing', `${total} pending ${total === 1 ? 'callback, of which' : 'callbacks, of each of which'} ${attempts}: ${describe(failing)}`));
  }
  if (count('given_up') > 0) {
    const given = await listReceivers(database, `status = 'given_up' AND created_at > now() - interval '7 days'`);
    findings.push(platformFindings.found('callbacks-given-up', `${detail}: ${describe(given)}`));
  }
  return findings.length > 0 ? findings : [{ status: 'ok', detail }];
}

/** The hosts of deliveries, without the paths, which can contain secrets. @param condition SQL */
async function listReceivers(database: Connection, condition: string): Promise<Receiver[]> {
  const { rows } = await database.query<Receiver>(
    `SELECT host, count(*) AS count, (array_agg(last_error ORDER BY number DESC))[1] AS reason FROM webhook_deliveries WHERE ${condition}
     GROUP BY host ORDER BY count(*) DESC, host`,
  );
  return rows;
}

function describe(receivers: readonly Receiver[]): string {
  const named = receivers.slice(0, shownHosts).map(({ host, count, reason }) => `${count} to ${host} (${reason ?? 'no reason recorded'})`);
  return `${named.join(', ')}${receivers.length > named.length ? `, and ${receivers.length - named.length} more receivers` : ''}`;
}
