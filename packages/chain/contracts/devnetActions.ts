import { decodeEventLog, decodeFunctionResult, encodeFunctionData, toEventSelector } from 'viem';
import type { Hex } from '../messages/operation.ts';
import { ethCall, type Receipt } from '../rpc/chainReads.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { licenseAbi } from './abi/license.ts';
import { localRandomnessAbi } from './abi/localRandomness.ts';
import { verifierServiceAbi } from './abi/verifierService.ts';
import type { Deployment } from './deploy.ts';
import { sendTransactions, type SendOptions, type Transaction } from './sendTransactions.ts';

/** Reported attestations with their chosen nodes. */
export interface ChosenAttestations {
  /** Ids in the order of the texts. */
  attestationIds: readonly Hex[];
  requestId: bigint;
  /** Ethereum addresses of the chosen nodes. The position of a node is the `index` of its report. */
  chosen: readonly Hex[];
  /** Last timestamp (block time, in seconds) at which reports count. */
  deadline: bigint;
}

/** Gas limit for choosing 200 of 2,000 nodes. */
const fulfilGas = 8_000_000n;

/** Licenses per minting transaction: 200 would need about 14 million gas. */
const mintsAtOnce = 100;

/**
 * Mints licenses. The weight of each holder grows by its count.
 * @param options signed with the deployer's key
 */
export async function mintLicenses(
  rpc: RpcClient, { license }: Deployment, holders: readonly { address: Hex; count: number }[], options: SendOptions,
): Promise<void> {
  const transactions: Transaction[] = [];
  for (const { address, count } of holders) {
    for (let left = count; left > 0; left -= mintsAtOnce) {
      const data = encodeFunctionData({ abi: licenseAbi, functionName: 'mint', args: [address, BigInt(Math.min(left, mintsAtOnce))] });
      transactions.push({ to: license, data, gas: 200_000n + 120_000n * BigInt(Math.min(left, mintsAtOnce)) });
    }
  }
  await sendTransactions(rpc, transactions, options);
}

/**
 * Delegates licenses to a node other than their holder.
 * @param options signed with the holder's key
 */
export async function delegateLicenses(
  rpc: RpcClient, { service }: Deployment, tokenIds: readonly bigint[], node: Hex, options: SendOptions,
): Promise<void> {
  const transactions = tokenIds.map((tokenId) => ({
    to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'delegate', args: [tokenId, node] }), gas: 300_000n,
  }));
  await sendTransactions(rpc, transactions, options);
}

/**
 * Reports attestations as a TEE and fulfils the local randomness at once, so that the nodes are chosen.
 * @param infos texts of the attestations; each must be new
 * @param options signed with the key of a TEE: by default the deployer's
 */
export async function reportAttestations(
  rpc: RpcClient, deployment: Deployment, infos: readonly string[], options: SendOptions,
): Promise<ChosenAttestations> {
  const { service, vrf } = deployment;
  const report = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'teeReportAttestations', args: [infos] });
  const [reported] = (await sendTransactions(rpc, [{ to: service, data: report }], options)) as [Receipt];
  const { attestationIDs, requestID } = findEvent(reported, service, 'TeeReportAttestations');
  const fulfil = encodeFunctionData({ abi: localRandomnessAbi, functionName: 'fulfill', args: [requestID] });
  const [confirmed] = (await sendTransactions(rpc, [{ to: vrf, data: fulfil, gas: fulfilGas }], options)) as [Receipt];
  const { vrfChosen, deadline } = findEvent(confirmed, service, 'ConfirmVrfNodes');
  const outcomes = await rpc.batch(vrfChosen.map((id) => ({
    method: 'eth_call',
    params: [{ to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeAddrByID', args: [id] }) }, 'latest'],
  })), options.signal);
  const chosen = outcomes.map((outcome) => {
    if (!outcome.ok) throw outcome.error;
    return `0x${String(outcome.result).slice(-40)}` as Hex;
  });
  return { attestationIds: attestationIDs, requestId: requestID, chosen, deadline };
}

/** Counted votes for an attestation so far. */
export interface Votes {
  valid: number;
  invalid: number;
  malicious: number;
}

export async function fetchVotes(rpc: RpcClient, { service }: Deployment, attestationId: Hex, signal?: AbortSignal): Promise<Votes> {
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'attestations', args: [attestationId] });
  const answer = await ethCall(rpc, { to: service, data }, 'latest', signal);
  const { valid, invalid, malicious } = decodeFunctionResult({ abi: verifierServiceAbi, functionName: 'attestations', data: answer });
  return { valid, invalid, malicious };
}

/** Returns the timestamp of the newest block in seconds. Expiries and deadlines are measured in this time. */
export async function chainTime(rpc: RpcClient, signal?: AbortSignal): Promise<bigint> {
  const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false], signal);
  return BigInt(timestamp);
}

type Found<Name extends 'TeeReportAttestations' | 'ConfirmVrfNodes'> = ReturnType<
  typeof decodeEventLog<typeof verifierServiceAbi, Name>
>['args'];

function findEvent<Name extends 'TeeReportAttestations' | 'ConfirmVrfNodes'>(receipt: Receipt, emitter: Hex, eventName: Name): Found<Name> {
  const item = verifierServiceAbi.find((entry) => entry.type === 'event' && entry.name === eventName);
  const topic = item?.type === 'event' ? toEventSelector(item) : '';
  const log = receipt.logs.find(({ address, topics }) => address === emitter && topics[0] === topic);
  if (log === undefined) throw new Error(`Transaction ${receipt.transactionHash} did not emit ${eventName} at ${emitter}.`);
  return decodeEventLog({ abi: verifierServiceAbi, eventName, topics: log.topics as [Hex, ...Hex[]], data: log.data }).args as Found<Name>;
}
