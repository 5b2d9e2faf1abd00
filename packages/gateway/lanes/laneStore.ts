import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import { listLeases, type LeaseGroup, type LeaseRecord } from '@vouch/platform/lease/leaseStore';
import { formatEther } from 'viem/utils';
import { fromHex, toHex } from '../requests/storedOperation.ts';
import type { RelayerLane } from './relayerLane.ts';

/** Why a key starts no new transactions. Its pending transactions are still followed. */
export type Pause =
  | { because: 'fees'; baseFeeWei: bigint; capWei: bigint; setting: string }
  | { because: 'balance'; balanceWei: bigint; neededWei: bigint }
  | { because: 'chain'; reason: string }
  | { because: 'signer-unavailable'; reason: string }
  | { because: 'key-in-use'; deployment: string };

/** The state that a key's writer last read. */
export interface LaneSight {
  nonce: number;
  balanceWei: bigint;
  baseFeeWei: bigint;
  headNumber: number;
  /** Seconds since 1970. */
  headTime: number;
}

/** The stored state of a key. */
export interface LaneRecord {
  relayer: Hex;
  state: 'running' | 'paused';
  /** Null while the key runs; also null for pauses stored by earlier releases. */
  pauseCode: Pause['because'] | null;
  reason: string | null;
  chainNonce: number | null;
  balanceWei: bigint | null;
  headNumber: number | null;
  headTime: Date | null;
  updatedAt: Date;
}

const weiPerGwei = 1e9;

/** Age in ms after which a record means that the key has no writer: an idle writer updates its record every 3 s. */
const unwrittenMs = 120_000;

/** Whether a process currently writes the key's transactions. */
export function isWritten({ updatedAt }: LaneRecord, now: number): boolean {
  return !isUnwritten(updatedAt, now);
}

/** Whether a record of this age means that no process writes the key: a running writer updates its record every few seconds. */
export function isUnwritten(since: Date, now: number): boolean {
  return now - since.getTime() >= unwrittenMs;
}

/** Describes a pause: cause, numbers and remedy. */
function describePause(pause: Pause, { relayer }: RelayerLane): string {
  switch (pause.because) {
    case 'fees':
      return `The base fee of the chain is ${gwei(pause.baseFeeWei)} gwei, above the limit of ${gwei(pause.capWei)}: the key sends no new transactions until the fee falls. ` +
        `Raise ${pause.setting} to send sooner.`;
    case 'balance':
      return `The key has ${formatEther(pause.balanceWei)} ETH and needs ${formatEther(pause.neededWei)}: the key sends no new transactions until then. Send ether to ${relayer}.`;
    case 'chain':
      return `The chain cannot be read: ${pause.reason}`;
    case 'signer-unavailable':
      return `The key cannot sign: ${pause.reason}`;
    case 'key-in-use':
      return `The key sends the transactions of ${pause.deployment} on the same chain, where it has one sequence of nonces: it sends nothing for this deployment until ` +
        'it stops there. Give each deployment of a chain keys of its own.';
  }
}

/** Stores a key's state. If `sight` is null, the previous values remain. */
export async function writeLane(database: Transactor, lane: RelayerLane, pause: Pause | null, sight: LaneSight | null, at: Date): Promise<void> {
  await database.transaction((transaction) => transaction.query(
    `insert into gateway_lines (deployment, relayer, state, pause_code, reason, chain_nonce, balance_wei, base_fee_wei, head_number, head_time, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (deployment, relayer) do update set state = excluded.state, pause_code = excluded.pause_code, reason = excluded.reason,
       chain_nonce = coalesce(excluded.chain_nonce, gateway_lines.chain_nonce),
       balance_wei = coalesce(excluded.balance_wei, gateway_lines.balance_wei),
       base_fee_wei = coalesce(excluded.base_fee_wei, gateway_lines.base_fee_wei),
       head_number = coalesce(excluded.head_number, gateway_lines.head_number),
       head_time = coalesce(excluded.head_time, gateway_lines.head_time), updated_at = excluded.updated_at`,
    [
      lane.deployment, fromHex(lane.relayer), pause === null ? 'running' : 'paused', pause?.because ?? null, pause === null ? null : describePause(pause, lane),
      sight?.nonce ?? null, sight?.balanceWei ?? null, sight?.baseFeeWei ?? null, sight?.headNumber ?? null,
      sight === null ? null : new Date(sight.headTime * 1_000), at,
    ]));
}

/** Stores why a standby process cannot write the key; does nothing if the key has a writer for this deployment. */
export async function writeStandby(connection: Connection, lane: RelayerLane, pause: Pause, at: Date): Promise<void> {
  await connection.query(
    `insert into gateway_lines (deployment, relayer, state, pause_code, reason, updated_at)
     select $1, $2, 'paused', $3, $4, $5
     where not exists (select from leases where name = $6 and fence is not null and lease_until >= now())
     on conflict (deployment, relayer) do update set state = excluded.state, pause_code = excluded.pause_code, reason = excluded.reason,
       updated_at = excluded.updated_at`,
    [lane.deployment, fromHex(lane.relayer), pause.because, describePause(pause, lane), at, leaseName(lane)]);
}

const leaseBeginning = 'gateway:relayer:';

/** Name of a key's lease; `leaseName({ deployment, relayer: '0x' })` is the prefix of a deployment's lease names. */
export function leaseName({ deployment, relayer }: RelayerLane): string {
  return `${leaseBeginning}${deployment}:${relayer}`;
}

/**
 * The leases of a key on its chain, whatever the contract and wherever the key is stored. The key has one sequence of nonces per chain, so at most one
 * of the leases is held at a time. Chains with one id count as one chain.
 */
export function leaseGroup({ deployment, relayer }: RelayerLane): LeaseGroup {
  return { beginning: `${leaseBeginning}${deployment.split(':', 1)[0]}:`, end: `:${relayer}` };
}

/** The deployment of a lease's name. */
export function deploymentOf(lease: string): string {
  return lease.slice(leaseBeginning.length, lease.lastIndexOf(':'));
}

/** Reads the leases of a deployment's keys. */
export async function listKeyLeases(connection: Connection, deployment: string): Promise<(LeaseRecord & { relayer: Hex })[]> {
  const leases = await listLeases(connection, leaseName({ deployment, relayer: '0x' }));
  return leases.map((lease) => ({ ...lease, relayer: `0x${lease.name.slice(lease.name.lastIndexOf(':') + 3)}` }));
}

/** Reads the state of a deployment's keys, as their writers last stored it. */
export async function listLanes(connection: Connection, deployment: string): Promise<LaneRecord[]> {
  const { rows } = await connection.query<{
    relayer: Buffer; state: 'running' | 'paused'; pause_code: Pause['because'] | null; reason: string | null; chain_nonce: string | null; balance_wei: string | null;
    head_number: string | null; head_time: Date | null; updated_at: Date;
  }>(
    `select relayer, state, pause_code, reason, chain_nonce, balance_wei, head_number, head_time, updated_at from gateway_lines
     where deployment = $1 order by relayer`, [deployment]);
  return rows.map((row) => ({
    relayer: toHex(row.relayer),
    state: row.state,
    pauseCode: row.pause_code,
    reason: row.reason,
    chainNonce: row.chain_nonce === null ? null : Number(row.chain_nonce),
    balanceWei: row.balance_wei === null ? null : BigInt(row.balance_wei),
    headNumber: row.head_number === null ? null : Number(row.head_number),
    headTime: row.head_time,
    updatedAt: row.updated_at,
  }));
}

/**
 * Returns another deployment that gateways on this database serve now; null if there is none. After a change of contract or chain,
 * this is the deployment that the keys moved to.
 * @param now milliseconds since 1970
 */
export async function findServedElsewhere(connection: Connection, deployment: string, now: number): Promise<string | null> {
  const { rows } = await connection.query<{ deployment: string }>(
    'select deployment from gateway_lines where deployment <> $1 and updated_at > $2 order by updated_at desc limit 1',
    [deployment, new Date(now - unwrittenMs)]);
  return rows[0]?.deployment ?? null;
}

function gwei(wei: bigint): string {
  return String(Number(wei) / weiPerGwei);
}
