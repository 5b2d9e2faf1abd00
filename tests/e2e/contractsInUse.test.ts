import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { licenseAbi } from '@vouch/chain/contracts/abi/license';
import { localCoordinatorAbi } from '@vouch/chain/contracts/abi/localCoordinator';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { startProductionChain, subscription, type ProductionChain } from '@vouch/chain/testing/productionChain';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { lightScrypt } from '@vouch/chain/keystore/deriveKey';
import { sealKeystore } from '@vouch/chain/keystore/keystore';
import type { Hex } from '@vouch/chain/messages/operation';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { keepTestPki, verdictOf } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { verifierProgram, vouchProgram } from '../../bench/harness/serveVouch.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';
import { writeNodeFile } from './verifier/world/nodeFile.ts';
import { startNodeProcess, type NodeProcess } from './verifier/world/nodeProcess.ts';
import { fetchEvents, reportsOf, type ServiceEvent } from './verifier/world/fetchReports.ts';

const kinds = ['good', 'forged'] as const;
let chain: ProductionChain;
let folder: string;
let vouch: RunningVouch | null = null;
let node: NodeProcess | null = null;

beforeAll(async () => {
  chain = await startProductionChain({ blockTimeSeconds: 1, mixedMining: true });
  folder = await mkdtemp(join(tmpdir(), 'vouch-contracts-in-use-'));
});

afterAll(async () => {
  await node?.kill();
  await vouch?.stop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface Deployed {
  record: string;
  service: Hex;
  license: Hex;
}

/** Deploys as described in the guide: the owner is a multisig, which accepts the ownership. */
async function deploy(): Promise<Deployed> {
  await writeFile(join(folder, 'key.json'), await sealKeystore(chain.account.privateKey, 'secret of tests', systemInterfaces.random, lightScrypt));
  await writeFile(join(folder, 'password'), 'secret of tests\n', { mode: 0o600 });
  await writeFile(join(folder, 'production.toml'), `chain_id = 4242
owner = "${chain.multisig}"
[roles]
tees = ["${chain.deployer.address}"]
[randomness]
coordinator = "${chain.coordinator}"
subscription_id = "${subscription}"
key_hash = "0x${'ab'.repeat(32)}"
`);
  const { PATH = '', HOME = '' } = process.env;
  const words = ['contracts', 'deploy', 'production.toml', '--key', 'key.json', '--password-file', 'password', '--json'];
  const run = async (...more: string[]): Promise<{ owner_calls: { to: Hex; data: Hex }[]; contracts: Record<string, Hex> }> => JSON.parse((await promisify(execFile)(
    process.execPath, [vouchProgram, ...words, ...more], { cwd: folder, env: { PATH, HOME, VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CONFIRMATIONS: '0' } },
  )).stdout) as { owner_calls: { to: Hex; data: Hex }[]; contracts: Record<string, Hex> };
  const { owner_calls: calls, contracts } = await run('--send');
  await chain.actAsMultisig(calls);
  await chain.addConsumer(contracts['randomness'] as Hex);
  return { record: join(folder, 'production.record.json'), service: contracts['service'] as Hex, license: contracts['license'] as Hex };
}

async function event<Name extends ServiceEvent['eventName']>(service: Hex, name: Name): Promise<Extract<ServiceEvent, { eventName: Name }>> {
  await expect.poll(async () => (await fetchEvents(chain.rpc, service)).some(({ eventName }) => eventName === name), { timeout: 240_000 }).toBe(true);
  return (await fetchEvents(chain.rpc, service)).find(({ eventName }) => eventName === name) as Extract<ServiceEvent, { eventName: Name }>;
}

exhaustiveTest('gateway and node work with the record of a deployment: a node enters and votes, and pays nothing', async () => {
  const { record, service, license } = await deploy();
  const operator = chain.operators[0]!;
  await chain.actAsMultisig([{ to: license, data: encodeFunctionData({ abi: licenseAbi, functionName: 'mint', args: [operator.address, 1n] }) }]);
  vouch = await startVouch({
    arguments: ['--only', 'gateway'],
    environment: { VOUCH_DEPLOYMENT: record, VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_RELAYER_KEYS: chain.relayer.privateKey, VOUCH_CONFIRMATIONS: '1' },
  });
  const pki = await keepTestPki(join(folder, 'pki'), new Date());
  const configuration = await writeNodeFile(folder, {
    rpcUrls: [chain.url], chainId: chain.chainId, service, gatewayUrl: vouch.url, privateKey: operator.privateKey,
    claimer: null, commission: null, collateralFolder: pki.collateralFolder, trustRoot: pki.trustRoot.fingerprint,
  });
  // The contract's Ethereum address, the chain and the first block come from the deployment record.
  const text = await readFile(configuration, 'utf8');
  await writeFile(configuration, text.replace(/^ {2}(?:chain_id|start_block): .*\n/gm, '').replace(`  addr: "${service}"`, `  deployment: "${record}"`));
  node = startNodeProcess({ program: verifierProgram, folder, arguments: ['-conf', configuration] });
  await event(service, 'NodeActivate');

  const key = chain.deployer.privateKey;
  const infos = kinds.map((kind) => pki.makeInfo(kind, Buffer.from(kind)));
  await sendTransactions(chain.rpc, [{ to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'teeReportAttestations', args: [infos] }) }], { key });
  const { requestID, attestationIDs } = (await event(service, 'TeeReportAttestations')).args;
  // The coordinator responds after the number of confirmations in the deployment file.
  for (let block = 0; block < 3; block++) await chain.mine();
  await sendTransactions(chain.rpc, [{ to: chain.coordinator, data: encodeFunctionData({ abi: localCoordinatorAbi, functionName: 'fulfill', args: [requestID] }), gas: 4_000_000n }], { key });
  await expect.poll(async () => {
    const { votes } = reportsOf(await fetchEvents(chain.rpc, service));
    return votes.map(({ attestationId, node: voter, result }) => `${attestationId} ${voter} ${result}`).toSorted();
  }, { timeout: 240_000 }).toEqual(attestationIDs.map((id, place) => `${id} ${operator.address.toLowerCase()} ${verdictOf[kinds[place]!]}`).toSorted());
  expect(await getNonce(chain.rpc, operator.address)).toBe(0);
});
