import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Domain } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import type { Platform } from '@vouch/platform/product/product';
import { toHex } from '../requests/storedOperation.ts';
import type { GatewaySettings } from '../settings.ts';
import { ChainReader } from './chainState/chainReader.ts';
import { GatewayChain } from './chainState/gatewayChain.ts';
import type { ChainSettings } from './chainSettings.ts';
import { GatewayIntake } from './gatewayIntake.ts';
import { SignatureChecker } from './signatures/signatureChecker.ts';
import { RequestFinder } from './storing/requestFinder.ts';
import { RequestWriter } from './storing/requestWriter.ts';
import { SignerQuotas } from './storing/signerQuotas.ts';

/** The living parts of a gateway with a chain. Nothing is sent and nothing is loaded before the first use. */
export interface GatewayParts {
  rpc: RpcClient;
  chain: GatewayChain;
  /** Hash of the domain. */
  domain: Uint8Array;
  intake: GatewayIntake;
  signatures(): Promise<SignatureChecker>;
  close(): Promise<void>;
}

/** How long one endpoint may take for one request, so that a client that waits 30 s learns what is wrong. */
const endpointTimeoutMs = 5_000;

/**
 * Puts the parts of the intake together.
 * @param stored called after new messages were committed
 */
export function openGateway(platform: Platform, settings: GatewaySettings, chainSettings: ChainSettings, stored: () => void): GatewayParts {
  const { clock, random, database, log } = platform;
  const { chainId, contract, urls } = chainSettings;
  const rpc = createRpcClient({ urls, timeoutMs: endpointTimeoutMs }, platform);
  const named: Domain = { name: settings.domain_name, version: settings.domain_version, chainId };
  const domain = domainHash(named);
  const chain = new GatewayChain(new ChainReader(rpc, platform, log), { chainId, contract, domain: toHex(domain) }, clock);
  const signatures = once(async () => new SignatureChecker(await openRecovery(), `${named.name} ${named.version} on chain ${chainId}`));
  const quotas = new SignerQuotas(settings.signer_quota, clock);
  const writer = new RequestWriter(database, quotas, stored);
  const headers = {
    strict: settings.gateway_headers === 'strict', origins: settings.gateway_origins ?? null, appIds: settings.gateway_app_ids ?? null,
  };
  const intake = new GatewayIntake({ database, clock, random, chain, domain, signatures, quotas, writer, finder: new RequestFinder(database), headers });
  return { rpc, chain, domain, intake, signatures, close: () => rpc.close() };
}

/** The same promise for all; one that failed is made again. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    if (made === null) {
      made = make();
      made.catch(() => { made = null; });
    }
    return made;
  };
}
