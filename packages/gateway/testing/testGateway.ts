import { reportAttestations, type ChosenAttestations } from '@vouch/chain/contracts/devnetActions';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain, type TestDeploymentOptions } from '@vouch/chain/testing/testDeployment';
import { digestOf, domainHash } from '@vouch/chain/messages/digest';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { signOperation } from '@vouch/chain/messages/sign';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces, type Timers } from '@vouch/platform/process/systemInterfaces';
import { Registry } from 'prom-client';
import { deploymentName, type RequestRow } from '../requests/gatewayRequest.ts';
import { insertRequests, findRequest } from '../requests/requestStore.ts';
import { fromHex } from '../requests/storedOperation.ts';
import type { Conclusions } from '../activityReporter/concludeAttestations.ts';
import { createActivityReporter } from '../activityReporter/createActivityReporter.ts';
import { startPipeline, type Pipeline, type PipelineSettings } from '../sending/startPipeline.ts';
import { openGatewayDatabase } from './sharedDatabase.ts';

type TestSettings = PipelineSettings & { keeper: boolean; keeper_conclusions: Conclusions };

/** Pipeline settings of tests: short windows, one confirmation, no activity reporter. */
export const testSettings: TestSettings = {
  batch_window_ms: 50, batch_max_operations: 400, batch_max_gas: 16_000_000, max_fee_gwei: 100, min_balance_eth: 0.01, confirmations: 1,
  keeper: false, keeper_conclusions: 'without-verdict',
};

/** Options of a pipeline in a test. */
export interface StartOptions {
  settings?: Partial<TestSettings>;
  /** RPC client that the pipeline uses instead of the chain's. */
  rpc?: RpcClient;
  /** Private keys of relayers; the chain's relayer by default. */
  keys?: readonly Hex[];
  /** Replaces `keys`. */
  signers?: readonly Signer[];
  /** Whether the contract isolates failing entries; default true, unless the chain has another service bytecode. */
  native?: boolean;
  /** Deployment name that the endpoints serve now; the chain's own by default. */
  served?: () => string;
  /** Milliseconds since 1970; by default the machine's clock plus the time that `mine` added. */
  now?: () => number;
  /** Monotonic time in ms; by default `now`. */
  elapsedMs?: () => number;
  /** Age in days after which ended rows are removed; default 0, which keeps them. */
  retentionDays?: number;
  /** The machine's timers by default. */
  timers?: Timers;
}

/** A chain with contracts, a database, and pipelines between them. */
export interface TestGateway {
  chain: DeployedTestChain;
  database: TestDatabase;
  deployment: string;
  start(options?: StartOptions): Pipeline;
  /**
   * Stores a signed message as the intake does.
   * @returns the request id
   */
  submit(account: TestAccount, operation: Operation): Promise<string>;
  submitMany(messages: readonly { account: TestAccount; operation: Operation }[]): Promise<string[]>;
  row(requestId: string): Promise<RequestRow>;
  /** Waits until a request is in one of the states. */
  reached(requestId: string, ...states: RequestRow['state'][]): Promise<RequestRow>;
  ended(requestIds: readonly string[]): Promise<RequestRow[]>;
  /** An expiry one hour after the chain's time, in seconds since 1970. */
  expiry(): Promise<bigint>;
  /**
   * Mines blocks until all requests are in one of the states; waits after each block until the writer has acted on it.
   * @returns the number of mined blocks
   * @throws Error after `most` blocks
   */
  mineUntil(requestIds: readonly string[], states: readonly RequestRow['state'][], most: number): Promise<number>;
  /** Mines a block and moves the pipeline's clock by two seconds. */
  mine(): Promise<void>;
  /** Waits until the writer has acted on the newest block. */
  followed(): Promise<void>;
  attest(texts: readonly string[]): Promise<ChosenAttestations>;
  /** Lets operators enter through the pipeline, so that they can report. */
  enterAll(accounts: readonly TestAccount[]): Promise<void>;
  close(): Promise<void>;
}

let submitted = 0;

/** Opens a test gateway. VOUCH_TEST_LOG sets the log level; the log goes to standard error. */
export async function openTestGateway(options: TestDeploymentOptions = {}): Promise<TestGateway> {
  const chain = await startTestDeployment({ ...(options.automine === undefined ? { blockTimeSeconds: 0.25 } : {}), ...options });
  // The chain's stored state can be a day old; a new block brings its time up to date.
  await chain.mine();
  const database = await openGatewayDatabase();
  const genesis = await getBlock(chain.rpc, 0);
  const deployment = deploymentName(chain.chainId, chain.contracts.service, genesis?.hash ?? '0x');
  const domain = domainHash(chain.domain);
  const pipelines: Pipeline[] = [];
  let skewMs = 0;
  const system = { ...systemInterfaces, clock: { now: () => Date.now() + skewMs }, elapsedMs: () => systemInterfaces.elapsedMs() + skewMs };

  async function submitMany(messages: readonly { account: TestAccount; operation: Operation }[]): Promise<string[]> {
    const at = new Date();
    const verifiedBlock = (await getBlock(chain.rpc, 'latest'))?.number ?? 0;
    const requests = await Promise.all(messages.map(async ({ account, operation }) => ({
      requestId: `gw_test${submitted++}`,
      operation,
      digest: Buffer.from(digestOf(operation, domain)),
      signer: fromHex(account.address),
      signature: await signOperation(operation, chain.domain, account.privateKey),
      client: { origin: null, user_agent: null, app_id: null, dialect: 'documented' as const },
      deadline: new Date(operation.kind === 'report' ? Date.now() + 1_800_000 : Number(operation.expiredAt) * 1_000),
      receivedAt: at, verifiedAt: at, verifiedBlock, unchanged: null,
    })));
    await insertRequests(database, deployment, requests);
    return requests.map(({ requestId }) => requestId);
  }

  async function row(requestId: string): Promise<RequestRow> {
    const found = await findRequest(database, requestId);
    if (found === null) throw new Error(`${requestId} is not there`);
    return found;
  }

  async function reached(requestId: string, ...states: RequestRow['state'][]): Promise<RequestRow> {
    await allReached([requestId], states);
    return row(requestId);
  }

  /** Waits with one query for all requests, because the test shares the machine with others. */
  async function allReached(requestIds: readonly string[], states: readonly RequestRow['state'][]): Promise<void> {
    const arrived = 'select 1 from gateway_requests where request_id = any($1) and state = any($2)';
    while ((await database.query(arrived, [requestIds, states])).rowCount !== requestIds.length) await systemInterfaces.timers.sleep(50);
  }

  const gateway: TestGateway = {
    chain, database, deployment, submitMany, row, reached,
    start({ settings = {}, rpc = chain.rpc, keys = [chain.relayer.privateKey], signers = keys.map((key) => createLocalSigner(key)), native = options.serviceBytecode === undefined, served = () => deployment, now = system.clock.now, elapsedMs = now, timers = system.timers, retentionDays = 0 } = {}) {
      const log = createLogger(process.env['VOUCH_TEST_LOG'] ?? 'silent');
      const { keeper, keeper_conclusions: conclusions, ...given } = { ...testSettings, ...settings };
      const pipeline = startPipeline({ ...system, clock: { now }, elapsedMs, timers, database, log, metrics: new Registry(), tracer: null }, given, {
        name: 'default', rpc, chainId: chain.chainId, contract: chain.contracts.service, multicall: chain.contracts.multicall3,
        deployment: async () => ({ name: served(), native }), readDeployment: async () => ({ name: served() }), knownDeployment: async () => served(),
        createReporter: keeper ? () => createActivityReporter(conclusions) : undefined,
        retention: { days: retentionDays, note: () => {} },
        relayerKeys: signers.map((signer) => ({ name: signer.name, open: async () => signer })),
      });
      pipelines.push(pipeline);
      return pipeline;
    },
    submit: async (account, operation) => (await submitMany([{ account, operation }]))[0] as string,
    async ended(requestIds) {
      await allReached(requestIds, ['confirmed', 'failed', 'expired']);
      return Promise.all(requestIds.map(row));
    },
    expiry: async () => BigInt(((await getBlock(chain.rpc, 'latest'))?.timestamp ?? 0) + 3_600),
    async mineUntil(requestIds, states, most) {
      for (let blocks = 0; ; blocks += 1) {
        const rows = await Promise.all(requestIds.map(row));
        if (rows.every(({ state }) => states.includes(state))) return blocks;
        if (blocks === most) throw new Error(`after ${most} blocks: ${rows.map(({ state, reason }) => `${state} ${reason ?? ''}`).join('; ')}`);
        await gateway.mine();
        await gateway.followed();
      }
    },
    async mine() {
      skewMs += 2_000;
      await chain.mine();
    },
    async followed() {
      const head = (await getBlock(chain.rpc, 'latest'))?.number ?? 0;
      for (;;) {
        const [open, acted] = await Promise.all([
          database.query(`select 1 from gateway_requests where state in ('verified', 'batched', 'sent', 'mined') limit 1`),
          database.query('select 1 from gateway_lines where head_number >= $1', [head]),
        ]);
        if (open.rowCount === 0 || acted.rowCount !== 0) return;
        await systemInterfaces.timers.sleep(40);
      }
    },
    attest: (texts) => reportAttestations(chain.rpc, chain.contracts, texts, { key: chain.deployer.privateKey }),
    async enterAll(accounts) {
      const expiredAt = await gateway.expiry();
      const pipeline = gateway.start({ settings: { confirmations: 0 } });
      const ids = await submitMany(accounts.map((account) => ({ account, operation: { kind: 'enter', replacedNode: `0x${'00'.repeat(20)}`, expiredAt } })));
      if (options.automine === false) await gateway.mineUntil(ids, ['confirmed', 'failed', 'expired'], 10);
      const rows = await gateway.ended(ids);
      const failed = rows.find(({ state }) => state !== 'confirmed');
      if (failed !== undefined) throw new Error(`a node could not enter: ${failed.reason}`);
      await pipeline.close();
    },
    async close() {
      await Promise.all(pipelines.map((pipeline) => pipeline.close()));
      await database.close();
      await chain.stop();
    },
  };
  return gateway;
}
