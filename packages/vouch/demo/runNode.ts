import { join, resolve } from 'node:path';
import { readDevnetFile, type DevnetAccount, type DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { createLogger } from '@vouch/platform/log/logger';
import type { DemoContext, DemoStep } from '@vouch/platform/product/product';
import { verdictOf, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { loadConfiguration } from '@vouch/verifier/config/loadConfiguration';
import type { NodeConfiguration } from '@vouch/verifier/config/nodeConfiguration';
import { startNode, type RunningNode } from '@vouch/verifier/node/startNode';
import type { KeptAttestation } from '@vouch/verifier/state/nodeState';
import { authorityFolder } from '../devnet/openLocalChain.ts';
import { postAttestations, type PostedAttestation } from '../devnet/postAttestations.ts';
import { shellWord } from '../terminal/shellWord.ts';

const pollMs = 100;
/** Ten times the duration of a block, its confirmations and the next poll of the node on the local chain. */
const patienceMs = 60_000;
const kinds: readonly TestAttestation[] = ['good', 'not a quote', 'forged'];
const meanings = ['valid', 'invalid', 'malicious'] as const;
const described: Readonly<Record<TestAttestation, string>> = {
  good: 'a valid quote', 'not a quote': 'bytes that are not a quote', debugged: 'a quote of an enclave in debug mode', forged: 'a quote with a forged signature',
};

/** Demo of the verifier node: a node enters the active set, verifies three attestations, submits its votes and leaves. */
export const runNode: DemoStep = {
  name: 'verify',
  async run(context) {
    const facts = await readDevnetFile(join(context.folder, 'devnet.json'));
    // The gateway's demo step uses the first operator; this step uses the second.
    const operator = facts?.operators[1];
    if (facts === null || operator === undefined || !(await isServed(context, facts))) {
      context.print('The demo skips the verifier node, because no local chain runs.');
      return;
    }
    const node = await startNode({
      configuration: configurationFor(context, operator), privateKey: operator.privateKey, node: operator.address, system: context.system,
      log: createLogger(process.env['VOUCH_LOG_LEVEL'] ?? 'silent'), exitOnStop: true,
    });
    try {
      await showNode(context, facts, node);
    } finally {
      await node.stop();
    }
    context.print('The node left the active set.');
    context.suggest('Run a node as a separate program (in a checkout: dist/verifier/verifier)', `verifier -conf ${shellWord(join(context.folder, 'verifier.yaml'))}`);
  },
};

/** Whether the gateway serves the demo's local chain instead of a configured chain. */
async function isServed(context: DemoContext, { contracts }: DevnetFacts): Promise<boolean> {
  const answer = await context.fetch(`${context.baseUrl}/gateway/info`);
  const { chain } = (await answer.json()) as { chain: { contract: string; local: boolean } | null };
  return chain !== null && chain.local && chain.contract.toLowerCase() === contracts.service;
}

/** The node configuration of the local chain's first operator, changed for the Ethereum address `address`. */
function configurationFor({ folder }: DemoContext, { address }: DevnetAccount): NodeConfiguration {
  const { configuration } = loadConfiguration({ '-conf': join(folder, 'verifier.yaml') });
  return {
    ...configuration,
    chain: { ...configuration.chain, queryIntervalSeconds: 1 },
    rewardClaimer: address,
    node: { ...configuration.node, dataPath: join(resolve(folder), 'node') },
  };
}

async function showNode(context: DemoContext, facts: DevnetFacts, node: RunningNode): Promise<void> {
  const { clock } = context.system;
  const began = clock.now();
  const seconds = (): string => `${((clock.now() - began) / 1_000).toFixed(1)} s`;
  context.print(`Starting a verifier node: ${showAddress(node.node)}`);
  await until(context, node, 'entered the active set', () => node.isActive());
  context.print(`After ${seconds()}, the node is in the active set: the node signed a message, and the gateway sent the message to the chain.`);
  const rpc = createRpcClient({ urls: [facts.rpcUrl] }, context.system);
  try {
    const posted = await postAttestations(rpc, facts, authorityFolder(context.folder), kinds, context.system);
    const chosen = posted[0]?.chosen.length ?? 0;
    context.print(`After ${seconds()}, three attestations are on the chain, and ${chosen === 1 ? 'one node was' : `${chosen} nodes were`} chosen to verify the attestations.`);
    const found = (): KeptAttestation[] => (node.state()?.attestations ?? []).filter(({ attestationId }) => posted.some(({ id }) => id === attestationId));
    await until(context, node, 'reported its votes', () => found().filter(({ state }) => state === 'reported').length === posted.length);
    context.print(`After ${seconds()}, the votes of the node are on the chain.`);
    printVotes(context, posted, found());
  } finally {
    await rpc.close();
  }
}

async function until({ system: { clock, timers } }: DemoContext, node: RunningNode, what: string, holds: () => boolean): Promise<void> {
  const began = clock.now();
  while (!holds()) {
    // Rejects with the reason if the node cannot work.
    await Promise.race([timers.sleep(pollMs), node.done]);
    if (clock.now() - began > patienceMs) throw new Error(`the node of the demo has not ${what} after ${patienceMs / 1_000} s; run the demo with VOUCH_LOG_LEVEL=info to see the reason`);
  }
}

function printVotes(context: DemoContext, posted: readonly PostedAttestation[], found: readonly KeptAttestation[]): void {
  context.table('The votes of the node', ['attestation', 'expected vote', 'vote', 'reason'], posted.map(({ id, kind }) => {
    const { verdict = null, sentence = null } = found.find(({ attestationId }) => attestationId === id) ?? {};
    return [described[kind], meanings[verdictOf[kind]], verdict === null ? 'none' : meanings[verdict], sentence ?? ''];
  }));
}
