import { join } from 'node:path';
import { formatEther } from 'viem';
import { getAddress } from 'viem/utils';
import { chainTime } from '@vouch/chain/contracts/devnetActions';
import { readDevnetFile, type DevnetAccount, type DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import type { Operation } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getBalance, getNonce } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { DemoContext, DemoStep } from '@vouch/platform/product/product';
import { messagePaths, prefixes } from '../intake/wire/paths.ts';
import type { RequestRecord } from '../records/requestRecord.ts';

const pollMs = 200;
const ahead = 3_600;
const ends = ['confirmed', 'failed', 'expired'];

/** The demo of the gateway: an operator of the local chain signs one message, and the demo follows the message until the chain confirms it. */
export const sendMessage: DemoStep = {
  name: 'relay',
  async run(context) {
    const facts = await readDevnetFile(join(context.folder, 'devnet.json'));
    const operator = facts?.operators[0];
    if (facts === null || operator === undefined || !(await isServed(context, facts))) {
      context.print('The demo skips the signed message, because it has no local chain.');
      return;
    }
    const rpc = createRpcClient({ urls: [facts.rpcUrl] }, context.system);
    try {
      const { operation, requestId } = await sendOne(context, rpc, facts, operator);
      const record = await follow(context, requestId);
      printSteps(context, operation, record);
      await printBill(context, rpc, operator, record);
    } finally {
      await rpc.close();
    }
  },
};

/** Whether the gateway serves the local chain of the demo and not a configured chain. */
async function isServed(context: DemoContext, { contracts }: DevnetFacts): Promise<boolean> {
  const answer = await context.fetch(`${context.baseUrl}/gateway/info`);
  const { chain } = (await answer.json()) as { chain: { contract: string; local: boolean } | null };
  return chain !== null && chain.local && chain.contract.toLowerCase() === contracts.service;
}

/**
 * Sends a message to enter the active set. A node that an earlier demo entered, or whose earlier message is still pending after the demo was
 * killed, names a new claimer instead, so that each demo has a message to send. The gateway knows both cases.
 */
async function sendOne(context: DemoContext, rpc: RpcClient, facts: DevnetFacts, operator: DevnetAccount): Promise<{ operation: Operation; requestId: string }> {
  const expiredAt = BigInt(Math.max(Number(await chainTime(rpc)), Math.floor(context.system.clock.now() / 1000)) + ahead);
  const enter: Operation = { kind: 'enter', replacedNode: zeroAddress, expiredAt };
  const entered = await send(context, facts, operator, enter);
  if ('requestId' in entered) return { operation: enter, ...entered };
  const claimer: Operation = { kind: 'claimer', claimer: `0x${context.system.random.bytes(20).toString('hex')}`, expiredAt };
  const named = entered.code === 'already-active' ? await send(context, facts, operator, claimer) : entered;
  if ('requestId' in named) return { operation: claimer, ...named };
  throw new Error(`the gateway rejected the signed message of the demo: ${named.text}`);
}

/** Sends the signed message to the gateway. This needs no API key, and the operator sends no transaction. */
async function send(
  context: DemoContext, { domain }: DevnetFacts, operator: DevnetAccount, operation: Operation,
): Promise<{ requestId: string } | { code: string | undefined; text: string }> {
  const { v, r, s } = await signOperation(operation, domain, operator.privateKey);
  const fields = operation.kind === 'enter' ? { replaced_node: operation.replacedNode } : operation.kind === 'claimer' ? { claimer: operation.claimer } : {};
  const answer = await context.fetch(`${context.baseUrl}${prefixes[0]}${messagePaths[operation.kind]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: context.baseUrl, 'user-agent': 'vouch-demo', 'x-app-id': 'demo' },
    body: JSON.stringify({
      ...fields, ...('expiredAt' in operation ? { expired_at: Number(operation.expiredAt) } : {}), signer: getAddress(operator.address), v, r: r.slice(2), s: s.slice(2),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) return { code: /"code":"([a-z-]+)"/.exec(text)?.[1], text };
  return { requestId: (JSON.parse(text) as { data: { request_id: string } }).data.request_id };
}

async function follow(context: DemoContext, requestId: string): Promise<RequestRecord> {
  let shown = '';
  for (;;) {
    const answer = await context.fetch(`${context.baseUrl}/gateway/requests/${requestId}`);
    const record = (await answer.json()) as RequestRecord;
    if (record.status !== shown) context.print(`Signed message: ${record.status}`);
    shown = record.status;
    if (record.status === 'confirmed') return record;
    if (ends.includes(record.status)) throw new Error(`the signed message of the demo ended as ${record.status}: ${record.reason?.message ?? 'no reason given'}`);
    await context.system.timers.sleep(pollMs);
  }
}

function printSteps(context: DemoContext, operation: Operation, { times, transactions }: RequestRecord): void {
  const begin = Date.parse(times.received ?? '');
  const hash = transactions.find(({ mined }) => mined)?.transaction_hash ?? '';
  const facts: Partial<Record<keyof RequestRecord['times'], string>> = {
    received: operation.kind === 'enter' ? 'the node asks to enter the active set' : 'the node names the claimer of its rewards',
    verified: 'the signature is valid, the contract would accept the message',
    simulated: 'the whole batch succeeds in a simulation',
    sent: hash,
    ended: 'enough blocks follow; the change is final',
  };
  const steps = Object.entries(times).filter(([, time]) => time !== null) as [keyof RequestRecord['times'], string][];
  context.table('The signed message, from the gateway to the chain', ['status', 'after', 'meaning'],
    steps.map(([step, time]) => [step === 'ended' ? 'confirmed' : step, `${((Date.parse(time) - begin) / 1000).toFixed(1)} s`, facts[step] ?? '']));
}

async function printBill(context: DemoContext, rpc: RpcClient, { address }: DevnetAccount, record: RequestRecord): Promise<void> {
  const [sent, balance] = [await getNonce(rpc, address), await getBalance(rpc, address)];
  context.print(`The node ${getAddress(address)} sent ${sent} transactions and paid nothing; its balance is still ${formatEther(balance)} ETH.`);
  if (record.gas !== null) context.print(`The gateway paid ${record.gas.used} gas. ${describeShare(record.gas)}`);
  context.suggest('Get the record of the signed message', `curl ${context.baseUrl}/gateway/requests/${record.request_id}`);
}

function describeShare({ alone, saved }: NonNullable<RequestRecord['gas']>): string {
  return saved > 0
    ? `A transaction of the node alone would have cost ${alone} gas.`
    : 'The message was alone in its batch; messages that share a batch share the cost of the transaction.';
}
