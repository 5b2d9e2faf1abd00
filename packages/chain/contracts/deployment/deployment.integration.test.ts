import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { testAccount } from '../../testing/testChain.ts';
import type { Hex } from '../../messages/operation.ts';
import { getCode, getNonce } from '../../rpc/chainReads.ts';
import { createLocalSigner } from '../../signers/localSigner.ts';
import { checkDeployment } from './checkDeployment.ts';
import { compareDeployment, type Comparison } from './compareDeployment.ts';
import { readRecord, writeRecord, type DeploymentRecord } from './deploymentRecord.ts';
import { productionChainId, startProductionChain, type ProductionChain } from '../../testing/productionChain.ts';
import { planDeployment } from './planDeployment.ts';
import { planUpgrade, type OwnerAction, type UpgradePlan } from './planUpgrade.ts';
import { fetchDeployed } from './fetchDeployed.ts';
import { sendSteps, type SendOptions } from './sendSteps.ts';
import { startRecord } from './startRecord.ts';
import type { WantedDeployment } from './wantedDeployment.ts';

let chain: ProductionChain;
let folder: string;
let record: DeploymentRecord;
let records = 0;

beforeAll(async () => {
  chain = await startProductionChain();
  folder = await mkdtemp(join(tmpdir(), 'vouch-deployment-'));
  record = await deploy(chain.wanted());
});

afterAll(async () => {
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

const planFrom = async (deployer: Hex, wanted: WantedDeployment) => planDeployment(wanted, deployer, await getNonce(chain.rpc, deployer));

async function deploy(wanted: WantedDeployment, options: Partial<SendOptions> = {}): Promise<DeploymentRecord> {
  const path = join(folder, `${records++}.json`);
  const plan = await planFrom(chain.account.address, wanted);
  await sendSteps(chain.rpc, startRecord(plan, wanted, {}), {
    signer: createLocalSigner(chain.account.privateKey), timers: systemInterfaces.timers, feeCapWei: 10n ** 12n, confirmations: 0, pollMs: 5,
    save: (next) => writeRecord(path, next), tell: () => {}, ...options,
  });
  const made = (await readRecord(path)) as DeploymentRecord;
  await chain.addConsumer(made.contracts.randomness);
  return made;
}

async function differences(of: DeploymentRecord, wanted: WantedDeployment): Promise<Comparison[]> {
  const comparisons = compareDeployment(await fetchDeployed(chain.rpc, of, 'record'), of, wanted);
  return comparisons.filter(({ status }) => status !== 'same');
}

const upgrade = async (wanted: WantedDeployment, of = record): Promise<UpgradePlan> => planUpgrade(chain.rpc, await fetchDeployed(chain.rpc, of, 'record'), of, wanted);

/** Sends the operation's transactions as the timelock's proposer and executor. */
const schedule = ({ operation }: OwnerAction) => chain.actAsMultisig([{ to: operation?.timelock as Hex, data: operation?.schedule as Hex }]);
const execute = ({ operation }: OwnerAction) => chain.actAsMultisig([{ to: operation?.timelock as Hex, data: operation?.execute as Hex }]);

/** Schedules the operation, and executes it after the delay of the timelock. */
async function carryOut(action: OwnerAction, delaySeconds = 7_200): Promise<void> {
  await schedule(action);
  await chain.increaseTime(delaySeconds + 1);
  await execute(action);
}

describe('a deployment behind a timelock', () => {
  it('is as its record says, with the timelock as owner of everything and the deployer put out', async () => {
    expect(await differences(record, chain.wanted())).toEqual([]);
    const { owners, roles, timelockDelay, codes } = await fetchDeployed(chain.rpc, record, 'record');
    const timelock = record.contracts.timelock;
    expect(Object.values(owners).map(({ owner }) => owner)).toEqual(Array.from({ length: 6 }, () => timelock));
    expect([roles.proposers, roles.cancellers, roles.executors, roles.timelockAdmins]).toEqual([[chain.multisig], [chain.multisig], [chain.multisig], [timelock]]);
    expect(timelockDelay).toBe(7_200n);
    expect(Object.keys(codes).length).toBe(8);
  });

  it('leaves nothing that its deployer could change', async () => {
    const wanted = chain.wanted({ rewards: { daily: 1n, slash: 1n } });
    const { changes: { operation, calls } } = await upgrade(wanted);
    for (const { to, data } of [{ to: operation?.timelock, data: operation?.schedule }, ...calls]) {
      await expect(chain.rpc.request('eth_call', [{ from: chain.account.address, to, data }, 'latest'])).rejects.toThrow(/revert|execution/i);
    }
  });

  exhaustiveTest('takes its transactions into blocks again after a reorganization', async () => {
    // State of the reorganization: false before, true during, null after.
    let reorganized: boolean | null = false;
    const made = await deploy(chain.wanted({ domain: { name: 'ProtocolService', version: 'reorg' } }), {
      confirmations: 1,
      tell: (sentence) => { if (sentence.startsWith('waiting') && reorganized === false) reorganized = true; },
      timers: {
        async sleep() {
          if (reorganized === true) await chain.rpc.request('anvil_reorg', [4, []]);
          if (reorganized !== false) await chain.mine();
          if (reorganized === true) reorganized = null;
        },
      },
    });
    expect(await differences(made, chain.wanted({ domain: { name: 'ProtocolService', version: 'reorg' } }))).toEqual([]);
  });
});

describe('verifying finds', () => {
  const withWanted = async (changes: Partial<WantedDeployment>): Promise<string[]> => (await differences(record, chain.wanted(changes))).map(({ subject }) => subject);

  it('settings, roles and the source of randomness that are not what they should be', async () => {
    const wanted = chain.wanted();
    expect(await withWanted({ rules: { ...wanted.rules, reportWindow: 99 } })).toEqual(['settings.report_window']);
    expect(await withWanted({ verdictRules: { ...wanted.verdictRules, quorum: 6_000 }, changeDelay: 1 })).toEqual(['settings.quorum', 'settings.change_delay']);
    expect(await withWanted({ rewards: { daily: 1n, slash: 2n } })).toEqual(['rewards.daily', 'rewards.slash']);
    expect(await withWanted({ roles: { tees: [], slashers: [], arbiters: [] } })).toEqual(['roles.tees', 'roles.slashers', 'roles.arbiters']);
    expect(await withWanted({ randomness: { ...wanted.randomness, keyHash: `0x${'cd'.repeat(32)}` } })).toEqual(['randomness.key_hash']);
    expect(await withWanted({ timelock: { delaySeconds: 1, proposers: [chain.account.address], executors: [chain.account.address] } }))
      .toEqual(['timelock.proposers', 'timelock.proposers, to cancel', 'timelock.executors', 'timelock.delay']);
    expect(await withWanted({ domain: { name: 'ProtocolService', version: '2' } })).toEqual(['domain.version']);
  });

  it('code that differs by one byte, and none', async () => {
    const { settings } = record.contracts;
    const code = await getCode(chain.rpc, settings);
    // Changes the last byte, so that the views still work for the other comparisons.
    await chain.rpc.request('anvil_setCode', [settings, `${code.slice(0, -2)}${code.endsWith('00') ? '01' : '00'}`]);
    expect((await differences(record, chain.wanted())).map(({ subject, found }) => [subject, found])).toEqual([[`code of settings, ${settings}`, 'of another version']]);
    await chain.rpc.request('anvil_setCode', [settings, '0x']);
    const found = await differences(record, chain.wanted());
    expect(found.find(({ subject }) => subject.startsWith('code of settings'))?.found).toBe('no contract');
    expect(found.find(({ subject }) => subject === 'settings.report_window')?.found).toBe('(no answer)');
    await chain.rpc.request('anvil_setCode', [settings, code]);
    expect(await differences(record, chain.wanted())).toEqual([]);
  });
});

describe('a plan of changes', () => {
  it('is empty where there is nothing to do', async () => {
    expect(await upgrade(chain.wanted())).toEqual({ differences: [], changes: { calls: [], waiting: [], fixed: [], operation: null }, newDeployment: null });
  });

  it('is scheduled, waits, is executed, and announces settings until their time comes', async () => {
    const wanted = chain.wanted();
    const next = chain.wanted({
      rules: { ...wanted.rules, reportWindow: 3_000 }, rewards: { daily: 5n, slash: 1n },
      roles: { tees: [testAccount(600).address], slashers: [], arbiters: [testAccount(502).address, testAccount(601).address] },
      randomness: { ...wanted.randomness, callbackGasLimit: 2_400_000 },
      timelock: { delaySeconds: 9_000, proposers: [chain.multisig, testAccount(602).address], executors: [chain.multisig] },
    });
    const { changes } = await upgrade(next);
    expect(changes.calls.map(({ name }) => name.slice(0, name.indexOf('(')))).toEqual([
      'settings.setRules', 'settings.setAmounts', 'randomness.setSource', 'service.setTee', 'service.setTee', 'slasher.revokeRole', 'slasher.grantRole',
      'timelock.grantRole', 'timelock.grantRole', 'timelock.updateDelay',
    ]);
    expect(changes.operation).toMatchObject({ state: 'unscheduled', executableAt: null, delaySeconds: 7_200 });
    await expect(execute(changes)).rejects.toThrow(/reverted|refused/);
    await schedule(changes);
    const waiting = (await upgrade(next)).changes;
    expect(waiting.operation).toMatchObject({ state: 'waiting', id: changes.operation?.id });
    await expect(execute(changes)).rejects.toThrow(/reverted|refused/);
    await chain.increaseTime(7_201);
    expect((await upgrade(next)).changes.operation?.state).toBe('ready');
    await execute(changes);
    const announced = await upgrade(next);
    expect(announced.changes.calls).toEqual([]);
    expect(announced.changes.waiting.map((sentence) => sentence.split(':')[0])).toEqual(['rules', 'amounts']);
    expect((await differences(record, next)).map(({ subject, status }) => [subject, status])).toEqual([
      ['settings.report_window', 'differs'], ['rewards.daily', 'differs'], ['rewards.slash', 'differs'],
      ['announced: rules', 'note'], ['announced: amounts', 'note'],
    ]);
    await chain.increaseTime(3_601);
    expect(await differences(record, next)).toEqual([]);
    // Reverts the change and requests the same calls again: this must be a separate timelock operation.
    await carryOut((await upgrade(wanted)).changes, 9_000);
    await chain.increaseTime(3_601);
    expect(await differences(record, wanted)).toEqual([]);
    expect((await upgrade(next)).changes.operation).toMatchObject({ state: 'unscheduled' });
  });

  it('takes an announcement back by announcing what is in force', async () => {
    const wanted = chain.wanted();
    await carryOut((await upgrade(chain.wanted({ rewards: { daily: 7n, slash: 7n } }))).changes);
    const { calls } = (await upgrade(wanted)).changes;
    expect(calls.map(({ name }) => name)).toEqual([`settings.setAmounts(${wanted.rewards.daily}, ${wanted.rewards.slash})`]);
    await chain.increaseTime(3_601);
    await carryOut((await upgrade(wanted)).changes);
    await chain.increaseTime(3_601);
    expect(await differences(record, wanted)).toEqual([]);
  });

  exhaustiveTest('names what cannot be changed, and what a new deployment loses, with the calls that retire the old one', async () => {
    const wanted = chain.wanted();
    const made = await deploy(wanted);
    const { license, settings } = made.contracts;
    expect((await upgrade(chain.wanted({ changeDelay: 60 }), made)).newDeployment?.because).toEqual(['settings.change_delay is fixed at 3600; only a new deployment can have 60']);
    await chain.rpc.request('anvil_impersonateAccount', [made.owner]);
    await chain.rpc.request('anvil_setBalance', [made.owner, '0xde0b6b3a7640000']);
    for (const data of [mintCall(chain.operators[0]!.address, 2), mintCall(chain.operators[1]!.address, 1)]) await chain.rpc.request('eth_sendTransaction', [{ from: made.owner, to: license, gas: '0x100000', data }]);
    await chain.mine();
    await chain.rpc.request('anvil_setCode', [settings, `${await getCode(chain.rpc, settings)}00`]);
    const plan = await planUpgrade(chain.rpc, await fetchDeployed(chain.rpc, made, 'record'), { ...made, interfaces: { ...made.interfaces, settings: ['function gone()', ...made.interfaces['settings']!.slice(1)] } }, wanted);
    expect(plan.differences).toEqual([{ contract: 'settings', code: 'other', added: [made.interfaces['settings']![0]], removed: ['function gone()'] }]);
    expect(plan.newDeployment?.because).toEqual(['the code of settings differs from this version']);
    expect(plan.newDeployment?.holders).toEqual([{ address: chain.operators[0]!.address, licenses: 2 }, { address: chain.operators[1]!.address, licenses: 1 }]);
    expect(plan.newDeployment?.lost.join('\n')).toMatch(/Licenses.*Nodes.*Attestations.*rewards.*pool.*Signed messages/s);
    const retire = plan.newDeployment?.retire as OwnerAction;
    expect(retire.calls.map(({ name }) => name)).toEqual([`service.setTee(${wanted.roles.tees[0]}, false)`, `settings.setAmounts(0, ${wanted.rewards.slash})`]);
    await carryOut(retire);
    await chain.increaseTime(3_601);
    expect((await differences(made, wanted)).map(({ subject }) => subject)).toEqual(expect.arrayContaining(['roles.tees', 'rewards.daily']));
  });
});

describe('a deployment whose owner holds it without a timelock', () => {
  it('waits for the multisig to accept, which takes it over with the calls of the plan', async () => {
    const wanted = chain.wanted({ timelock: null, domain: { name: 'ProtocolService', version: 'direct' } });
    const { ownerCalls } = await planFrom(chain.account.address, wanted);
    const made = await deploy(wanted);
    expect((await differences(made, wanted)).map(({ subject }) => subject)).toEqual([
      'owner of settings', 'owner of license', 'owner of rewardPool', 'owner of randomness', 'owner of service', 'roles.slashers', 'roles.arbiters',
    ]);
    const { changes } = await upgrade(wanted, made);
    expect(changes.operation).toBeNull();
    expect(changes.calls.map(({ to, data }) => ({ to, data }))).toEqual(ownerCalls.map(({ to, data }) => ({ to, data })));
    await chain.actAsMultisig(ownerCalls);
    expect(await differences(made, wanted)).toEqual([]);
  });

  it('belongs to the deployer at once where that is the owner', async () => {
    const wanted = chain.wanted({ timelock: null, owner: chain.account.address, domain: { name: 'ProtocolService', version: 'own' } });
    expect(await differences(await deploy(wanted), wanted)).toEqual([]);
  });
});

describe('the checks before a deployment', () => {
  const check = async (changes: Partial<WantedDeployment>, { ownerIsAccount = false, feeCapWei = 10n ** 12n, from = chain.account.address } = {}): Promise<string[]> => {
    const wanted = chain.wanted(changes);
    const plan = await planFrom(from, wanted);
    const { findings } = await checkDeployment(chain.rpc, wanted, plan, plan.steps, { ownerIsAccount, feeCapWei });
    return findings.filter(({ status }) => status === 'fault').map(({ name, detail }) => `${name}: ${detail}`);
  };
  const stranger = testAccount(900).address;

  it('pass, with a cost that the deployment keeps to', async () => {
    const wanted = chain.wanted({ domain: { name: 'ProtocolService', version: 'cost' } });
    const plan = await planFrom(chain.account.address, wanted);
    const { cost, findings } = await checkDeployment(chain.rpc, wanted, plan, plan.steps, { ownerIsAccount: false, feeCapWei: 10n ** 12n });
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    const made = await deploy(wanted);
    const ratios = made.steps.map(({ mined }, at) => Number(cost?.gas?.gas[at]) / Number(mined?.gasUsed));
    expect([Math.min(...ratios) >= 1, Math.max(...ratios) < 1.02]).toEqual([true, true]);
    expect(made.contracts).toEqual(plan.contracts);
  });

  it.each<[name: string, changes: () => Partial<WantedDeployment>, said: RegExp]>([
    ['another chain', () => ({ chainId: 1n }), /^chain: the RPC endpoints serve chain 4242, but chain_id in the file is 1/],
    ['an owner that is no contract', () => ({ owner: stranger }), /^owner: 0x\w+ is not a contract on this chain: .*--owner-is-account/],
    ['a proposer that is no contract', () => ({ timelock: { delaySeconds: 7_200, proposers: [stranger], executors: [chain.multisig] } }), /^proposer: /],
    ['the deployer as an executor', () => ({ timelock: { delaySeconds: 7_200, proposers: [chain.multisig], executors: [chain.account.address] } }), /^executor: .* is the deployer/],
    ['a coordinator that is not there', () => ({ randomness: { ...chain.wanted().randomness, coordinator: stranger } }), /^coordinator: there is no contract/],
    ['a reward token that is not there', () => ({ rewardToken: { kind: 'existing', address: stranger } }), /^reward token: there is no contract/],
    ['too little gas for an answer', () => ({ randomness: { ...chain.wanted().randomness, callbackGasLimit: 300_000 } }), /^callback gas: 300000 is too low: choosing 200 nodes/],
    ['a number that the contract refuses', () => ({ rules: { ...chain.wanted().rules, maxMissedReports: 0 } }), /^simulation: make settings: .*RuleOutOfRange\(maxMissedReports\)/],
  ])('find %s', async (_, changes, said) => {
    expect((await check(changes())).join('\n')).toMatch(said);
  });

  it('say that the cost is not known where the simulation fails', async () => {
    const wanted = chain.wanted({ rules: { ...chain.wanted().rules, maxMissedReports: 0 } });
    const plan = planDeployment(wanted, stranger, 0);
    const { findings } = await checkDeployment(chain.rpc, wanted, plan, plan.steps, { ownerIsAccount: false, feeCapWei: 10n ** 12n });
    expect(findings.find(({ name }) => name === 'balance')).toEqual({ name: 'balance', status: 'warning', detail: '0; the required balance is unknown while the simulation fails' });
  });

  it('find too little balance and fees beyond the limit, and accept an account as owner where told so', async () => {
    expect((await check({}, { from: stranger })).join('\n')).toMatch(/^balance: 0; up to 0\.\d+ required: send 0\.\d+ more to 0x/);
    expect((await check({}, { feeCapWei: 1n })).join('\n')).toMatch(/^fees: .*raise VOUCH_MAX_FEE_GWEI/);
    expect(await check({ owner: stranger, timelock: null }, { ownerIsAccount: true })).toEqual([]);
    expect(productionChainId).toBe(chain.chainId);
  });
});

describe('a chain without a base fee', () => {
  exhaustiveTest('is deployed to with the gas price that it asks for', async () => {
    const free = await startProductionChain({ genesis: { timestamp: 1_800_000_000, baseFee: 0n } });
    const before = chain;
    try {
      chain = free;
      const made = await deploy(free.wanted());
      expect(await differences(made, free.wanted())).toEqual([]);
    } finally {
      chain = before;
      await free.stop();
    }
  });
});

function mintCall(to: Hex, count: number): Hex {
  return `0x40c10f19${to.slice(2).padStart(64, '0')}${count.toString(16).padStart(64, '0')}`;
}
