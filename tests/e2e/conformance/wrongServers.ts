import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeFunctionData } from 'viem';
import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import type { ConformanceContext } from '@vouch/platform/conformance/context';
import { fetchRules, type Chain } from '../../../packages/gateway/conformance/fixture.ts';
import {
  accepts, addsField, callsBack, cutsLists, defaults, deletesNothing, hasFiles, ignores, ignoresField, knowsEverybody, needsNoHeaders, node,
  nodeIgnoresFlag, refuses, replacesText, swallows, takesFirst, takesPath, writes,
} from './waysToBeWrong.ts';
import type { Wrong } from './wrongServer.ts';

/**
 * Returns, for each statement, servers (or programs, callbacks) that violate the statement. Each check of the statement must fail
 * with at least one of them.
 */
export function wrongServers({ apiKey, kept }: ConformanceContext, chain: () => Promise<Chain>, scratch: string): Readonly<Record<string, readonly Wrong[]>> {
  const everybody = knowsEverybody(apiKey);
  const swallowing = swallows(async () => ((await kept.get('gateway chain')) as Chain).entered.request_id);
  const putsInstead = callsBack('calls with PUT', (call) => [{ ...call, method: 'PUT' }]);
  const silent = node('accepts everything and says nothing', (given) => given, () => ({ code: 0, output: '', errors: '' }));
  const lists = (most: readonly Wrong[]): readonly Wrong[] => [cutsLists(0), ...most];
  return {
    S1: [writes('tags', [])], S2: [writes('model_id', 'other')], S3: [cutsLists(0)], S4: [writes('bytes', 1)], S5: [writes('run_id', 'other')],
    S6: [takesPath(/^\/v1\/cancel\//, '/v1/status/')], S7: [accepts], S8: [writes('cost_wei', null)], S9: [writes('batch_id', differentEachTime())], S10: [accepts],
    S11: [nodeIgnoresFlag('-conf')], S12: [{ name: 'listens', inHouse: withBundle(scratch, listeningBundle) }], S13: [hasFiles(() => '')],
    S14: [{ name: 'has 200 MB', inHouse: withBundle(scratch, hugeBundle) }],

    B1: [writes('timestamp', undefined)], B2: [writes('batch_id', 'same')], B3: [writes('timestamp', '30.06.2025')], B4: [writes('tags', ['other'])],
    B5: [writes('entity_count', 2)], B6: [writes('interaction_count', 1)], B7: [accepts], B8: [accepts], B9: [writes('entity_count', 9, 'GET')], B10: [refuses()],
    B11: [writes('tags', ['one,two'])], B12: [accepts], B13: [writes('entity_count', 1)], B14: [cutsLists(1)], B15: [cutsLists(1)], B16: [ignores('tags')],
    B17: [deletesNothing], B18: [ignoresField('data_tags')], B19: [writes('name', 'Old name')], B20: [ignores('tags')], B21: [cutsLists(0)], B22: [ignores('batch_id')],
    B23: [ignores('tags')], B24: [addsField], B25: [deletesNothing], B26: [deletesNothing], B27: [accepts],

    T1: [writes('model_id', 'other')], T2: [replacesText(/related_items$/, 'new-', 'old-')], T3: [writes('status', 'completed', 'POST')], T4: [accepts, refuses()],
    T5: [writes('model_id', 'same')], T6: [accepts], T7: [ignoresField('maximum_interaction_age_days')], T8: [ignoresField('data_tags')], T9: [accepts],
    T10: [writes('completed_at', '2025-06-30T00:00:00Z', 'POST')], T11: [writes('progress', 0.5)], T12: [accepts], T13: [writes('status', 'completed', 'POST')],
    T14: [writes('status', 'running')], T15: [writes('error', null)],

    R1: lists([accepts]), R2: [ignores('entity_id', 'threshold')], R3: [accepts], R4: [writes('model_id', 'other')], R5: [ignores('entity_id')],
    R6: [defaults('entity_id', 'romance-1')], R7: [ignores('max_recommendations'), accepts], R8: [defaults('max_recommendations', '50')], R9: [ignores('threshold')],
    R10: [accepts], R11: [defaults('threshold', '0.5')], R12: [ignores('entity_type'), takesFirst('entity_type'), defaults('entity_type', 'film')],
    R13: [defaults('output_format', 'json')], R14: [writes('rank', 1)], R15: [accepts],

    N1: lists([accepts]), N2: [refuses()], N3: [writes('model_id', 'other')], N4: [ignores('max_recommendations'), accepts], N5: [defaults('max_recommendations', '50')],
    N6: [ignores('threshold')], N7: [accepts], N8: [defaults('threshold', '0.5')],
    N9: [ignores('entity_type'), takesFirst('entity_type'), defaults('entity_type', 'film')], N10: [defaults('output_format', 'json')], N11: [writes('rank', 1)], N12: [accepts],

    V1: [writes('media_url', 'other'), takesPath(/^\/v1\/video-/, '/v1video-')], V2: [accepts], V3: [accepts], V4: [writes('options', { seed: 4 })],
    V5: [ignoresField('options'), accepts], V6: [writes('id', 'other'), accepts], V7: [ignoresField('cache_id')], V8: [ignoresField('cache_id')], V9: [writes('progress', 0.5)],
    V10: [accepts], V11: [writes('status', 'other')], V12: [accepts], V13: [accepts], V14: [writes('run_id', 'same')], V15: [writes('status', 'completed', 'POST')],
    V16: [writes('progress', 0.9)], V17: [writes('error', null)], V18: [writes('error', { code: 'other' })],

    G1: [accepts], G2: [accepts], G3: [accepts], G4: [accepts], G5: [accepts], G6: [needsNoHeaders], G7: [needsNoHeaders], G8: [needsNoHeaders], G9: [accepts], G10: [accepts],
    G11: [accepts], G12: [accepts, refuses(400)], G13: [accepts], G14: [accepts], G15: [accepts], G16: [accepts], G17: [accepts], G18: [accepts], G19: [writes('code', 1)],
    G20: [writes('data', {})], G21: [writes('error', undefined)], G22: [swallowing], G23: [swallowing],
    M1: [accepts], M2: [accepts], M3: [accepts], M4: [accepts], M5: [accepts], M6: [accepts], M7: [accepts], M8: [accepts], M9: [refuses(400)],

    P1: [nodeIgnoresFlag('-private-key')], P2: [nodeIgnoresFlag('-keystore-path')], P3: [nodeIgnoresFlag('-keystore-password')], P4: [nodeIgnoresFlag('-reward-address')],
    P5: [nodeIgnoresFlag('-commission-rate')], P6: [nodeIgnoresFlag('-generate-keystore')], P7: [nodeIgnoresFlag('-conf')], P8: [silent], P9: [hasFiles(() => '')],
    ...Object.fromEntries(Object.entries(keys).map(([statement, key]) => [statement, [ignoresKey(key)]])),
    P19: [silent], Z4: [silent],

    A1: [everybody], A2: [everybody], A3: [everybody], A4: [{ name: 'makes one key', inHouse: (inHouse, changed) => ({ ...inHouse, createKey: async () => (changed(), 'k'.repeat(40)) }) }],
    A5: [refuses(404), everybody], A6: [everybody], A7: [everybody], A8: [accepts],
    E1: [putsInstead], E2: [putsInstead], E3: [putsInstead], E4: [putsInstead], E5: [callsBack('calls twice', (call) => [call, call])],
    L1: [{ name: 'allows 1999 nodes', world: async () => allowNodes(await chain(), 1_999) }], L2: [accepts, silent], L3: [writes('default', 50)], L4: [writes('default', 0.5)],
    L5: [hasFiles((text) => text.replaceAll('3600', '7200'))],
    Z1: [takesPath(/^\/(?:v2\/)?recommender\//, '/v1/recommender/')], Z2: [takesPath(/^\/(?:v2\/)?(?=status|cancel)/, '/v1/')],
    Z3: [takesPath(/^\/v1\/explorer/, '/explorer')],
  };
}

/** Configuration keys by the statements about them. */
const keys: Readonly<Record<string, string>> = {
  P10: 'chain_id', P11: 'chain_name', P12: 'rpc_url', P13: 'start_block', P14: 'offset_block', P15: 'addr', P16: 'tee_addr', P17: 'topic1', P18: 'topic2',
  P20: 'private_key', P21: 'keystore_path', P22: 'keystore_password', P23: 'reward_claimer_addr', P24: 'commission_rate', P25: 'domain_name', P26: 'domain_version',
  P27: 'expired_time', P28: 'url',
};

/** Simulates a program that ignores a key of its configuration. */
function ignoresKey(key: string): Wrong {
  return node(`ignores ${key}`, (given) => {
    const at = given.indexOf('-conf');
    if (at < 0) return given;
    const path = given[at + 1]!;
    const lines = readFileSync(path, 'utf8').split('\n').filter((line) => !line.startsWith(`  ${key}:`));
    writeFileSync(path, lines.join('\n'), { mode: 0o600 });
    return given;
  });
}

function differentEachTime(): () => string {
  let turn = 0;
  return () => `other-${++turn}`;
}

function withBundle(scratch: string, make: (folder: string, real: string) => void): NonNullable<Wrong['inHouse']> {
  return (inHouse, changed) => {
    const folder = mkdtempSync(join(scratch, 'bundle-'));
    make(folder, inHouse.node.bundle);
    changed();
    return { ...inHouse, node: { ...inHouse.node, bundle: folder } };
  };
}

function listeningBundle(folder: string, real: string): void {
  const program = pathToFileURL(join(real, 'verifier.mjs')).href;
  writeFileSync(join(folder, 'verifier.mjs'), `import { createServer } from 'node:net';\ncreateServer().listen(0, '127.0.0.1').unref();\nawait import(${JSON.stringify(program)});\n`);
}

/** Creates a huge file without allocating disk space. */
function hugeBundle(folder: string): void {
  writeFileSync(join(folder, 'verifier.mjs'), '');
  truncateSync(join(folder, 'verifier.mjs'), 200_000_000);
}

async function allowNodes(chain: Chain, maxActiveNodes: number): Promise<() => Promise<void>> {
  const { rpc, facts } = chain;
  const rules = await fetchRules(chain);
  const setRules = async (most: number): Promise<void> => {
    const data = encodeFunctionData({ abi: settingsAbi, functionName: 'setRules', args: [{ ...rules, maxActiveNodes: most }] });
    await sendTransactions(rpc, [{ to: facts.contracts.settings, data, gas: 200_000n }], { key: facts.owner.privateKey });
  };
  await setRules(maxActiveNodes);
  return () => setRules(rules.maxActiveNodes);
}
