import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { disputableSlasherAbi } from '@vouch/chain/contracts/abi/disputableSlasher';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { fetchVotes, reportAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { FieldNode } from '../testing/fieldNode.ts';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

/** Nodes of both published releases on one gateway: the first three run alphanet, the others mainnet. */
class FieldWorld {
  readonly server: GatewayTestServer;
  nodes: FieldNode[] = [];

  constructor(server: GatewayTestServer) {
    this.server = server;
  }

  get operators(): readonly TestAccount[] {
    return this.server.chain.operators;
  }

  start(place: number): Promise<FieldNode> {
    return FieldNode.start(this.server, {
      release: place < 3 ? 'alphanet' : 'mainnet', account: this.operators[place]!, claimer: claimerOf(place), commissionRate: 100 + place,
    });
  }

  /** Starts a program again, as a service manager does. */
  async restart(place: number): Promise<FieldNode> {
    this.nodes[place] = await this.start(place);
    await this.server.ended();
    return this.nodes[place];
  }

  /** One tick of each program; returns how many reports each had accepted. */
  async tick(places: readonly number[]): Promise<number[]> {
    const counts = await Promise.all(places.map((place) => this.nodes[place]!.tick()));
    await this.server.ended();
    return counts;
  }

  async pass(seconds: number): Promise<void> {
    this.server.moveClock(seconds);
    await this.server.chain.increaseTime(seconds);
  }

  async view(functionName: 'attestationState' | 'verdict' | 'votesNeeded', id: Hex): Promise<unknown> {
    const { chain: { rpc, contracts } } = this.server;
    const data = await rpc.request<Hex>('eth_call', [{ to: contracts.service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName, args: [id] }) }, 'latest']);
    return decodeFunctionResult({ abi: verifierServiceAbi, functionName, data });
  }

  votes(id: Hex): Promise<{ valid: number; invalid: number; malicious: number }> {
    return fetchVotes(this.server.chain.rpc, this.server.chain.contracts, id);
  }

  /** Place of the operator that was chosen at an index. */
  placeOf(address: Hex): number {
    return this.operators.findIndex((each) => each.address === address);
  }
}

const all = [0, 1, 2, 3, 4, 5] as const;
const unanimous = { valid: 6, invalid: 0, malicious: 0 };
/** `AttestationState` of the contract. */
const states = { valid: 3, noVerdict: 6 } as const;
const claimerOf = (place: number): Hex => `0x${'ab'.repeat(19)}0${place}`;
const windowSeconds = 1_800;

async function openWorld(serviceBytecode?: Hex): Promise<FieldWorld> {
  const server = await GatewayTestServer.start({
    operators: 7, rules: { maxChosenNodes: 6 }, settings: { gateway_headers: 'lenient' }, ...(serviceBytecode === undefined ? {} : { serviceBytecode }),
  });
  server.startSending();
  return new FieldWorld(server);
}

/** What holds on both contracts, in the order of a program's life. */
function describeLife(world: () => FieldWorld): void {
  it('become active with claimer and commission, the mainnet release after its second start', async () => {
    const { server } = world();
    world().nodes = await Promise.all(all.map((place) => world().start(place)));
    await server.ended();
    const first = await Promise.all(world().nodes.map((node) => node.info()));
    expect(first.map(({ active, claimer }) => [active, claimer])).toEqual(all.map((place) => [true, claimerOf(place)]));
    for (const place of all) await world().restart(place);
    const second = await Promise.all(world().nodes.map((node) => node.info()));
    expect(second.map(({ commissionRate }) => commissionRate)).toEqual(all.map((place) => 100 + place));
    expect(world().nodes.flatMap(({ log }) => log)).toEqual([]);
  });

  it('have all their reports counted, for several attestations of one request', async () => {
    const { chain: { rpc, contracts, deployer } } = world().server;
    const { attestationIds } = await reportAttestations(rpc, contracts, ['one of two', 'two of two'], { key: deployer.privateKey });
    world().server.moveClock(1);
    expect(await world().tick(all)).toEqual(all.map(() => 2));
    expect(await Promise.all(attestationIds.map((id) => world().votes(id)))).toEqual([unanimous, unanimous]);
    expect(await world().tick(all), 'no report is sent twice').toEqual(all.map(() => 0));
  });
}

describe('published node programs with our contract', () => {
  let world: FieldWorld;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.server.close());

  describeLife(() => world);

  it('reach a verdict only with a quorum', async () => {
    const { attestationIds: [decided] } = await world.server.attest('decided');
    await world.tick([0, 1, 3, 4]);
    const { attestationIds: [missed] } = await world.server.attest('missed');
    await world.tick([0, 1, 3]);
    await world.pass(windowSeconds + 60);
    expect([await world.view('votesNeeded', decided!), await world.view('attestationState', decided!)]).toEqual([4n, states.valid]);
    expect([await world.view('votesNeeded', missed!), await world.view('attestationState', missed!)]).toEqual([4n, states.noVerdict]);
    expect(await world.view('verdict', missed!)).toEqual([false, 0]);
  });

  it('outvote a contradicting node, which can dispute its slash; their own votes cannot be slashed', async () => {
    const { server } = world;
    const { chain: { rpc, contracts, deployer } } = server;
    const { attestationIds: [id], chosen } = await server.attest('contradicted');
    const index = 0;
    const accused = world.placeOf(chosen[index]!);
    const others = all.filter((place) => place !== accused);
    expect((await server.signAndSend({ kind: 'report', attestation_id: id!, result: 2, index }, world.operators[accused]!)).status).toBe(200);
    await world.tick(others);
    expect(await world.votes(id!)).toEqual({ valid: 5, invalid: 0, malicious: 1 });
    await world.pass(windowSeconds + 60);
    const slasher = `0x${(await rpc.request<string>('eth_call', [{ to: contracts.service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'slasher' }) }, 'latest'])).slice(-40)}` as Hex;
    const act = (functionName: 'propose' | 'dispute' | 'execute', at: number, { privateKey }: TestAccount) => sendTransactions(rpc, [
      { to: slasher, data: encodeFunctionData({ abi: disputableSlasherAbi, functionName, args: [id!, at] }), gas: 500_000n },
    ], { key: privateKey });
    await expect(act('propose', 1, deployer)).rejects.toThrow();
    await act('propose', index, deployer);
    await act('dispute', index, world.operators[accused]!);
    await world.pass(72 * 3_600 + 60);
    await expect(act('execute', index, deployer)).rejects.toThrow();
  });

  it('lose no vote and gain none while a license moves during the report window', async () => {
    const { server } = world;
    for (const place of all) await world.restart(place);
    const { attestationIds: [id], chosen } = await server.attest('moving license');
    const left = world.placeOf(chosen.find((address) => world.placeOf(address) >= 3)!);
    await server.transfer(world.operators[left]!, BigInt(left + 1), world.operators[6]!.address);
    expect(await world.nodes[left]!.info()).toMatchObject({ active: false });
    await server.enter(world.operators[6]!);
    const refused = await server.signAndSend({ kind: 'report', attestation_id: id!, result: 2, index: 0 }, world.operators[6]!);
    expect(refused.body.reason).toBe('not-chosen');
    const counts = await world.tick(all);
    expect(await world.votes(id!)).toEqual(unanimous);
    expect(counts).toEqual(all.map(() => 1));
    expect(world.nodes.map(({ exited }) => exited)).toEqual(all.map((place) => place === left));
    const restarted = await world.restart(left);
    expect(restarted.log).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^send_tx_node_enter: no-weight: /) as string));
  });

  it('leave the active set when the mainnet release stops', async () => {
    const active = (await Promise.all(all.map((place) => world.nodes[place]!.info()))).findLastIndex((info) => info.active);
    await world.nodes[active]!.stop();
    await world.server.ended();
    expect((await world.nodes[active]!.info()).active).toBe(false);
  });
});

describe.runIf(exhaustive)('published node programs with a service that reverts whole batches', () => {
  let world: FieldWorld;
  beforeAll(async () => {
    world = await openWorld(revertingServiceBytecode);
  });
  afterAll(() => world.server.close());

  describeLife(() => world);

  it('leave the active set when the mainnet release stops', async () => {
    await world.nodes[5]!.stop();
    await world.server.ended();
    expect((await world.nodes[5]!.info()).active).toBe(false);
  });
});
