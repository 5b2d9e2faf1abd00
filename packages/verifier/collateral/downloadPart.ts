import type { Connect } from '@vouch/chain/rpc/endpoint';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { maxCollateralFileBytes } from '../attestation/collateral/readCollateralFolder.ts';
import { exchange } from '../reporting/exchange.ts';
import type { PartRequest } from './service.ts';

/** Answer of a service, not authenticated yet. */
export interface Downloaded {
  body: Buffer;
  /** Value of the header with the issuer chain; null without this header. */
  issuerChain: string | null;
}

/** Thrown if the service does not have the part or refuses to deliver it. The message is a sentence. */
export class PartRefused extends Error {
  override readonly name = 'PartRefused';
}

const timeoutMs = 30_000;

/** Downloads a part. @throws PartRefused; ExchangeFault if there is no complete answer; the reason of `signal` */
export async function downloadPart({ url, chainHeaders, what }: PartRequest, timers: Timers, signal: AbortSignal, connect?: Connect): Promise<Downloaded> {
  const { status, headers, body } = await exchange({ url, method: 'GET', headers: { 'user-agent': 'vouch-verifier' }, timeoutMs, maxAnswerBytes: maxCollateralFileBytes, signal }, timers, connect);
  if (status !== 200) throw new PartRefused(`${new URL(url).host} answered HTTP ${status} for the ${what}`);
  const header = chainHeaders.find((name) => headers[name] !== undefined);
  return { body, issuerChain: header === undefined ? null : headers[header] ?? null };
}
