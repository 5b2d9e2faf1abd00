import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayTestServer, type Envelope, type Refusal } from '../testing/gatewayTestServer.ts';
import { usualRules } from './chainState/gatewayChain.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let server: GatewayTestServer;
let operators: TestAccount[];

beforeAll(async () => {
  server = await GatewayTestServer.start({ operators: 4, licenses: 1, serviceBytecode: revertingServiceBytecode, rules: { maxChosenNodes: 2 } });
  operators = [...server.chain.operators];
  await server.enter(...operators.slice(0, 3));
});

afterAll(() => server.close());

describe('a contract without our further views', () => {
  it('is recognised, and its usual limits are taken for granted', async () => {
    expect((await server.send('GET', '/gateway/info')).body).toMatchObject({ chain: { isolates: false }, limits: { expires_seconds_most: usualRules.maxExpiry } });
  });

  it('has messages of all kinds accepted and refused as ours has', async () => {
    const expired = (await server.now()) + 3_600;
    const accepted = [
      await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, operators[3]!),
      await server.signAndSend({ kind: 'commission', commission_rate: 250, expired_at: expired }, operators[0]!),
      await server.signAndSend({ kind: 'claimer', claimer: operators[1]!.address, expired_at: expired }, operators[0]!),
      await server.signAndSend({ kind: 'exit', expired_at: expired }, operators[1]!),
    ];
    expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await server.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: expired }, operators[0]!)).body.reason).toBe('already-active');
  });

  it('has reports judged by its single places', async () => {
    const { chosen, attestationIds } = await server.attest('one');
    const reporter = operators.find(({ address }) => address === chosen[1])!;
    const left = operators.slice(0, 3).find(({ address }) => !chosen.includes(address))!;
    const report = (index: number) => ({ kind: 'report', attestation_id: attestationIds[0]!, result: 2, index } as const);
    const refused = await server.signAndSend(report(0), reporter);
    expect([refused.body.reason, / the index of node \d+ is 1\./.test(refused.body.error)]).toEqual(['index-invalid', true]);
    expect((await server.signAndSend(report(7), reporter)).body.error).toContain('beyond the list of 2');
    expect((await server.signAndSend(report(0), left)).body.reason).toBe('not-chosen');
    expect((await server.post<Envelope & Refusal>('report', await server.sign(report(1), reporter))).body).toEqual({ code: 0, msg: 'ok', data: null });
  });
});

it('a message for a contract that needs Multicall3 is refused where there is none, and not told later that the contract rejected it', async () => {
  const without = await GatewayTestServer.start({ operators: 1, serviceBytecode: revertingServiceBytecode, settings: { multicall_address: `0x${'12'.repeat(20)}` } });
  try {
    without.startSending();
    const { chain: { operators: [account] } } = without;
    const answer = await without.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: (await without.now()) + 3_600 }, account!);
    if (answer.status === 200) await without.ended();
    const { rows } = await without.database.query('select state, reason from gateway_requests');
    expect([answer.status, answer.body.reason, rows]).toEqual([503, 'chain-unavailable', []]);
    expect(answer.body.error).toContain('needs Multicall3');
  } finally {
    await without.close();
  }
});
