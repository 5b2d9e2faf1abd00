import assert from 'node:assert/strict';
import { join } from 'node:path';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { chainTime, mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { readDevnetFile, type DevnetAccount, type DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { expectStatus, type Reply } from '@vouch/platform/conformance/client';
import { inHouseOf, keep, need, type ConformanceContext, type ConformanceRow } from '@vouch/platform/conformance/context';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { views, Words, type NodeState } from '../intake/chainState/views.ts';
import { Client, type RequestRecord } from './client.ts';
import { signMessage, type Body, type Otherwise, type SigningDomain, type UnsignedMessage } from './signMessage.ts';


/** Shared objects of the conformance rows. */
export interface Fixture {
  context: ConformanceContext;
  client: Client;
  /** Builds a complete body, signed by a key that is not a node. */
  strange(kind: UnsignedMessage['kind']): Promise<Body>;
  /**
   * Returns the local chain of the server.
   * @throws RowSkipped if the suite runs against another server
   */
  chain(): Promise<Chain>;
}

/** The server's local chain, and operations on it for the rows. */
export interface Chain {
  rpc: RpcClient;
  facts: DevnetFacts;
  /** Two nodes that entered through the gateway, and the record of the first node's message. */
  node: DevnetAccount;
  second: DevnetAccount;
  entered: RequestRecord;
  /** Reads a node's on-chain state. */
  nodeState(account: DevnetAccount): Promise<NodeState>;
  /** A valid expiry, in seconds since 1970. */
  soon(): Promise<number>;
  /** Creates an unused operator with one license and 1 ETH. */
  newOperator(): Promise<DevnetAccount>;
  /** Creates an operator and lets the operator enter through the gateway. */
  newNode(): Promise<DevnetAccount>;
  /** Builds a message with a new claimer address, which a node may send at any time. */
  newClaimer(): Promise<UnsignedMessage & { kind: 'claimer' }>;
  /** Waits until the gateway no longer uses state of a block before the newest one: it keeps the state of a block for 0.5 s. */
  whenKnown(): Promise<void>;
  sign(unsigned: UnsignedMessage, account: DevnetAccount, domain?: Partial<SigningDomain>, otherwise?: Otherwise): Promise<Body>;
  /** Signs and sends a message, and waits until the message is confirmed. */
  carryOut(unsigned: UnsignedMessage, account: DevnetAccount): Promise<RequestRecord>;
}

/** Defines a row whose check receives the shared fixture. */
export function row(statement: string, shows: string, check: (fixture: Fixture) => Promise<void>): ConformanceRow {
  return { statement, shows, check: async (context) => check(fixtureOf(context)) };
}

/** Defines a row that needs the server's local chain. */
export function chainRow(statement: string, shows: string, check: (fixture: Fixture & Chain) => Promise<void>): ConformanceRow {
  return row(statement, shows, async (fixture) => check({ ...fixture, ...(await fixture.chain()) }));
}

/** Prepares the shared fixture. */
export async function prepareGateway(context: ConformanceContext): Promise<void> {
  await gatewayChain(context);
}

/** Returns the server's local chain. */
export function gatewayChain(context: ConformanceContext): Promise<Chain> {
  return fixtureOf(context).chain();
}

/** Checks that a message is refused as specified, and that the error contains each of the words. */
export function expectRefusal(reply: Reply, ...words: string[]): void {
  const { error } = expectStatus(reply, 400).json<{ error?: unknown }>();
  assert.ok(typeof error === 'string' && error !== '', 'a rejection has the text field error');
  for (const word of words) assert.ok(error.includes(word), `${JSON.stringify(error)} should name ${word}`);
}

/** Reads the limits of the local chain's settings contract. */
export async function fetchRules({ rpc, facts }: Chain) {
  const data = encodeFunctionData({ abi: settingsAbi, functionName: 'rules' });
  return decodeFunctionResult({ abi: settingsAbi, functionName: 'rules', data: await ethCall(rpc, { to: facts.contracts.settings, data }) });
}

function fixtureOf(context: ConformanceContext): Fixture {
  const client = new Client(need(context.gatewayUrl, 'a gateway (--gateway-url)'), context.fetch);
  return {
    context, client,
    strange: (kind) => signMessage(sampleOf(kind, Math.floor(systemInterfaces.clock.now() / 1_000) + 3_600), strangeDomain, generatePrivateKey()),
    chain: async () => {
      // The nodes are created once; requests use the client of the current row.
      const { folder } = inHouseOf(context, 'the local chain of the server');
      const made = await keep(context, 'gateway chain', () => enterNodes(folder, client));
      return { ...made, ...deeds(made, client) };
    },
  };
}

const strangeDomain = { name: 'ProtocolService', version: '1.0.0', chainId: 1n };

function sampleOf(kind: UnsignedMessage['kind'], expired: number): UnsignedMessage {
  switch (kind) {
    case 'enter': return { kind, replaced_node: zeroAddress, expired_at: expired };
    case 'exit': return { kind, expired_at: expired };
    case 'commission': return { kind, commission_rate: 300, expired_at: expired };
    case 'claimer': return { kind, claimer: `0x${'c1'.repeat(20)}`, expired_at: expired };
    case 'report': return { kind, attestation_id: `0x${'ab'.repeat(32)}`, result: 0, index: 0 };
  }
}

type Made = Pick<Chain, 'rpc' | 'facts' | 'node' | 'second' | 'entered'>;

async function enterNodes(folder: string, client: Client): Promise<Made> {
  const facts = await readDevnetFile(join(folder, 'devnet.json'));
  if (facts === null) throw new Error(`no local chain: ${folder} has no devnet.json`);
  const [node, second] = facts.operators;
  if (node === undefined || second === undefined) throw new Error('the local chain has too few operators');
  const rpc = createRpcClient({ urls: [facts.rpcUrl] }, systemInterfaces);
  const { carryOut, soon } = deeds({ rpc, facts }, client);
  const enter = async (account: DevnetAccount): Promise<RequestRecord> =>
    carryOut({ kind: 'enter', replaced_node: zeroAddress, expired_at: await soon() }, account);
  const entered = await enter(node);
  await enter(second);
  return { rpc, facts, node, second, entered };
}

function deeds({ rpc, facts }: Pick<Chain, 'rpc' | 'facts'>, client: Client): Omit<Chain, keyof Made> {
  const { contracts, owner } = facts;
  // A local chain produces blocks on demand, so the newest block can be several seconds old.
  const soon = async (): Promise<number> => Math.max(Number(await chainTime(rpc)), Math.floor(systemInterfaces.clock.now() / 1000)) + 3_600;
  const sign: Chain['sign'] = (unsigned, account, domain = {}, otherwise = {}) => signMessage(unsigned, { ...facts.domain, ...domain }, account.privateKey, otherwise);
  const carryOut: Chain['carryOut'] = async (unsigned, account) => {
    const record = await client.untilEnd(await client.accept(unsigned.kind, await sign(unsigned, account)));
    assert.equal(record.status, 'confirmed', JSON.stringify(record.reason));
    return record;
  };
  const newOperator: Chain['newOperator'] = async () => {
    const account = newAccount();
    await rpc.request('anvil_setBalance', [account.address, '0xde0b6b3a7640000']);
    await mintLicenses(rpc, contracts, [{ address: account.address, count: 1 }], { key: owner.privateKey });
    return account;
  };
  return {
    soon, sign, carryOut, newOperator,
    async nodeState({ address }) {
      const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeInfos', args: [address] });
      return views.nodeInfos(address).read(new Words(await ethCall(rpc, { to: contracts.service, data })));
    },
    async newNode() {
      const account = await newOperator();
      await carryOut({ kind: 'enter', replaced_node: zeroAddress, expired_at: await soon() }, account);
      return account;
    },
    whenKnown: () => systemInterfaces.timers.sleep(600),
    newClaimer: async () => ({ kind: 'claimer', claimer: newAccount().address, expired_at: await soon() }),
  };
}

function newAccount(): DevnetAccount {
  const privateKey = generatePrivateKey();
  return { privateKey, address: privateKeyToAccount(privateKey).address.toLowerCase() as DevnetAccount['address'] };
}
