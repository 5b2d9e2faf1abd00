import type { ChosenAttestations } from '@vouch/chain/contracts/devnetActions';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { encodeFunctionData } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayTestServer, type Answer, type Envelope, type Refusal } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

test('a report is judged by the nodes that were chosen on the present branch, not by those of a branch that the chain has left', async () => {
  const server = await GatewayTestServer.start({ operators: 4, rules: { maxChosenNodes: 1 }, settings: { confirmations: 5 } });
  onTestFinished(() => server.close());
  const { chain: { contracts, rpc, operators } } = server;
  await server.enter(...operators);
  const report = ({ attestationIds: [id], chosen: [node] }: ChosenAttestations): Promise<Answer<Envelope & Refusal>> =>
    server.signAndSend({ kind: 'report', attestation_id: id!, result: 0, index: 0 }, operators.find(({ address }) => address === node)!);
  const fork = await rpc.request('evm_snapshot', []);
  const left = await server.attest('an attestation');
  expect((await report(left)).status).toBe(200);
  await rpc.request('evm_revert', [fork]);
  const { privateKey } = operators.find(({ address }) => address === left.chosen[0])!;
  await sendTransactions(rpc, [{ to: contracts.service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' }), gas: 500_000n }], { key: privateKey });
  const present = await server.attest('another attestation');
  expect(present.chosen).not.toEqual(left.chosen);
  const answer = await report(present);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
});
