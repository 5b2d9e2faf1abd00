import { text } from 'node:stream/consumers';
import { openConnections } from '@vouch/platform/outbound/openConnections';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { SignedReport } from './preparedChain.ts';

const connections = 64;

function bodyOf({ operation, account, signature }: SignedReport): string {
  const { v, r, s } = signature;
  return JSON.stringify({ signer: account.address, v, r: r.slice(2), s: s.slice(2), attestation_id: operation.attestationId, result: operation.result, index: operation.index });
}

/**
 * Posts every report over a fixed number of connections, as fast as the server accepts them.
 * @returns the duration in seconds
 */
export async function postReports(url: string, reports: readonly SignedReport[]): Promise<number> {
  const pool = openConnections({ connectionsPerOrigin: connections, keep: true }, systemInterfaces.timers);
  const target = new URL('/explorer_alphanet/send_tx_node_report_verification', url);
  const bodies = reports.map(bodyOf);
  const started = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < bodies.length; at = next++) {
      const { status, body } = await pool.send(target, {
        method: 'POST', body: bodies[at] ?? '',
        headers: { 'content-type': 'application/json', origin: 'https://bench.example', 'user-agent': 'bench', 'x-app-id': 'bench' },
      });
      const said = await text(body);
      if (status !== 200) throw new Error(`the gateway answered ${status}: ${said}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  pool.close();
  return seconds;
}
