import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Domain } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import type { Platform } from '@vouch/platform/product/product';
import type { BudgetParts } from '../budgets/budgets.route.ts';
import { BudgetPolicies } from '../budgets/budgetPolicy.ts';
import { serviceName } from '../budgets/budgetStore.ts';
import { RecordMemory } from '../requests/recordMemory.ts';
import { toHex } from '../requests/storedOperation.ts';
import type { GatewaySettings } from '../settings.ts';
import { ChainReader } from './chainState/chainReader.ts';
import { GatewayChain } from './chainState/gatewayChain.ts';
import type { ChainSettings } from './chainSettings.ts';
import { GatewayIntake } from './gatewayIntake.ts';
import { LicenseIndex } from './chainState/licenseIndex.ts';
import { SignatureChecker } from './signatures/signatureChecker.ts';
import { RequestFinder } from './storing/requestFinder.ts';
import { RequestWriter } from './storing/requestWriter.ts';
import { SignerQuotas } from './storing/signerQuotas.ts';
import { SpendingLedger } from './storing/spendingLedger.ts';

/** The living parts of a gateway with a chain. Nothing is sent and nothing is loaded before the first use. */
export interface GatewayParts {
  rpc: RpcClient;
  chain: GatewayChain;
  /** Hash of the domain. */
  domain: Uint8Array;
  intake: GatewayIntake;
  records: RecordMemory;
  budgets: BudgetParts;
  signatures(): Promise<SignatureChecker>;
  close(): Promise<void>;
}

/** How long one endpoint may take for one request, so that a client that waits 30 s learns what is wrong. */
const endpointTimeoutMs = 5_000;

/** Whom the intake tells of what it does. */
export interface IntakeListeners {
  /** After new messages were committed. */
  stored(): void;
  /** For each message that a budget has no place for. */
  noteRefusal(scope: string, kind: string): void;
}

/** Puts the parts of the intake together. */
export function openGateway(platform: Platform, settings: GatewaySettings, chainSettings: ChainSettings, { stored, noteRefusal }: IntakeListeners): GatewayParts {
  const { clock, random, database, log } = platform;
  const { chainId, contract, urls } = chainSettings;
  const rpc = createRpcClient({ urls, timeoutMs: endpointTimeoutMs }, platform);
  const named: Domain = { name: settings.domain_name, version: settings.domain_version, chainId };
  const domain = domainHash(named);
  const reader = new ChainReader(rpc, platform, log);
  const chain = new GatewayChain(reader, { chainId, contract, domain: toHex(domain) }, clock);
  const signatures = once(async () => new SignatureChecker(await openRecovery(), `${named.name} ${named.version} on chain ${chainId}`));
  const quotas = new SignerQuotas(settings.signer_quota, clock);
  const service = serviceName(chainId, contract);
  const policies = new BudgetPolicies(database, clock, service);
  const ledger = new SpendingLedger(policies, clock, noteRefusal);
  const writer = new RequestWriter(database, quotas, ledger, stored);
  const headers = {
    strict: settings.gateway_headers === 'strict', origins: settings.gateway_origins ?? null, appIds: settings.gateway_app_ids ?? null,
  };
  const records = new RecordMemory();
  const intake = new GatewayIntake({
    database, clock, random, chain, domain, signatures, quotas, policies, ledger, writer, headers, records,
    licenses: new LicenseIndex(reader, rpc, contract, clock),
    finder: new RequestFinder(database),
  });
  const budgets = { service, policies, deployment: () => chain.knownName ?? `${service}:` };
  return { rpc, chain, domain, intake, records, budgets, signatures, close: () => rpc.close() };
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
