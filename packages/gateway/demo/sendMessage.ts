import { join } from 'node:path';
import { encodeFunctionData } from 'viem';
import { getAddress } from 'viem/utils';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { chainTime } from '@vouch/chain/contracts/devnetActions';
import { readDevnetFile, type DevnetAccount, type DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import type { Operation } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { ethCall, getBalance, getNonce } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { DemoContext, DemoStep } from '@vouch/platform/product/product';
import { noAddress, views, Words } from '../intake/chainState/views.ts';
import { messagePaths, prefixes } from '../intake/wire/paths.ts';
import type { RequestRecord } from '../requests/requestRecord.ts';

const pollMs = 200;
const ahead = 3_600;
const ends = ['confirmed', 'failed', 'expired'];

/** The demo of the gateway: an operator of the local chain signs one message, and it is followed until it is confirmed. */
export const sendMessage: DemoStep = {
  name: 'relay',
  async run(context) {
    const facts = await readDevnetFile(join(context.folder, 'devnet.json'));
    const operator = facts?.operators[0];
    if (facts === null || operator === undefined || !(await isServed(context, facts))) {
      context.print('The gateway step is left out: the demo has no local chain.');
      return;
    }
    const rpc = createRpcClient({ urls: [facts.rpcUrl] }, context.doors);
    try {
      const operation = await chooseOperation(context, rpc, facts, operator);
      const requestId = await send(context, facts, operator, operation);
      const record = await follow(context, requestId);
      printSteps(context, operation, record);
      await printBill(context, rpc, operator, record);
    } finally {
      await rpc.close();
    }
  },
};

/** Whether the served gateway works for the chain of the demo, and not for one that somebody configured. */
async function isServed(context: DemoContext, { contracts }: DevnetFacts): Promise<boolean> {
  const answer = await context.fetch(`${context.baseUrl}/gateway/info`);
  const { chain } = (await answer.json()) as { chain: { contract: string; local: boolean } | null };
  return chain !== null && chain.local && chain.contract.toLowerCase() === contracts.service;
}

/** A node enters; one that did in an earlier demo names another claimer, so that there is something to do each time. */
async function chooseOperation(context: DemoContext, rpc: RpcClient, { contracts }: DevnetFacts, { address }: DevnetAccount): Promise<Operation> {
  const expiredAt = BigInt(Math.max(Number(await chainTime(rpc)), Math.floor(context.doors.clock.now() / 1000)) + ahead);
  const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeInfos', args: [address] });
  const { active } = views.nodeInfos(address).read(new Words(await ethCall(rpc, { to: contracts.service, data })));
  if (!active) return { kind: 'enter', replacedNode: noAddress, expiredAt };
  return { kind: 'claimer', claimer: `0x${context.doors.random.bytes(20).toString('hex')}`, expiredAt };
}

/** Posts what the operator signed. No key, no transaction of its own. */
async function send(context: DemoContext, { domain }: DevnetFacts, operator: DevnetAccount, operation: Operation): Promise<string> {
  const { v, r, s } = await signOperation(operation, domain, operator.privateKey);
  const fields = operation.kind === 'enter' ? { replaced_node: operation.replacedNode } : operation.kind === 'claimer' ? { claimer: operation.claimer } : {};
  const path = `${prefixes[0]}${messagePaths[operation.kind]}`;
  const answer = await context.fetch(`${context.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: context.baseUrl, 'user-agent': 'vouch-demo', 'x-app-id': 'demo' },
    body: JSON.stringify({
      ...fields, ...('expiredAt' in operation ? { expired_at: Number(operation.expiredAt) } : {}), signer: getAddress(operator.address), v, r: r.slice(2), s: s.slice(2),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
  return (JSON.parse(text) as { data: { request_id: string } }).data.request_id;
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
    await context.doors.timers.sleep(pollMs);
  }
}

function printSteps(context: DemoContext, operation: Operation, { times, transactions }: RequestRecord): void {
  const begin = Date.parse(times.received ?? '');
  const hash = transactions.find(({ mined }) => mined)?.transaction_hash ?? '';
  const facts: Partial<Record<keyof RequestRecord['times'], string>> = {
    received: operation.kind === 'enter' ? 'a node asks to enter the active set' : 'a node names who receives its rewards',
    verified: 'the signature is the node\'s, and the contract would agree; stored, and answered',
    simulated: 'carried out for trial with everything else of its batch',
    sent: hash,
    ended: 'enough blocks follow: it stays',
  };
  const steps = Object.entries(times).filter(([, time]) => time !== null) as [keyof RequestRecord['times'], string][];
  context.table('A signed message on its way to the chain', ['step', 'after', 'what'],
    steps.map(([step, time]) => [step === 'ended' ? 'confirmed' : step, `${((Date.parse(time) - begin) / 1000).toFixed(1)} s`, facts[step] ?? '']));
}

async function printBill(context: DemoContext, rpc: RpcClient, { address }: DevnetAccount, record: RequestRecord): Promise<void> {
  const [sent, balance] = [await getNonce(rpc, address), await getBalance(rpc, address)];
  context.print(`The node ${getAddress(address)} has sent ${sent} transactions and paid nothing (${balance} wei, as at the beginning).`);
  if (record.gas !== null) {
    const { used, alone, saved } = record.gas;
    const against = saved >= 0 ? `${saved} less than the ${alone} of a transaction of its own` : `${-saved} more than the ${alone} of a transaction of its own: alone in its batch it bears the whole transaction`;
    context.print(`The gateway paid ${used} gas for it, ${against}.`);
  }
  context.print(`The whole record:\n  curl ${context.baseUrl}/gateway/requests/${record.request_id}`);
}
