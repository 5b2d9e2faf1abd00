import { serviceViews } from '@vouch/chain/contracts/service/views';
import { dayViews } from '@vouch/chain/contracts/service/dayViews';
import type { Hex } from '@vouch/chain/messages/operation';
import { callAt, type View } from '@vouch/chain/contracts/service/views';
import { parseBytes } from '@vouch/chain/rpc/parseResult';
import type { LaneContext } from '../sending/laneContext.ts';
import { fetchMany } from './fetchMany.ts';

const pageLength = 500;
/** Maximum size of the active set that is read: Vouch's settings allow at most this size, the upstream contract 2,000. */
const maxActive = 10_000;

type Source = Pick<LaneContext, 'rpc' | 'service' | 'isolation'>;

/**
 * Lists every node of the active set at a block.
 * @param addresses cache of node ids; extended by the call, because an id never changes its node
 * @throws RpcUnavailable, RpcRefused
 */
export async function listActive(source: Source, addresses: Map<number, Hex>, block: number, signal?: AbortSignal): Promise<Hex[]> {
  return source.isolation.kind === 'native' ? listPages(source, block, signal) : listPlaces(source, addresses, block, signal);
}

async function listPages(source: Source, block: number, signal?: AbortSignal): Promise<Hex[]> {
  const nodes: Hex[] = [];
  for (let offset = 0; offset < maxActive; offset += pageLength) {
    const page = await fetchOne(source, serviceViews.activeNodes(source.service, offset, pageLength), block, signal);
    nodes.push(...page.map(({ node }) => node));
    if (page.length < pageLength) break;
  }
  return nodes;
}

/** Reads a contract without pages one list position at a time; positions past the end revert. */
async function listPlaces(source: Source, addresses: Map<number, Hex>, block: number, signal?: AbortSignal): Promise<Hex[]> {
  const ids: number[] = [];
  for (let offset = 0; offset < maxActive; offset += pageLength) {
    const places = Array.from({ length: pageLength }, (_, at) => dayViews.activePlace(source.service, offset + at));
    const page = (await fetchMany(source, places, block, signal)).flatMap((id) => id ?? []);
    ids.push(...page);
    if (page.length < pageLength) break;
  }
  const unknown = ids.filter((id) => !addresses.has(id));
  const found = await fetchMany(source, unknown.map((id) => dayViews.nodeOfId(source.service, id)), block, signal);
  unknown.forEach((id, at) => {
    const address = found[at];
    if (address !== null && address !== undefined) addresses.set(id, address);
  });
  return ids.flatMap((id) => addresses.get(id) ?? []);
}

async function fetchOne<Value>({ rpc }: Source, view: View<Value>, block: number, signal?: AbortSignal): Promise<Value> {
  const { method, params } = callAt(view, block);
  return rpc.ask(method, params, (result) => view.read(parseBytes(result)), signal);
}
