import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { deployContracts, type Deployment } from '../contracts/deploy.ts';
import { mintLicenses } from '../contracts/devnetActions.ts';
import type { Rules } from '../contracts/rules.ts';
import type { Hex } from '../messages/operation.ts';
import { saveState } from '../devnet/saveState.ts';
import { startTestChain, testAccount, type TestChain, type TestChainOptions } from './testChain.ts';

export interface TestDeploymentOptions extends TestChainOptions {
  /** Rules that override those of production. */
  rules?: Partial<Rules>;
  /** Creation code of another service, for example one that reverts whole batches. */
  serviceBytecode?: Hex;
  /** Licenses per operator. Default: 1. */
  licenses?: number;
}

/** A test chain with the contracts deployed. The operators hold licenses; none is in the active set. */
export interface DeployedTestChain extends TestChain {
  contracts: Deployment;
}

const cacheFolder = fileURLToPath(new URL('../../../node_modules/.cache/vouch-test-chains/', import.meta.url));
const sources = ['../contracts/bytecode/', '../contracts/deploy.ts', '../contracts/devnetActions.ts', '../contracts/rules.ts', './testChain.ts', './testDeployment.ts'];

/**
 * Starts a test chain with the contracts deployed. The first such chain deploys the contracts and caches the chain's state; later chains
 * load the cached state, as long as nothing that the state depends on has changed.
 */
export async function startTestDeployment(options: TestDeploymentOptions = {}): Promise<DeployedTestChain> {
  const { rules, serviceBytecode, licenses = 1, ...chainOptions } = options;
  const { operators = 5 } = chainOptions;
  const made = { rules, serviceBytecode, licenses, operators };
  await makeFolder(cacheFolder);
  const name = `${cacheFolder}${fingerprint(made)}`;
  if (!existsSync(`${name}.json`)) await makeState(`${name}.json`, made);
  const chain = await startTestChain({ ...chainOptions, loadState: `${name}.json` });
  return { ...chain, contracts: await deployedAt(chain) };
}

interface Made {
  rules: Partial<Rules> | undefined;
  serviceBytecode: Hex | undefined;
  licenses: number;
  operators: number;
}

async function makeState(path: string, { rules, serviceBytecode, licenses, operators }: Made): Promise<void> {
  const chain = await startTestChain({ operators });
  try {
    const { rpc, deployer } = chain;
    // Anvil once left a transaction unmined in its pool, although it mines each one at once.
    const mine = (): Promise<void> => chain.mine();
    const contracts = await deployContracts(rpc, {
      deployerKey: deployer.privateKey, mine, ...(rules === undefined ? {} : { rules }), ...(serviceBytecode === undefined ? {} : { serviceBytecode }),
    });
    const holders = chain.operators.map(({ address }) => ({ address, count: licenses }));
    if (licenses > 0) await mintLicenses(rpc, contracts, holders, { key: deployer.privateKey, mine });
    // The state file stores the contracts' addresses as the code of a dedicated account, which only test chains have.
    await rpc.request('anvil_setCode', [addressBook, `0x${Buffer.from(JSON.stringify(contracts)).toString('hex')}`]);
    await chain.mine();
    // Test files run concurrently, and several may create the same state.
    const own = `${path}.${randomUUID()}`;
    await saveState(rpc, own);
    await rename(own, path);
  } finally {
    await chain.stop();
  }
}

const addressBook = testAccount(999_999).address;

async function deployedAt({ rpc }: TestChain): Promise<Deployment> {
  const code = await rpc.request<string>('eth_getCode', [addressBook, 'latest']);
  return JSON.parse(Buffer.from(code.slice(2), 'hex').toString('utf8')) as Deployment;
}

function fingerprint(made: Made): string {
  const hash = createHash('sha256').update(JSON.stringify(made));
  for (const source of sources) {
    const url = new URL(source, import.meta.url);
    const files = source.endsWith('/') ? readdirSync(url).sort().map((name) => new URL(name, url)) : [url];
    for (const file of files) hash.update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 32);
}
