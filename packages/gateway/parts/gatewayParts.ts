import type { Hex } from '@vouch/chain/messages/operation';
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
import { likelyDomains } from '../intake/signatures/likelyDomains.ts';
import { SignatureChecker, type SigningDomain } from '../intake/signatures/signatureChecker.ts';
import { RequestFinder } from '../intake/storing/requestFinder.ts';
import { RequestWriter } from '../intake/storing/requestWriter.ts';
import { SignerQuotas } from '../intake/storing/signerQuotas.ts';
import { SpendingLedger } from '../intake/storing/spendingLedger.ts';
import type { HeaderRules } from '../intake/wire/parseHeaders.ts';

/**
 * The components of a deployment with a configured chain. Nothing connects to the chain or loads the signature library before
 * first use.
 */
export interface GatewayParts {
  /** Name of the deployment. */
  name: string;
  rpc: RpcClient;
  chain: GatewayChain;
  /** EIP-712 domain hash. */
  domain: Uint8Array;
  intake: GatewayIntake;
  budgets: BudgetParts;
  signatures(): Promise<SignatureChecker>;
  close(): Promise<void>;
}

/** A deployment with its components. */
export interface ServedDeployment extends NamedDeployment {
  /** Null if the deployment has no configured chain. */
  parts: GatewayParts | null;
}

/** What all deployments of one gateway share. */
export interface SharedParts {
  headers: HeaderRules;
  records: RecordMemory;
  recovery(): Promise<Recovery>;
  /** Creates the RPC client of one deployment, which uses only endpoints of the chain. */
  openRpc(urls: readonly string[], chainId: bigint): RpcClient;
  /** The EIP-712 domain of every deployment. */
  domains: readonly SigningDomain[];
}

/** Callbacks of the intake. */
export interface IntakeListeners {
  /** Called after new messages were committed. */
  stored(): void;
  /** Called for each message that exceeds a gas budget. */
  noteRefusal(scope: string, kind: string): void;
}

/** Builds the components of one deployment's intake. The caller closes the result with `close`. */
export function openGateway(
  platform: Platform, { name, settings }: NamedDeployment, chainSettings: ChainSettings, { headers, records, recovery, openRpc, domains }: SharedParts,
  { stored, noteRefusal }: IntakeListeners,
): GatewayParts {
  const { clock, random, database, log } = platform;
  const { chainId, contract, urls } = chainSettings;
  const rpc = openRpc(urls, chainId);
  const domain = domainHash(chainSettings.domain);
  const reader = new ChainReader(rpc, platform, log);
  const multicall: Hex = `0x${settings.multicall_address.slice(2).toLowerCase()}`;
  const chain = new GatewayChain(reader, { chainId, contract, multicall, domain: toHex(domain), confirmations: settings.confirmations }, platform);
  const others = domains.filter((each) => each.name !== name && toHex(each.hash) !== toHex(domain));
  const signatures = once(async () => new SignatureChecker(await recovery(), describeDomain(chainSettings), others, likelyDomains(chainSettings.domain, contract)));
  const quotas = new SignerQuotas(settings.signer_quota, platform);
  const service = serviceName(chainId, contract);
  const policies = new BudgetPolicies(database, platform, service);
  const ledger = new SpendingLedger(policies, platform, noteRefusal);
  const writer = new RequestWriter(database, quotas, ledger, stored);
  const intake = new GatewayIntake({
    database, clock, random, chain, domain, signatures, quotas, policies, ledger, writer, headers, records,
    licenses: new LicenseIndex(reader, rpc, contract, platform),
    finder: new RequestFinder(database),
  });
  const budgets = { service, policies, deployment: () => chain.knownName ?? `${service}:` };
  return { name, rpc, chain, domain, intake, budgets, signatures, close: () => rpc.close() };
}

/** The EIP-712 domain as error messages print it: name, version and chain id. */
export function describeDomain({ domain: { name, version, chainId } }: ChainSettings): string {
  return `${name} ${version} on chain ${chainId}`;
}

/** Calls `make` once and returns its promise to every caller; calls `make` again after a rejection. */
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
