import { Registry } from 'prom-client';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { openDeployments, rpcOptions } from '@vouch/gateway/product';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import type { Platform } from '@vouch/platform/product/product';
import type { Member } from '../cluster.ts';
import { chainId } from '../chain/simulatedEndpoint.ts';
import type { RpcNetwork } from '../chain/rpcNetwork.ts';
import { tellLog } from '../kernel/tellLog.ts';

/** Accepts a message as the HTTP route does. Rejects with the Problem that the client would get. */
export type Accept = (kind: Operation['kind'], body: unknown) => Promise<{ requestId: string; state: string }>;

/** Blocks that must follow a transaction; some gateways wait for more. */
export const confirmations = 3;
export const service: Hex = `0x${'5c'.repeat(20)}`;
export const multicall: Hex = `0x${'3c'.repeat(20)}`;
export const maxFeeGwei = 100;
/** Gas per signer and day, less than by default, so that some signers use their budgets up. */
export const signerBudgets: Partial<Record<string, number>> = { claimer: 250_000, report: 280_000 };

type GatewaySettings = Parameters<typeof openDeployments>[1];

/** The settings in which gateways that share a database may differ. */
export type OwnSettings = Pick<GatewaySettings, 'confirmations' | 'max_fee_gwei' | 'batch_window_ms' | 'batch_max_operations' | 'relayer_keys'>;

const usual = { confirmations, max_fee_gwei: maxFeeGwei, batch_window_ms: 500, batch_max_operations: 400 };

/** Draws the settings of one process. A process without relayer keys only accepts messages. @param sameForAll whether all processes have the usual ones */
export function drawSettings(random: SeededRandom, relayerKeys: readonly string[], sameForAll: boolean): OwnSettings {
  if (sameForAll) return { ...usual, relayer_keys: [...relayerKeys] };
  const keys = relayerKeys.filter(() => random.uniform() < 0.6);
  return {
    confirmations: confirmations + random.pick([0, 0, 2, 6]), max_fee_gwei: random.pick([maxFeeGwei, maxFeeGwei / 2]), batch_window_ms: random.pick([200, 500, 3_000]),
    batch_max_operations: random.pick([3, 400]), ...(keys.length > 0 ? { relayer_keys: keys } : {}),
  };
}

export function gatewaySettings(urls: string[], own: OwnSettings): GatewaySettings {
  return {
    chain_rpc_url: urls, chain_id: chainId, contract_address: service, multicall_address: multicall,
    domain_name: 'ProtocolService', domain_version: '1.0.0', batch_max_gas: 16_000_000,
    min_balance_eth: 0.01, signer_quota: 1_000, gateway_headers: 'strict', keeper: false, keeper_conclusions: 'none', gateway_retention_days: 0, ...own,
  };
}

const headers = { origin: 'https://operator.example', 'user-agent': 'simulation', 'x-app-id': 'verifier' };

/** Starts the gateway of one process: its intake, and one pipeline with a lane per relayer key. */
export function startGateway({ process, database }: Member, network: RpcNetwork, settings: GatewaySettings): Accept {
  // The gateway uses no other part of the platform.
  const platform = { ...process.system, log: tellLog(process), database, metrics: new Registry(), tracer: null, publicUrl: 'http://vouch.test' } as unknown as Platform;
  const { deployments: [deployment] } = openDeployments(platform, settings, (urls, chainId) => createRpcClient(rpcOptions(urls, chainId), process.system, () => network.connect(process)));
  deployment!.start();
  return async (kind, body) => {
    const { stored } = await deployment!.parts!.intake.accept(kind, body, headers);
    return { requestId: stored.requestId, state: stored.state };
  };
}
