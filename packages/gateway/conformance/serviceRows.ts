import assert from 'node:assert/strict';
import { encodeFunctionData } from 'viem';
import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getBalance, getNonce } from '@vouch/chain/rpc/chainReads';
import { expectStatus } from '@vouch/platform/conformance/client';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { chainRow, expectRefusal, fetchRules } from './fixture.ts';

/** Rows about the whole gateway: its effects for operators and the states of nodes. */
export const serviceRows: readonly ConformanceRow[] = [
  chainRow('S7', 'a signed message is confirmed; the same message without its signature is rejected', async ({ client, sign, node, nodeState, newClaimer, carryOut }) => {
    const unsigned = await newClaimer();
    const body = await sign(unsigned, node);
    expectRefusal(await client.post('claimer', { ...body, r: '0'.repeat(64), s: '0'.repeat(64) }));
    await carryOut(unsigned, node);
    assert.equal((await nodeState(node)).claimer, unsigned.claimer);
  }),
  chainRow('S8', 'the relayer sent the transaction; the node sent none and its balance is unchanged', async ({ rpc, node, entered, facts, client }) => {
    assert.equal(await getNonce(rpc, node.address), 0, 'the node has sent no transaction');
    assert.equal(await getBalance(rpc, node.address), 10n ** 19n, 'the node has paid nothing');
    const { transactions, gas } = await client.record(entered.request_id);
    const hash = transactions.find(({ mined }) => mined)?.transaction_hash;
    const { from } = await rpc.request<{ from: string }>('eth_getTransactionByHash', [hash]);
    assert.equal(from.toLowerCase(), facts.relayer.address);
    assert.ok((gas?.used ?? 0) > 0 && gas?.cost_wei !== null, 'the record says what it cost');
  }),
  chainRow('S9', 'two messages of different nodes that arrive together are in one batch', async ({ sign, client, node, second, newClaimer }) => {
    const bodies = [await sign(await newClaimer(), node), await sign(await newClaimer(), second)];
    const ids = await Promise.all(bodies.map((body) => client.accept('claimer', body)));
    const records = await Promise.all(ids.map((id) => client.untilEnd(id)));
    assert.deepEqual(records.map(({ status }) => status), ['confirmed', 'confirmed']);
    assert.ok(records[0]!.batch_id !== null, 'the record names the batch');
    assert.equal(records[0]!.batch_id, records[1]!.batch_id);
  }),
  chainRow('S10', 'a node that exits by its own transaction is not in the active set, and the gateway reports this', async ({ rpc, facts, newNode, nodeState, sign, client, soon, whenKnown }) => {
    const node = await newNode();
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' });
    await sendTransactions(rpc, [{ to: facts.contracts.service, data, gas: 500_000n }], { key: node.privateKey });
    assert.equal((await nodeState(node)).active, false);
    await whenKnown();
    expectRefusal(await client.post('exit', await sign({ kind: 'exit', expired_at: await soon() }, node)), 'not in the active set');
  }),
  chainRow('G22', 'the operator is not in the set before the message, and is in the set afterwards', async ({ newOperator, nodeState, carryOut, soon }) => {
    const operator = await newOperator();
    assert.equal((await nodeState(operator)).active, false);
    await carryOut({ kind: 'enter', replaced_node: zeroAddress, expired_at: await soon() }, operator);
    assert.equal((await nodeState(operator)).active, true);
  }),
  chainRow('G23', 'the node is in the set before the message, and is not in the set afterwards', async ({ newNode, nodeState, carryOut, soon }) => {
    const node = await newNode();
    assert.equal((await nodeState(node)).active, true);
    await carryOut({ kind: 'exit', expired_at: await soon() }, node);
    assert.equal((await nodeState(node)).active, false);
  }),
  chainRow('L1', 'the limit in the contract is 2000', async (fixture) => {
    assert.equal((await fetchRules(fixture)).maxActiveNodes, 2_000);
  }),
  chainRow('G13', 'no node, a node outside the set and a node with equal delegation are rejected; a node with lower delegation is replaced', async (fixture) => {
    const { facts, rpc, client, sign, soon, carryOut, nodeState, whenKnown } = fixture;
    const { contracts, owner } = facts;
    const [lighter, outside, joiner] = [await fixture.newNode(), await fixture.newOperator(), await fixture.newOperator()];
    const rules = await fetchRules(fixture);
    const setRules = async (maxActiveNodes: number): Promise<void> => {
      const data = encodeFunctionData({ abi: settingsAbi, functionName: 'setRules', args: [{ ...rules, maxActiveNodes }] });
      await sendTransactions(rpc, [{ to: contracts.settings, data, gas: 200_000n }], { key: owner.privateKey });
      await whenKnown();
    };
    await setRules(1);
    try {
      const expired = await soon();
      for (const [replaced, word] of [[zeroAddress, 'full'], [outside.address, 'full'], [lighter.address, 'weight of 1']] as const) {
        expectRefusal(await client.post('enter', await sign({ kind: 'enter', replaced_node: replaced, expired_at: expired }, joiner)), word);
      }
      await mintLicenses(rpc, contracts, [{ address: joiner.address, count: 1 }], { key: owner.privateKey });
      await whenKnown();
      await carryOut({ kind: 'enter', replaced_node: lighter.address, expired_at: await soon() }, joiner);
      assert.deepEqual([(await nodeState(joiner)).active, (await nodeState(lighter)).active], [true, false]);
    } finally {
      await setRules(rules.maxActiveNodes);
    }
    expectStatus(await client.post('enter', await sign({ kind: 'enter', replaced_node: zeroAddress, expired_at: await soon() }, lighter)), 200);
  }),
];
