import assert from 'node:assert/strict';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { ethCall, getBalance, getNonce } from '@vouch/chain/rpc/chainReads';
import { expectStatus } from '@vouch/platform/conformance/client';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { messageHeaders, type Envelope } from './client.ts';
import { expectRefusal, noNode, row, type Fixture } from './fixture.ts';

const section = 'What the service does';
const envelope = 'Resources / Gateway response envelope';
const states = 'States and transitions';
const endpoints = 'Endpoints / Signed-message gateway';

async function readRules({ rpc, facts }: Fixture) {
  const data = encodeFunctionData({ abi: settingsAbi, functionName: 'rules' });
  return decodeFunctionResult({ abi: settingsAbi, functionName: 'rules', data: await ethCall(rpc, { to: facts.contracts.settings, data }) });
}

/** The gateway as a whole: what it does for operators, its envelope, the states of nodes, limits and paths. */
export const serviceRows: readonly ConformanceRow[] = [
  row(section, 'accepts requests of operators that are authorized by a typed-data signature', async ({ entered, nodeState, node }) => {
    assert.equal(entered.status, 'confirmed', JSON.stringify(entered.reason));
    assert.equal((await nodeState(node)).active, true);
  }),
  row(section, 'posts the operation on the chain, so that the operator pays nothing', async ({ rpc, node, entered, facts }) => {
    assert.equal(await getNonce(rpc, node.address), 0, 'the node has sent no transaction');
    assert.equal(await getBalance(rpc, node.address), 10n ** 19n, 'the node has paid nothing');
    const hash = entered.transactions.find(({ mined }) => mined)?.transaction_hash;
    const { from } = await rpc.request<{ from: string }>('eth_getTransactionByHash', [hash]);
    assert.equal(from.toLowerCase(), facts.relayer.address);
    assert.ok((entered.gas?.used ?? 0) > 0 && entered.gas?.cost_wei !== null, 'the record says what it cost');
  }),
  row(section, 'posts operations in batches', async ({ sign, client, second, third, soon }) => {
    const wish = { kind: 'enter', replaced_node: noNode, expired_at: await soon() } as const;
    const bodies = [await sign(wish, second), await sign(wish, third)];
    const ids = await Promise.all(bodies.map((body) => client.accept('enter', body)));
    const records = await Promise.all(ids.map((id) => client.untilEnd(id)));
    assert.deepEqual(records.map(({ status }) => status), ['confirmed', 'confirmed']);
    assert.equal(records[0]?.batch_id, records[1]?.batch_id);
  }),
  row(section, 'operators may instead send the transactions themselves', async ({ rpc, facts, third, nodeState, sign, client, soon }) => {
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' });
    await sendTransactions(rpc, [{ to: facts.contracts.service, data, gas: 500_000n }], { key: third.privateKey });
    assert.equal((await nodeState(third)).active, false);
    // The gateway sees it within a block.
    const reply = await client.post('exit', await sign({ kind: 'exit', expired_at: await soon() }, third));
    expectRefusal(reply, 'not in the active set');
  }),
  row(envelope, 'success is 200 with code (integer), msg (text) and data (object)', async ({ client, sign, node, entered }) => {
    const { replacedNode, expiredAt } = entered.operation;
    const again = { kind: 'enter', replaced_node: replacedNode as `0x${string}`, expired_at: Number(expiredAt) } as const;
    const answer = expectStatus(await client.post('enter', await sign(again, node)), 200).json<Envelope>();
    assert.deepEqual([answer.code, answer.msg, typeof answer.data], [0, 'ok', 'object']);
    assert.deepEqual(Object.keys(answer).sort(), ['code', 'data', 'msg']);
    assert.deepEqual([answer.data?.request_id, answer.data?.status], [entered.request_id, 'confirmed'], 'the same message is answered with its first id');
  }),
  row(envelope, 'failure is 400 with error (text)', async ({ client }) => {
    expectRefusal(await client.post('exit', {}), 'expired_at', 'signer');
  }),
  row(states, 'a node that enters is in the active set, one that exits is not', async ({ carryOut, nodeState, second, soon }) => {
    assert.equal((await nodeState(second)).active, true);
    const exited = await carryOut({ kind: 'exit', expired_at: await soon() }, second);
    assert.equal(exited.status, 'confirmed', JSON.stringify(exited.reason));
    assert.equal((await nodeState(second)).active, false);
  }),
  row('Limits', 'the active set holds at most 2000 nodes', async (fixture) => {
    assert.equal((await readRules(fixture)).maxActiveNodes, 2_000);
  }),
  row(endpoints, 'a node that joins the full active set must name a node with lower delegation', async (fixture) => {
    const { facts, rpc, second, third, node, client, sign, soon, carryOut } = fixture;
    const { contracts, owner } = facts;
    const rules = await readRules(fixture);
    const setRules = async (maxActiveNodes: number): Promise<void> => {
      const data = encodeFunctionData({ abi: settingsAbi, functionName: 'setRules', args: [{ ...rules, maxActiveNodes }] });
      await sendTransactions(rpc, [{ to: contracts.settings, data, gas: 200_000n }], { key: owner.privateKey });
    };
    await setRules(1);
    try {
      const expired = await soon();
      expectRefusal(await client.post('enter', await sign({ kind: 'enter', replaced_node: noNode, expired_at: expired }, second)), 'full');
      expectRefusal(await client.post('enter', await sign({ kind: 'enter', replaced_node: third.address, expired_at: expired }, second)), 'full');
      expectRefusal(await client.post('enter', await sign({ kind: 'enter', replaced_node: node.address, expired_at: expired }, second)), 'weight of 1');
      await mintLicenses(rpc, contracts, [{ address: second.address, count: 1 }], { key: owner.privateKey });
      const record = await carryOut({ kind: 'enter', replaced_node: node.address, expired_at: await soon() }, second);
      assert.equal(record.status, 'confirmed', JSON.stringify(record.reason));
      assert.equal((await fixture.nodeState(node)).active, false);
    } finally {
      await setRules(rules.maxActiveNodes);
    }
    const back = await carryOut({ kind: 'enter', replaced_node: noNode, expired_at: (await soon()) + 1 }, node);
    assert.equal(back.status, 'confirmed', JSON.stringify(back.reason));
  }),
  row('Limits', 'the commission is 0 to 100 percent', async ({ client, sign, node, soon }) => {
    expectRefusal(await client.post('commission', await sign({ kind: 'commission', commission_rate: 10_001, expired_at: await soon() }, node)), '100.01 %');
    expectRefusal(await client.post('commission', { ...(await sign({ kind: 'commission', commission_rate: 0, expired_at: await soon() }, node)), commission_rate: -1 }), 'commission_rate');
  }),
  row('Authentication', 'messages need no apikey, and one helps nobody', async ({ client, sign, node, second, soon, context }) => {
    const body = await sign({ kind: 'exit', expired_at: await soon() }, second);
    const reply = await client.post('exit', { ...body, signer: node.address }, { ...messageHeaders, apikey: context.apiKey });
    expectRefusal(reply, 'not of the signer');
  }),
  row('Versioning', 'the paths of the gateway carry no version', async ({ client, sign, node, soon }) => {
    const body = await sign({ kind: 'exit', expired_at: await soon() }, node);
    for (const path of ['/v1/explorer_alphanet/send_tx_node_exit', '/explorer_alphanet/v1/send_tx_node_exit', '/v1/gateway/info']) {
      const reply = await client.send('POST', path, { body, headers: messageHeaders });
      expectStatus(reply, 404);
    }
  }),
];
