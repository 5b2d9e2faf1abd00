import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { serviceName, setBudgets } from '../budgets/budgetStore.ts';
import { signMessage, messagePaths, type UnsignedMessage } from '../conformance/signMessage.ts';
import { GatewayTestServer, requiredHeaders, settingsOf, testSettings, type Answer, type Envelope, type Refusal } from '../testing/gatewayTestServer.ts';
import type { NamedDeployment } from './namedDeployment.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

/**
 * A gateway of two chains: chain 31337 of the environment variables and chain 4242 of the deployment `second`. Operators and
 * relayer have the same keys on both chains.
 */
let server: GatewayTestServer;
let other: DeployedTestChain;
let operators: readonly TestAccount[];
const prefix = '/deployments/second';
const noGas = 0;

beforeAll(async () => {
  other = await startTestDeployment({ chainId: 4_242n });
  await other.mine();
  server = await GatewayTestServer.start({ patience: 1, settings: { deployments: [second()] } });
  operators = server.chain.operators;
  server.startSending();
});
afterAll(async () => {
  await server.close();
  await other.stop();
});

function second(): NamedDeployment {
  return { name: 'second', settings: { ...testSettings, ...settingsOf(other) } };
}

/** Signs a message for one of the chains and sends it to one of the deployments. */
async function send(unsigned: UnsignedMessage, account: TestAccount, { signedFor, to }: { signedFor: DeployedTestChain; to: string }): Promise<Answer<Envelope & Refusal>> {
  const body = await signMessage(unsigned, signedFor.domain, account.privateKey);
  return server.send('POST', `${to}/explorer_alphanet${messagePaths[unsigned.kind]}`, body, requiredHeaders);
}

const toDefault = (unsigned: UnsignedMessage, account: TestAccount) => send(unsigned, account, { signedFor: server.chain, to: '' });
const toSecond = (unsigned: UnsignedMessage, account: TestAccount) => send(unsigned, account, { signedFor: other, to: prefix });

async function enterMessage(): Promise<UnsignedMessage> {
  return { kind: 'enter', replaced_node: zeroAddress, expired_at: await server.now() + 3_600 };
}

async function claimerMessage(byte: string): Promise<UnsignedMessage> {
  return { kind: 'claimer', claimer: `0x${byte.repeat(20)}`, expired_at: await server.now() + 3_600 };
}

interface Record {
  status: string;
  deployment: string;
  waits_for: string | null;
}

async function record(answer: Answer<Envelope>): Promise<Record> {
  return (await server.send<Record>('GET', answer.headers.get('location') ?? '')).body;
}

/** Mines blocks on the chains until the record matches. */
async function until(answer: Answer<Envelope>, wanted: (record: Record) => boolean, chains: readonly DeployedTestChain[] = [server.chain, other]): Promise<Record> {
  for (;;) {
    const found = await record(answer);
    if (wanted(found)) return found;
    await Promise.all(chains.map((chain) => chain.mine()));
    await systemInterfaces.timers.sleep(50);
  }
}

const ended = ({ status }: Record): boolean => ['confirmed', 'failed', 'expired'].includes(status);
const service = (chain: DeployedTestChain): string => serviceName(chain.chainId, chain.contracts.service);
const admin = { apikey: 'default:admin' };
const read = async <Content>(path: string): Promise<Content> => (await server.send<Content>('GET', path, undefined, admin)).body;

it('a message to each deployment is confirmed on the chain of that deployment', async () => {
  const answers = [await toDefault(await enterMessage(), operators[0]!), await toSecond(await enterMessage(), operators[1]!)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers.map(({ headers }) => headers.get('location')?.startsWith(prefix))).toEqual([false, true]);
  const records = await Promise.all(answers.map((answer) => until(answer, ended)));
  expect(records.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
  expect(records.map(({ deployment }, at) => deployment.startsWith(service([server.chain, other][at]!)))).toEqual([true, true]);
});

it('a message for another deployment is refused with the address that takes it', async () => {
  const unsigned = await claimerMessage('a1');
  const lost = await send(unsigned, operators[1]!, { signedFor: other, to: '' });
  expect([lost.status, lost.body.reason]).toEqual([400, 'wrong-deployment']);
  expect(lost.body.error).toMatch(/signed for ProtocolService 1\.0\.0 on chain 4242.*accepts messages for ProtocolService 1\.0\.0 on chain 31337.*\/deployments\/second\/explorer_alphanet\/send_tx_set_reward_claimer \(deployment second\)/);
  const back = await send(await claimerMessage('a2'), operators[0]!, { signedFor: server.chain, to: prefix });
  expect(back.body.error).toContain('Send the same message to /explorer_alphanet/send_tx_set_reward_claimer (deployment default)');
  const foreign = await signMessage(unsigned, { ...other.domain, chainId: 7n }, operators[1]!.privateKey);
  expect((await server.post('claimer', foreign)).body.reason).toBe('signer-mismatch');
  expect((await toSecond(unsigned, operators[1]!)).status).toBe(200);
});

it('info lists both, and each has an info of its own', async () => {
  const info = await read<{ chain: object; paths: string[]; deployments: object[] }>('/gateway/info');
  expect(info).toMatchObject({
    chain: { chain_id: 31_337 },
    deployments: [
      { name: 'default', path: '', configured: true, chain_id: 31_337, relayers: [{ status: 'running' }] },
      { name: 'second', path: prefix, configured: true, chain_id: 4_242, domain: { chain_id: 4_242 }, relayers: [{ status: 'running' }] },
    ],
  });
  const own = await read<{ paths: string[] }>(`${prefix}/gateway/info`);
  expect(own).toMatchObject({ chain: { chain_id: 4_242, reachable: true }, domain: { chain_id: 4_242 } });
  expect(own).not.toHaveProperty('deployments');
  expect(own.paths[0]).toBe(`${prefix}/explorer_alphanet/send_tx_node_enter`);
});

it('transactions, bills and metrics are those of the deployment', async () => {
  type Batch = { batch_id: string };
  const [batches, otherBatches] = [await read<Batch[]>('/gateway/batches'), await read<Batch[]>(`${prefix}/gateway/batches`)];
  expect([batches.length, otherBatches.length]).toEqual([1, expect.any(Number)]);
  expect(otherBatches.map(({ batch_id: id }) => id)).not.toContain(batches[0]?.batch_id);
  const page = await server.send('GET', `${prefix}/gateway/batches?limit=1`, undefined, admin);
  if (otherBatches.length > 1) expect(page.headers.get('link')).toContain(`${prefix}/gateway/batches?`);
  const [bill, otherBill] = [await read<{ rows: { deployment: string }[] }>('/gateway/bill'), await read<{ rows: { deployment: string }[] }>(`${prefix}/gateway/bill`)];
  expect([bill, otherBill].map(({ rows }) => new Set(rows.map(({ deployment }) => deployment.split(':')[0])))).toEqual([new Set(['31337']), new Set(['4242'])]);
  const metrics = await server.metrics.metrics();
  const relayer = server.chain.relayer.address;
  expect(metrics).toMatch(/^vouch_gateway_messages_total\{kind="enter",outcome="accepted"\} 1$/m);
  expect(metrics).toMatch(/^vouch_gateway_messages_total\{kind="enter",outcome="accepted",deployment="second"\} 1$/m);
  for (const labels of [`relayer="${relayer}"`, `relayer="${relayer}",deployment="second"`]) expect(metrics).toContain(`vouch_gateway_leader{${labels}} 1`);
  expect(metrics).toMatch(/^vouch_gateway_budget_gas\{kind="report",state="left",deployment="second"\} \d+$/m);
});

it('a budget that is used up at one deployment leaves the other one alone', async () => {
  await setBudgets(server.database, service(other), { scope: 'total', subject: '' }, { exit: noGas }, new Date());
  server.moveClock(3);
  const exit: UnsignedMessage = { kind: 'exit', expired_at: await server.now() + 3_600 };
  const [refused, accepted] = [await toSecond(exit, operators[1]!), await toDefault(exit, operators[0]!)];
  expect([refused.body.reason, accepted.status]).toEqual(['quota', 200]);
  expect((await until(accepted, ended)).status).toBe('confirmed');
  const budgets = await read<{ total: { kind: string; gas_per_day: number }[] }>(`${prefix}/gateway/budgets`);
  expect(budgets.total.find(({ kind }) => kind === 'exit')?.gas_per_day).toBe(noGas);
});

it('a relayer key without ether at one deployment leaves the other one alone, and sends when it has some', async () => {
  await other.setBalance(other.relayer.address, 0n);
  const waiting = await toSecond(await claimerMessage('b1'), operators[1]!);
  expect(await until(waiting, ({ waits_for: why }) => why !== null)).toMatchObject({ waits_for: expect.stringMatching(/Send ether to 0x[0-9a-f]{40}\.$/) });
  const served = await toDefault(await claimerMessage('b2'), operators[2]!);
  expect((await until(served, ended)).status).toBe('confirmed');
  await other.setBalance(other.relayer.address, 10n ** 20n);
  expect((await until(waiting, ended)).status).toBe('confirmed');
});

exhaustiveTest('a chain that hangs at one deployment leaves the other one alone, and goes on when it answers', async () => {
  process.kill(other.pid!, 'SIGSTOP');
  try {
    const served = await toDefault(await claimerMessage('c1'), operators[3]!);
    expect((await until(served, ended, [server.chain])).status).toBe('confirmed');
    const info = await read<{ deployments: { name: string; configured: boolean }[] }>('/gateway/info');
    expect(info.deployments.map(({ name }) => name)).toEqual(['default', 'second']);
    const refused = await toSecond(await claimerMessage('c2'), operators[1]!);
    expect([refused.status, refused.body.reason]).toEqual([503, 'chain-unavailable']);
    for (;;) {
      const { deployments } = await read<{ deployments: { relayers: { pause_code: string | null }[] }[] }>('/gateway/info');
      expect(deployments[0]?.relayers[0]?.pause_code).toBeNull();
      if (deployments[1]?.relayers[0]?.pause_code === 'chain') break;
      await systemInterfaces.timers.sleep(50);
    }
    expect(await server.metrics.metrics()).toContain('vouch_gateway_paused{relayer="' + other.relayer.address + '",code="chain",deployment="second"} 1');
  } finally {
    process.kill(other.pid!, 'SIGCONT');
  }
  let again = await toSecond(await claimerMessage('c2'), operators[1]!);
  // After a failed read the chain is not read again for a moment; the answer has a Retry-After header.
  while (again.status === 503) {
    await systemInterfaces.timers.sleep(100);
    again = await toSecond(await claimerMessage('c2'), operators[1]!);
  }
  expect(again.status).toBe(200);
  expect((await until(again, ended)).status).toBe('confirmed');
});

exhaustiveTest('after a restart each deployment goes on with what it had accepted', async () => {
  await server.parts.close();
  const standby = await server.startOther({ deployments: [second()] });
  const at = async (to: string, chain: DeployedTestChain, account: TestAccount) => {
    const body = await signMessage(await claimerMessage('d1'), chain.domain, account.privateKey);
    const answer = await fetch(`${standby.url}${to}/explorer_alphanet${messagePaths.claimer}`, {
      method: 'POST', headers: { 'content-type': 'application/json', ...requiredHeaders }, body: JSON.stringify(body),
    });
    return (await answer.json() as { data: { request_id: string } }).data.request_id;
  };
  const ids = [await at('', server.chain, operators[2]!), await at(prefix, other, operators[1]!)];
  await standby.close();
  const next = await server.startOther({ deployments: [second()] });
  next.parts.start?.();
  for (const id of ids) {
    for (;;) {
      const { status } = (await (await fetch(`${next.url}/gateway/requests/${id}`)).json()) as Record;
      if (status === 'confirmed') break;
      expect(['failed', 'expired']).not.toContain(status);
      await Promise.all([server.chain.mine(), other.mine()]);
      await systemInterfaces.timers.sleep(50);
    }
  }
  await next.close();
});
