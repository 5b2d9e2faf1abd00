import type { Hex } from '@vouch/chain/messages/operation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import type { RunningNode } from '@vouch/verifier/node/startNode';
import { NodeWorld, reached, until } from '../../../packages/verifier/testing/nodeWorld.ts';
import { openLog } from '../../../packages/verifier/logging/openLog.ts';
import { anyHostile, gatewayHostile, rpcHostile } from './world/hostileAnswers.ts';
import { startMeddlingProxy, type MeddlingProxy, type Meddling } from './world/meddlingProxy.ts';

/** A node that sends its requests through proxies, with its log lines. */
interface Asking {
  how: string;
  node: RunningNode;
  proxy: MeddlingProxy;
  meddling: Meddling;
  lines: string[];
}

const startRpc = Object.entries({ ...anyHostile, ...rpcHostile });
const startGateway = Object.entries({ ...anyHostile, ...gatewayHostile });

/** The request for the node to replace gets a correct response, so that only the messages themselves are affected. */
const isDeceived = ({ path }: { path: string }): boolean => !path.includes('replaced_node');
const onlyMessages = (meddling: Meddling): Meddling => (request, response) => (isDeceived(request) ? meddling(request, response) : false);

async function startAll(world: NodeWorld, answers: readonly (readonly [string, Meddling])[], side: 'rpc' | 'gateway'): Promise<Asking[]> {
  return Promise.all(answers.map(async ([how, answer], place) => {
    const meddling = onlyMessages(answer);
    const proxy = await startMeddlingProxy(side === 'rpc' ? world.chain.url : world.gateway.url);
    proxy.meddle(meddling);
    const lines: string[] = [];
    const { chain: near, sending } = world.configuration();
    // Longer poll interval, because two dozen nodes share one process.
    const chain = { ...near, queryIntervalSeconds: 1 };
    const changes = side === 'rpc' ? { chain: { ...chain, rpcUrls: [proxy.url] } } : { chain, sending: { ...sending, url: proxy.url } };
    const log = openLog({ format: 'human', level: 'debug', path: null }, { write: (line) => void lines.push(line) });
    return { how, proxy, meddling, lines, node: await world.start(world.chain.operators[place]!, changes as object, { log }) };
  }));
}

/**
 * Gives every node a wrong response and then correct responses.
 * @param what runs before the nodes send their requests
 */
async function deceive(asking: readonly Asking[], what: () => Promise<unknown> = async () => {}): Promise<void> {
  for (const { proxy, meddling } of asking) proxy.meddle(meddling);
  const heard = ({ proxy }: Asking): number => proxy.heard.filter(isDeceived).length;
  const before = asking.map(heard);
  await what();
  await until(() => asking.every((each, place) => heard(each) > (before[place] ?? 0)));
  for (const { proxy } of asking) proxy.meddle(null);
}

/** Checks the log: complete lines, no stack traces, and no text that the other side injected to deceive a reader. */
function expectSentences(asking: readonly Asking[]): void {
  for (const { how, lines, proxy } of asking) {
    for (const line of lines) {
      expect(line, how).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:debug|info|warn|error) +\S.*\n$/);
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(line.slice(0, -1), how).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(line, how).not.toMatch(/\bat .+:\d+:\d+|TypeError|RangeError|SyntaxError|undefined|\[object Object\]/);
      expect(line.length, how).toBeLessThan(2_000);
    }
    expect(lines.length, how).toBeLessThan(100 + 2 * proxy.heard.length);
    expect(lines.some((line) => /does not answer yet|Not submitted yet|could not enter|could not be submitted/.test(line)), how).toBe(true);
  }
}

const sides = [['an RPC endpoint', 'rpc', startRpc], ['a gateway', 'gateway', startGateway]] as const;

describe.skipIf(!exhaustive).each(sides)('%s that gives answers that nobody should give', (_name, side, answers) => {
  let world: NodeWorld;
  let asking: Asking[];
  beforeAll(async () => {
    world = await NodeWorld.open({ operators: answers.length });
    asking = await startAll(world, answers, side);
  });
  afterAll(async () => {
    for (const { proxy } of asking) proxy.meddle(null);
    await world.close();
    for (const { proxy } of asking) await proxy.close();
  });

  it('is asked again, and believed when it is right: at the start, and in the middle of a report', async () => {
    await deceive(asking);
    await until(() => asking.every(({ node }) => node.state()?.membership.active === true));
    // A node sends one request to a gateway that responds correctly, but polls an RPC endpoint repeatedly.
    let attested: Hex[] = [];
    const attest = async (): Promise<void> => { attested = [...(await world.attest('good')).attestationIds]; };
    if (side === 'rpc') await attest();
    await deceive(asking, side === 'rpc' ? undefined : attest);
    await Promise.all(asking.map(({ node }) => reached(node, attested[0]!, 'reported')));
  });

  it('is told of in sentences', () => expectSentences(asking));
});
