import assert from 'node:assert/strict';
import { join } from 'node:path';
import { encodeFunctionData } from 'viem';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { chainTime } from '@vouch/chain/contracts/devnetActions';
import { readDevnetFile, type DevnetAccount, type DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { expectStatus, type Reply } from '@vouch/platform/conformance/client';
import { realDoors } from '@vouch/platform/process/doors';
import type { ConformanceContext, ConformanceRow } from '@vouch/platform/product/product';
import { views, Words, type NodeState } from '../intake/chainState/views.ts';
import { Client, type RequestRecord } from './client.ts';
import { signWish, type Body, type SigningDomain, type Wish } from './signWish.ts';

export const noNode = `0x${'0'.repeat(40)}` as const;

/** What the rows share: the local chain of the served program, and a node that entered through the gateway. */
export interface Fixture {
  context: ConformanceContext;
  client: Client;
  rpc: RpcClient;
  facts: DevnetFacts;
  /** In the active set, by the message `entered`. */
  node: DevnetAccount;
  entered: RequestRecord;
  /** Operators that do nothing unless a row lets them. */
  second: DevnetAccount;
  third: DevnetAccount;
  /** What a node is on the chain. */
  nodeState(account: DevnetAccount): Promise<NodeState>;
  /** A time within what the contract allows, in seconds. */
  soon(): Promise<number>;
  sign(wish: Wish, account: DevnetAccount, domain?: Partial<SigningDomain>): Promise<Body>;
  /** Signs, sends and waits for the end. */
  carryOut(wish: Wish, account: DevnetAccount): Promise<RequestRecord>;
}

const fixtures = new WeakMap<ConformanceContext, Promise<Fixture>>();

/** One row whose check works with the shared fixture. */
export function row(section: string, statement: string, check: (fixture: Fixture) => Promise<void>): ConformanceRow {
  return { section, statement, check: async (context) => check(await fixtureOf(context)) };
}

/** Checks that a message is refused as the specification says, with words that the sentence must hold. */
export function expectRefusal(reply: Reply, ...words: string[]): void {
  const { error } = expectStatus(reply, 400).json<{ error?: unknown }>();
  assert.ok(typeof error === 'string' && error !== '', 'a refusal has the text error');
  for (const word of words) assert.ok(error.includes(word), `${JSON.stringify(error)} should name ${word}`);
}

function fixtureOf(context: ConformanceContext): Promise<Fixture> {
  const made = fixtures.get(context) ?? makeFixture(context);
  fixtures.set(context, made);
  return made;
}

async function makeFixture(context: ConformanceContext): Promise<Fixture> {
  const facts = await readDevnetFile(join(context.folder, 'devnet.json'));
  if (facts === null) throw new Error(`there is no local chain: ${context.folder} has no devnet.json`);
  const [node, second, third] = facts.operators;
  if (node === undefined || second === undefined || third === undefined) throw new Error('the local chain has too few operators');
  const client = new Client(context.baseUrl);
  const rpc = createRpcClient({ urls: [facts.rpcUrl] }, realDoors);
  const { service } = facts.contracts;
  const fixture = {
    context, client, rpc, facts, node, second, third,
    async nodeState({ address }: DevnetAccount) {
      const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeInfos', args: [address] });
      return views.nodeInfos(address).read(new Words(await ethCall(rpc, { to: service, data })));
    },
    // Blocks come when something happens, so the newest one may be some seconds old.
    soon: async () => Math.max(Number(await chainTime(rpc)), Math.floor(realDoors.clock.now() / 1000)) + 3_600,
    sign: (wish: Wish, account: DevnetAccount, domain: Partial<SigningDomain> = {}) => signWish(wish, { ...facts.domain, ...domain }, account.privateKey),
    carryOut: async (wish: Wish, account: DevnetAccount) => client.untilEnd(await client.accept(wish.kind, await fixture.sign(wish, account))),
  };
  const entered = await fixture.carryOut({ kind: 'enter', replaced_node: noNode, expired_at: await fixture.soon() }, node);
  return { ...fixture, entered };
}
