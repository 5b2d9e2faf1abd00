import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { afterEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { reservedGas } from '../budgets/budget.ts';
import { GatewayTestServer, type Answer, type Refusal } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let server: GatewayTestServer;
afterEach(() => server.close());

const claimer = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as const;

async function setClaimer(account: TestAccount, number: number): Promise<Answer<Refusal>> {
  return server.signAndSend(await server.claimerMessage(claimer(number)), account);
}

interface Counter {
  scope: string;
  subject: string;
  kind: string;
  reserved: number;
  spent: number;
}

async function counters(): Promise<Counter[]> {
  return (await server.database.query<Counter & Record<string, unknown>>(
    `SELECT scope, subject, kind, reserved_gas::int AS reserved, spent_gas::int AS spent FROM gateway_spending ORDER BY scope, subject, kind`)).rows;
}

describe('a signer that toggles its claimer', () => {
  exhaustiveTest('has a few messages a day accepted, is told when it may again, and reports meanwhile', async () => {
    server = await GatewayTestServer.start({ operators: 2, settings: { batch_window_ms: 0 } });
    const [toggler, other] = server.chain.operators as [TestAccount, TestAccount];
    await server.enter(toggler, other);
    await server.toNextDay();
    const answers: Answer<Refusal>[] = [];
    for (let number = 1; number <= 12; number++) answers.push(await setClaimer(toggler, number));
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(accepted).toBe(Math.floor(400_000 / reservedGas.claimer));
    const refused = answers.at(-1)!;
    expect([refused.status, refused.body.reason, refused.body.message === refused.body.error]).toEqual([400, 'quota', true]);
    expect(Number(refused.headers.get('retry-after'))).toBe(60);

    server.startSending();
    await server.ended();
    // Confirmation released the unused gas, which allows a few more messages until the budget is spent.
    server.moveClock(3);
    let last = await setClaimer(toggler, 50);
    for (let number = 51; last.status === 200 && number < 60; number++) {
      await server.ended();
      last = await setClaimer(toggler, number);
    }
    expect([last.status, last.body.reason]).toEqual([400, 'quota']);
    const seconds = Number(last.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThanOrEqual(86_400);
    const day = await counters();
    for (const { reserved, spent } of day) expect([reserved, spent > 0 && spent <= 400_000]).toEqual([0, true]);
    // The counters equal the gas of the receipts.
    const bill = await server.send<{ gas: number }>('GET', '/gateway/bill', undefined, { apikey: 'default:admin' });
    expect(day.find(({ scope }) => scope === 'total')!.spent).toBe(bill.body.gas);

    // The signer's reports and other signers have separate budgets.
    const attested = await server.attest('while the budget is spent');
    for (const account of [toggler, other]) {
      const index = attested.chosen.indexOf(account.address);
      expect((await server.signAndSend({ kind: 'report', attestation_id: attested.attestationIds[0]!, result: 0, index }, account)).status).toBe(200);
    }
    expect((await setClaimer(other, 7)).status).toBe(200);

    server.moveClock(86_400);
    await server.chain.increaseTime(86_400);
    expect((await setClaimer(toggler, 99)).status).toBe(200);
  });

  it('in the dialect of the program in the field reads the reason as text', async () => {
    server = await GatewayTestServer.start({ operators: 1, settings: { gateway_headers: 'lenient' } });
    const [toggler] = server.chain.operators as [TestAccount];
    await server.enter(toggler);
    await server.toNextDay();
    for (let number = 1; number <= 4; number++) expect((await setClaimer(toggler, number)).status).toBe(200);
    const { claimer: _, expired_at: expired, ...signed } = await server.sign(await server.claimerMessage(claimer(9)), toggler);
    const answer = await server.send<Refusal>('POST', '/explorer/send_tx_set_reward_claimer', { ...signed, claimer: claimer(9), expiredAt: String(expired) }, { 'user-agent': 'Go-http-client/1.1' });
    expect([answer.status, answer.body.code, answer.body.reason, typeof answer.body.message]).toEqual([400, 400, 'quota', 'string']);
  });
});

describe('licenses that go from key to key', () => {
  exhaustiveTest.each(['held', 'delegated'] as const)('pay once, however many keys they back: 12 keys, 2 %s licenses', async (how) => {
    server = await GatewayTestServer.start({ operators: 14, licenses: 0, settings: { batch_window_ms: 0 } });
    const { chain } = server;
    const [owner, honest, ...keys] = chain.operators as [TestAccount, TestAccount, ...TestAccount[]];
    await mintLicenses(chain.rpc, chain.contracts, [{ address: owner.address, count: 2 }, { address: honest.address, count: 1 }], { key: chain.deployer.privateKey });
    await server.enter(honest);
    await server.toNextDay();
    const held: TestAccount[] = [owner, owner];
    let accepted = 0;
    const refusals = new Set<string>();
    for (const [at, key] of keys.entries()) {
      // The licenses alternate, so that each of the two backs six keys.
      const license = BigInt(1 + (at % 2));
      if (how === 'held') await server.transfer(held[at % 2]!, license, key.address);
      else await server.delegate(owner, license, key.address);
      held[at % 2] = key;
      for (const number of [1, 2]) {
        const { status, body } = await setClaimer(key, at * 2 + number);
        if (status === 200) accepted++;
        else refusals.add(`${body.reason} ${/the license \d/i.exec(body.message)?.[0] ?? ''}`);
      }
    }
    expect(accepted).toBe(2 * Math.floor(400_000 / reservedGas.claimer));
    expect([...refusals].sort()).toEqual(['quota the license 1', 'quota the license 2']);
    const day = await counters();
    expect(day.filter(({ scope }) => scope === 'license').map(({ subject, kind, reserved }) => [subject, kind, reserved <= 400_000])).toEqual([['1', 'claimer', true], ['2', 'claimer', true]]);
    // A delegation from a foreign license must not reduce what the node itself may send.
    if (how === 'delegated') await server.delegate(owner, 1n, honest.address);
    server.startSending();
    const attested = await server.attest('beside the attack');
    expect((await server.signAndSend({ kind: 'report', attestation_id: attested.attestationIds[0]!, result: 0, index: 0 }, honest)).status).toBe(200);
    expect((await setClaimer(honest, 77)).status).toBe(200);
    await server.ended();
    expect((await server.rowsOf(honest)).map(({ kind, state }) => [kind, state])).toEqual([['report', 'confirmed'], ['claimer', 'confirmed']]);
  });
});

describe('a message that ends without a transaction', () => {
  it('gives its gas back', async () => {
    server = await GatewayTestServer.start({ operators: 1, settings: { batch_window_ms: 0 } });
    const [node] = server.chain.operators as [TestAccount];
    const expired = (await server.now()) + 3_600;
    expect((await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, node)).status).toBe(200);
    expect((await counters()).every(({ reserved }) => reserved === reservedGas.enter)).toBe(true);
    // The node enters by its own transaction first, so the simulation refuses the message.
    await server.enter(node);
    server.startSending();
    await server.ended();
    expect((await counters()).map(({ reserved, spent }) => [reserved, spent])).toEqual((await counters()).map(() => [0, 0]));
  });
});

describe('a key without a license', () => {
  it('is not paid for, although it was a node', async () => {
    server = await GatewayTestServer.start({ operators: 2, licenses: 1 });
    const [former, heir] = server.chain.operators as [TestAccount, TestAccount];
    await server.enter(former);
    expect((await setClaimer(former, 1)).status).toBe(200);
    await server.delegate(former, 1n, heir.address);
    const refused = await setClaimer(former, 2);
    expect([refused.status, refused.body.reason]).toEqual([400, 'no-weight']);
  });
});
