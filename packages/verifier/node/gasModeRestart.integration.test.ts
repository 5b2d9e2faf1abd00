import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reportAttestations } from '@vouch/chain/contracts/devnetActions';
import type { TestAccount } from '@vouch/chain/devnet/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { keccak256, toBytes } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateFile } from '../state/nodeState.ts';
import { NodeWorld, until } from './fixtures/nodeWorld.ts';
import type { RunningNode } from './startNode.ts';

let world: NodeWorld;
beforeAll(async () => { world = await NodeWorld.open(); });
afterAll(() => world.close());

/** A transaction offers twice the first of them and a tip of 1 gwei: the second is far above. In wei. */
const [lowFee, highFee] = [10n ** 6n, 10n ** 11n];
const inGasMode = { sending: { through: 'itself' } } as const;
const reported = keccak256(toBytes('NodeReportVerification(address,bytes32,uint8)'));

/** Mines a block in which gas costs this much. */
async function mineAt(wei: bigint): Promise<void> {
  await world.chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
  await world.chain.mine();
}

const waiting = async ({ address }: TestAccount): Promise<number> => (await getNonce(world.chain.rpc, address, 'pending')) - (await getNonce(world.chain.rpc, address));

/** Has the node chosen for an attestation, and kills it once its report waits for a block. @returns the attestation's id */
async function killWhileReporting(running: RunningNode, account: TestAccount): Promise<Hex> {
  const { rpc, contracts, deployer } = world.chain;
  await rpc.request('evm_setAutomine', [false]);
  const info = world.pki.makeInfo('good', Buffer.from(account.address));
  const { attestationIds: [id] } = await reportAttestations(rpc, contracts, [info], { key: deployer.privateKey, mine: () => world.chain.mine() });
  await until(async () => (await waiting(account)) === 1);
  // What kill -9 leaves: the state as it is at this moment, without what a stop writes down.
  const [kept, aside] = [join(running.folder, stateFile), join(running.folder, 'killed')];
  await copyFile(kept, aside);
  await running.stop();
  await copyFile(aside, kept);
  return id!;
}

async function votesOf(id: Hex, { address }: TestAccount): Promise<number> {
  const logs = await world.chain.rpc.request<{ data: string }[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: world.chain.contracts.service, topics: [reported] }]);
  return logs.filter(({ data }) => data.includes(id.slice(2)) && data.includes(address.slice(2))).length;
}

const handedOver = (): number => world.lines.filter(({ msg }) => msg === 'The report was handed over.').length;

it.each<[how: string, operator: number, happens: (running: RunningNode) => Promise<unknown>]>([
  ['its fees become too low', 0, async () => {}],
  ['its fees are too low and no pool has it any more', 1, () => mineAt(highFee)],
  ['its fees become too low and the state is lost', 2, ({ folder }) => rm(join(folder, stateFile))],
])('a node in gas mode that was killed with a report on its way gets it and the next one onto the chain, once each, where %s', async (_how, operator, happens) => {
  const account = world.chain.operators[operator]!;
  const first = await world.startActive(account, inGasMode);
  await mineAt(lowFee);
  const before = await getNonce(world.chain.rpc, account.address);
  const id = await killWhileReporting(first, account);
  await happens(first);
  const handed = handedOver();
  const second = await world.start(account, inGasMode);
  await until(() => second.state()?.attestations.some(({ attestationId, state }) => attestationId === id && state === 'sent') === true);
  // A report that was sent before the start is thought of again after a minute.
  world.skew(61);
  await until(() => handedOver() > handed);
  // The pool of this chain forgets what cannot pay for a block; others keep it for ever.
  await mineAt(highFee);
  // What is in no block for 45 s gets higher fees.
  world.skew(46);
  await until(async () => {
    await mineAt(highFee);
    return (await votesOf(id, account)) > 0;
  });
  await world.chain.rpc.request('evm_setAutomine', [true]);
  const { attestationIds: [next] } = await world.attest('good');
  await until(async () => (await votesOf(next!, account)) > 0);
  expect([await votesOf(id, account), await votesOf(next!, account), await getNonce(world.chain.rpc, account.address)]).toEqual([1, 1, before + 2]);
  await mineAt(lowFee);
  await second.stop();
});
