import { decodeEventLog, toEventSelector, type Abi, type AbiEvent } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { parseObject } from '../../rpc/parseResult.ts';
import { BlockRange } from '../../rpc/blockRange.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { scanLogs } from '../../rpc/scanLogs.ts';
import { artifacts } from './contractList.ts';
import type { ContractName, Contracts } from './contractNames.ts';

/** Maximum number of blocks per request; scanLogs reduces the number if an endpoint refuses. */
const blocksMax = 10_000;

/** An event of a contract in the deployment. */
export interface ContractEvent {
  contract: ContractName;
  name: string;
  args: Readonly<Record<string, unknown>>;
}

/**
 * Reads the events of a deployment in a block range.
 * @throws RpcRefused, RpcUnavailable
 */
export async function fetchEvents(
  rpc: RpcClient, contracts: Contracts, names: Readonly<Partial<Record<ContractName, readonly string[]>>>,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number }, signal?: AbortSignal,
): Promise<ContractEvent[]> {
  const wanted = (Object.keys(names) as ContractName[]).flatMap((contract) => {
    const address = contracts[contract];
    return address === null ? [] : [{ contract, address, topics: (names[contract] ?? []).map((name) => topicOf(contract, name)) }];
  });
  const filter = { address: wanted.map(({ address }) => address), topics: [[...new Set(wanted.flatMap(({ topics }) => topics))]] };
  const events: ContractEvent[] = [];
  for await (const { logs } of scanLogs(rpc, { ...filter, fromBlock, toBlock, range: new BlockRange(blocksMax), ...(signal === undefined ? {} : { signal }) })) {
    for (const { address, topics, data } of logs) {
      const found = wanted.find((each) => each.address === address && each.topics.includes(topics[0] as Hex));
      if (found === undefined) continue;
      const { eventName = '', args = {} } = decodeEventLog({ abi: artifacts[found.contract].abi as Abi, topics: topics as [Hex, ...Hex[]], data });
      events.push({ contract: found.contract, name: eventName, args: parseObject(args) });
    }
  }
  return events;
}

function topicOf(contract: ContractName, name: string): Hex {
  const item = (artifacts[contract].abi as Abi).find((each): each is AbiEvent => each.type === 'event' && each.name === name);
  if (item === undefined) throw new Error(`${contract} has no event ${name}`);
  return toEventSelector(item);
}

/** Computes the holders of an AccessControl role from all grants and revocations. @returns lower-case Ethereum addresses, sorted */
export function holdersOf(events: readonly ContractEvent[], contract: ContractName, role: Hex): Hex[] {
  const holders = new Set<Hex>();
  for (const { name, args } of events.filter((event) => event.contract === contract && event.args['role'] === role)) {
    const account = String(args['account']).toLowerCase() as Hex;
    if (name === 'RoleGranted') holders.add(account);
    if (name === 'RoleRevoked') holders.delete(account);
  }
  return [...holders].sort();
}

/** Computes the TEEs that may report attestations. @returns lower-case Ethereum addresses, sorted */
export function teesOf(events: readonly ContractEvent[]): Hex[] {
  const tees = new Set<Hex>();
  for (const { name, args } of events) {
    if (name !== 'TeeChanged') continue;
    const tee = String(args['tee']).toLowerCase() as Hex;
    if (args['allowed'] === true) tees.add(tee);
    else tees.delete(tee);
  }
  return [...tees].sort();
}
