import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Recovery } from '@vouch/chain/messages/recovery';
import type { Platform } from '@vouch/platform/product/product';
import type { BudgetParts } from '../budgets/budgets.route.ts';
import { BudgetPolicies } from '../budgets/budgetPolicy.ts';
import { serviceName } from '../budgets/budgetStore.ts';
import type { NamedDeployment } from '../deployments/namedDeployment.ts';
import type { RecordMemory } from '../records/recordMemory.ts';
import { toHex } from '../requests/storedOperation.ts';
import { ChainReader } from '../intake/chainState/chainReader.ts';
import { GatewayChain } from '../intake/chainState/gatewayChain.ts';
import type { ChainSettings } from '../deployments/chainSettings.ts';
import { GatewayIntake } from '../intake/gatewayIntake.ts';
import { LicenseIndex } from '../intake/chainState/licenseIndex.ts';
import { SignatureChecker, type SigningDomain } from '../intake/signatures/signatureChecker.ts';
import { RequestFinder } from '../intake/storing/requestFinder.ts';
import { RequestWriter } from '../intake/storing/requestWriter.ts';
import { SignerQuotas } from '../intake/storing/signerQuotas.ts';
import { SpendingLedger } from '../intake/storing/spendingLedger.ts';
import type { HeaderRules } from '../intake/wire/readHeaders.ts';

/** The living parts of a deployment whose chain is named. Nothing is sent and nothing is loaded before the first use. */
export interface GatewayParts {
  /** Of the deployment. */
  name: string;
  rpc: RpcClient;
  chain: GatewayChain;
  /** Hash of the domain. */
  domain: Uint8Array;
  intake: GatewayIntake;
  budgets: BudgetParts;
  signatures(): Promise<SignatureChecker>;
  close(): Promise<void>;
}

/** How long one endpoint may take for one request, so that a client that waits 30 s learns what is wrong. */
const endpointTimeoutMs = 5_000;

/** A deployment with its parts. */
export interface ServedDeployment extends NamedDeployment {
  /** Null where its chain is not named. */
  parts: GatewayParts | null;
}

/** What all deployments of a gateway share. */
export interface SharedParts {
  headers: HeaderRules;
  records: RecordMemory;
  recovery(): Promise<Recovery>;
  /** What operators sign for, of every deployment. */
  domains: readonly SigningDomain[];
}

/** Whom the intake tells of what it does. */
export interface IntakeListeners {
  /** After new messages were committed. */
  stored(): void;
  /** For each message that a budget has no place for. */
  noteRefusal(scope: string, kind: string): void;
}

/** Puts the parts of a deployment's intake together. */
export function openGateway(
  platform: Platform, { name, settings }: NamedDeployment, chainSettings: ChainSettings, { headers, records, recovery, domains }: SharedParts,
  { stored, noteRefusal }: IntakeListeners,
): GatewayParts {
  const { clock, random, database, log } = platform;
  const { chainId, contract, urls } = chainSettings;
  const rpc = createRpcClient({ urls, timeoutMs: endpointTimeoutMs }, platform);
  const domain = domainHash(chainSettings.domain);
  const reader = new ChainReader(rpc, platform, log);
  const chain = new GatewayChain(reader, { chainId, contract, domain: toHex(domain) }, clock);
  const others = domains.filter((each) => each.name !== name && toHex(each.hash) !== toHex(domain));
  const signatures = once(async () => new SignatureChecker(await recovery(), describeDomain(chainSettings), others));
  const quotas = new SignerQuotas(settings.signer_quota, clock);
  const service = serviceName(chainId, contract);
  const policies = new BudgetPolicies(database, clock, service);
  const ledger = new SpendingLedger(policies, clock, noteRefusal);
  const writer = new RequestWriter(database, quotas, ledger, stored);
  const intake = new GatewayIntake({
    database, clock, random, chain, domain, signatures, quotas, policies, ledger, writer, headers, records,
    licenses: new LicenseIndex(reader, rpc, contract, clock),
    finder: new RequestFinder(database),
  });
  const budgets = { service, policies, deployment: () => chain.knownName ?? `${service}:` };
  return { name, rpc, chain, domain, intake, budgets, signatures, close: () => rpc.close() };
}

/** What operators sign for, as sentences name it. */
export function describeDomain({ domain: { name, version, chainId } }: ChainSettings): string {
  return `${name} ${version} on chain ${chainId}`;
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
