import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVerifier, writeConfiguration } from '../fixtures/runVerifier.ts';
import { NodeWorld, reached, until } from './fixtures/nodeWorld.ts';
import { RpcGate } from './fixtures/rpcGate.ts';

/** What node programs in the field do wrong, one by one. */
describe('a node', () => {
  let world: NodeWorld;
  beforeAll(async () => { world = await NodeWorld.open(); });
  afterAll(() => world.close());

  /** The vote that the chain has at a place: 0 none, else 1 + result. */
  async function voteAt(attestationId: Hex, index: number): Promise<number> {
    const { rpc, contracts: { service } } = world.chain;
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'voteAt', args: [attestationId, index] });
    return decodeFunctionResult({ abi: verifierServiceAbi, functionName: 'voteAt', data: await ethCall(rpc, { to: service, data }) });
  }

  it('sets claimer and commission in one start, where both differ, and 1.15 % to the digit', async () => {
    const [account, other] = world.chain.operators;
    const running = await world.startActive(account!, { rewardClaimer: other!.address, commissionRate: 115 });
    await until(() => running.state()!.membership.claimer === other!.address && running.state()!.membership.commissionRate === 115);
    await running.stop();
  });

  it('leaves both as they are where the configuration does not name them', async () => {
    const [account, other] = world.chain.operators;
    const sent = world.gateway.received.length;
    const running = await world.startActive(account!);
    const { attestationIds } = await world.attest('good');
    await reached(running, attestationIds[0]!, 'reported');
    expect(running.state()!.membership).toMatchObject({ claimer: other!.address, commissionRate: 115 });
    expect(world.gateway.received.slice(sent).map(({ path }) => path)).toEqual(['/explorer_alphanet/send_tx_node_report_verification']);
    await running.stop();
  });

  it('reports on the first attestation after it entered for the first time, and with result and index in their places in gas mode', async () => {
    const [first, account] = world.chain.operators;
    const other = await world.startActive(first!);
    const running = await world.startActive(account!, { sending: { through: 'itself' } });
    const { attestationIds, chosen } = await world.attest('good', 'not a quote', 'forged');
    const index = chosen.indexOf(account!.address);
    expect(new Set(chosen).size).toBe(2);
    for (const [at, id] of attestationIds.entries()) {
      expect(await reached(running, id, 'reported')).toMatchObject({ verdict: at, chosenIndex: index, attempts: 1 });
      expect(await voteAt(id, index)).toBe(1 + at);
      await reached(other, id, 'reported');
    }
    await Promise.all([running.stop(), other.stop()]);
  });

  it('tries a report again for as long as its deadline allows, not three times', async () => {
    const [account] = world.chain.operators;
    const running = await world.startActive(account!);
    let refusals = 0;
    const before = world.lines.length;
    const failures = (): number => world.lines.slice(before).filter(({ msg }) => msg.startsWith('A report could not be handed over')).length;
    world.gateway.intervene = ({ path }, response) => {
      if (!path.endsWith('report_verification') || (refusals += 1) > 7) return false;
      response.writeHead(refusals % 2 === 0 ? 503 : 400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: 'not now', code: 'x', reason: 'x', message: 'not now' }));
      return true;
    };
    const { attestationIds } = await world.attest('good');
    for (let tries = 1; tries <= 7; tries += 1) {
      await until(() => failures() >= tries);
      // It waits up to a minute between two; the clock goes on instead of the test.
      world.skew(76);
    }
    const { attempts } = await reached(running, attestationIds[0]!, 'reported');
    expect(attempts).toBeGreaterThan(7);
    world.gateway.intervene = null;
    await running.stop();
  });

  it('looks at the chain one scan after the other, however slow the endpoint is', async () => {
    const [account] = world.chain.operators;
    const gate = await RpcGate.start(world.chain.url);
    const running = await world.startActive(account!, { chain: { ...world.configuration().chain, rpcUrls: [gate.url], queryIntervalSeconds: 0.05 } });
    gate.delayMs = 300;
    const { attestationIds } = await world.attest('good');
    await reached(running, attestationIds[0]!, 'reported');
    expect(gate.together('eth_getLogs')).toBe(1);
    expect(running.state()!.counts.announced).toBe(new Set(running.state()!.attestations.map((each) => each.attestationId)).size);
    await running.stop();
    await gate.stop();
  });

  it('ends with a code that is not 0, and a sentence, where it cannot work', async () => {
    const [account] = world.chain.operators;
    const { service, settings } = world.chain.contracts;
    const start = (changes: Record<string, string>) => runVerifier(
      ['-private-key', account!.privateKey, '-conf', writeConfiguration(world.folder, {
        'chain.rpc_url': `"${world.chain.url}"`, 'contract.addr': `"${service}"`, 'gasless_service.url': `"${world.gateway.url}"`, 'node.data_path': `"${world.folder}/ends"`, ...changes,
      })], '', world.doors, new AbortController().signal,
    );
    expect(await start({ 'chain.chain_id': '42161' })).toMatchObject({ code: 2, errors: expect.stringMatching(/serves chain 31337, and chain.chain_id says 42161/) as string });
    expect(await start({ 'contract.addr': `"${account!.address}"` })).toMatchObject({ code: 2, errors: expect.stringMatching(/no contract at contract.addr/) as string });
    expect(await start({ 'signature.domain_version': '"2.0.0"' })).toMatchObject({ code: 2, errors: expect.stringMatching(/signs for another domain/) as string });
    expect(await start({ 'node.data_path': '"/dev/null/node"' })).toMatchObject({ code: 2, errors: expect.stringMatching(/node\.data_path: \/dev\/null\/node\/31337-.* cannot be used \(ENOTDIR\)/) as string });
    expect((await start({ 'contract.addr': `"${settings}"`, 'chain.chain_id': '1' })).code).toBe(2);
  });
});
