import { encodeFunctionData } from 'viem';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { licenseAbi } from '@vouch/chain/contracts/abi/license';
import { reportAttestations, type ChosenAttestations } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain, type TestDeploymentOptions } from '@vouch/chain/testing/testDeployment';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { startTestServer, type TestServer } from '@vouch/platform/testing/testServer';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces, type Timers } from '@vouch/platform/process/systemInterfaces';
import type { Platform, ProductParts } from '@vouch/platform/product/product';
import { Registry } from 'prom-client';
import type { BudgetScope } from '../budgets/budget.ts';
import { serviceName, setBudgets } from '../budgets/budgetStore.ts';
import { gateway } from '../product.ts';
import type { GatewayConfiguration } from '../deployments/namedDeployment.ts';
import type { DeploymentSettings, GatewaySettings } from '../settings/gatewaySettings.ts';
import { openGatewayDatabase } from './sharedDatabase.ts';
import { signMessage, messagePaths, type Body, type SigningDomain, type UnsignedMessage } from '../conformance/signMessage.ts';

/** The default settings, with small values where a test would otherwise wait. */
export const testSettings: GatewaySettings = {
  multicall_address: '0xcA11bde05977b3631167028862bE2a173976CA11', domain_name: 'ProtocolService', domain_version: '1.0.0',
  batch_window_ms: 50, batch_max_operations: 400, batch_max_gas: 16_000_000, max_fee_gwei: 100, min_balance_eth: 0.01, confirmations: 1,
  signer_quota: 1_000, gateway_headers: 'strict', keeper: false, keeper_conclusions: 'without-verdict', gateway_retention_days: 90,
};

/** The headers that a strict gateway requires. */
export const requiredHeaders = { origin: 'https://operator.example', 'user-agent': 'test', 'x-app-id': 'verifier' };

/** An HTTP answer with its parsed body. */
export interface Answer<Content = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Content;
}

/** The answer to a refused message. */
export interface Refusal {
  error: string;
  code: string | number;
  reason: string;
  message: string;
}

/** The answer to an accepted message. */
export interface Envelope {
  code: number;
  msg: string;
  data: { request_id: string; status: string; tx_hash: string | null; note?: string } | null;
}

/** Options of a test gateway and its chain. */
export interface GatewayTestOptions extends TestDeploymentOptions {
  settings?: Partial<GatewayConfiguration>;
  /** RPC URL that the gateway uses instead of the chain's; null for a gateway without a chain. */
  rpcUrl?: string | null;
  /**
   * Factor on the gateway's time limits of answers; default 10, because a machine that runs other tests answers late. 1 for
   * tests of timeouts.
   */
  patience?: number;
  /** Creates a separate database, for a test that closes or damages it. */
  ownDatabase?: boolean;
}

/** A gateway on a real HTTP server with PostgreSQL and a separate chain, for tests. Sends no transactions before `startSending`. */
export class GatewayTestServer {
  readonly at: TestServer;
  readonly chain: DeployedTestChain;
  readonly database: TestDatabase;
  readonly metrics: Registry;
  readonly parts: ProductParts;
  readonly #platform: TestPlatform;
  #ahead: { ms: number };

  private constructor(at: TestServer, chain: DeployedTestChain, platform: TestPlatform, parts: ProductParts, ahead: { ms: number }) {
    this.#platform = platform;
    this.at = at;
    this.chain = chain;
    this.database = platform.database;
    this.metrics = platform.metrics;
    this.parts = parts;
    this.#ahead = ahead;
  }

  static async start(options: GatewayTestOptions = {}): Promise<GatewayTestServer> {
    const { settings: changes = {}, rpcUrl, ownDatabase = false, patience = 10, ...chainOptions } = options;
    const chain = await startTestDeployment(chainOptions);
    // The chain's stored state can be a day old; a new block brings its time up to date.
    await chain.mine();
    const database = ownDatabase ? await openTestDatabase({ migrations: [{ product: 'gateway', folder: gateway.migrations }] }) : await openGatewayDatabase();
    const ahead = { ms: 0 };
    const system = {
      ...systemInterfaces, timers: patientTimers(patience),
      clock: { now: () => systemInterfaces.clock.now() + ahead.ms }, elapsedMs: () => systemInterfaces.elapsedMs() + ahead.ms,
    };
    const log = createLogger(process.env['VOUCH_TEST_LOG'] ?? 'silent');
    // The gateway uses no other part of the platform.
    const platform = { ...system, log, database, metrics: new Registry(), publicUrl: 'http://vouch.test' } as TestPlatform;
    const { at, parts } = await serve(platform, rpcUrl === null ? {} : { ...settingsOf(chain), chain_rpc_url: [rpcUrl ?? chain.url] }, changes);
    return new GatewayTestServer(at, chain, platform, parts, ahead);
  }

  /** Starts a second gateway on the same database with other settings; sends no transactions. */
  async startOther(changes: Partial<GatewayConfiguration>, named: Partial<GatewaySettings> = settingsOf(this.chain)): Promise<{ url: string; parts: ProductParts; close(): Promise<void> }> {
    const { at, parts } = await serve({ ...this.#platform, metrics: new Registry() }, named, changes);
    return { url: at.url, parts, close: async () => void await at.server.close().then(() => parts.close()) };
  }

  get domain(): SigningDomain {
    return this.chain.domain;
  }

  /** Starts batching and sending. */
  startSending(): void {
    this.parts.start?.();
  }

  /** Moves the gateway's clock, so that its cached chain state expires. */
  moveClock(seconds: number): void {
    this.#ahead.ms += seconds * 1_000;
  }

  /** Time of the gateway's clock, in ms since 1970. */
  nowMs(): number {
    return this.#platform.clock.now();
  }

  /** Moves gateway and chain to the start of a UTC day, so that no day ends during a test. */
  async toNextDay(): Promise<void> {
    const dayMs = 86_400_000;
    const seconds = Math.ceil((dayMs - (this.nowMs() % dayMs)) / 1_000);
    this.moveClock(seconds);
    await this.chain.increaseTime(seconds);
  }

  /** Mines blocks until every accepted message has ended. */
  async ended(): Promise<void> {
    const open = `SELECT 1 FROM gateway_requests WHERE state NOT IN ('confirmed', 'failed', 'expired') LIMIT 1`;
    while ((await this.database.query(open)).rowCount !== 0) {
      await this.chain.mine();
      await systemInterfaces.timers.sleep(50);
    }
  }

  /** Time of the chain, in seconds since 1970. */
  async now(): Promise<number> {
    return Number((await this.chain.rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp);
  }

  async send<Content = Record<string, unknown>>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Content>> {
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(this.at.url + path, {
      method, headers: { ...(text === null ? {} : { 'content-type': 'application/json' }), ...headers }, body: text,
    });
    const content = await answer.text();
    return { status: answer.status, headers: answer.headers, body: (content === '' ? null : JSON.parse(content)) as Content };
  }

  /** Posts a body to the documented path, with the required headers. */
  post<Content = Envelope & Refusal>(kind: UnsignedMessage['kind'], body: unknown, headers: Record<string, string> = requiredHeaders): Promise<Answer<Content>> {
    return this.send<Content>('POST', `/explorer_alphanet${messagePaths[kind]}`, body, headers);
  }

  sign(unsigned: UnsignedMessage, account: TestAccount, domain: Partial<SigningDomain> = {}): Promise<Body> {
    return signMessage(unsigned, { ...this.domain, ...domain }, account.privateKey);
  }

  /** Signs and posts a message. */
  async signAndSend(unsigned: UnsignedMessage, account: TestAccount, domain: Partial<SigningDomain> = {}): Promise<Answer<Envelope & Refusal>> {
    return this.post(unsigned.kind, await this.sign(unsigned, account, domain));
  }

  /** Builds a valid claimer message. */
  async claimerMessage(claimer: `0x${string}` = `0x${'c1'.repeat(20)}`): Promise<Extract<UnsignedMessage, { kind: 'claimer' }>> {
    return { kind: 'claimer', claimer, expired_at: (await this.now()) + 3_600 };
  }

  /** Lets operators enter by their own transactions, in sequence. */
  async enter(...accounts: readonly TestAccount[]): Promise<void> {
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeEnter', args: [zeroAddress] });
    for (const { privateKey } of accounts) await sendTransactions(this.chain.rpc, [{ to: this.chain.contracts.service, data, gas: 500_000n }], { key: privateKey });
    this.moveClock(1);
  }

  /** Sets a budget directly in the database, as another process would. */
  async setBudget(scope: BudgetScope, gas: Partial<Record<UnsignedMessage['kind'], number | null>>, subject = ''): Promise<void> {
    const { chainId, contracts } = this.chain;
    await setBudgets(this.database, serviceName(chainId, contracts.service), { scope, subject }, gas, new Date(this.nowMs()));
  }

  /** Delegates a license to a node. */
  async delegate(holder: TestAccount, tokenId: bigint, node: `0x${string}`): Promise<void> {
    const { rpc, contracts: { service } } = this.chain;
    const call = (functionName: 'delegate' | 'redelegate') => sendTransactions(rpc, [
      { to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName, args: [tokenId, node] }), gas: 600_000n },
    ], { key: holder.privateKey });
    await call('delegate').catch(() => call('redelegate'));
    this.moveClock(1);
  }

  /** Transfers a license. */
  async transfer(holder: TestAccount, tokenId: bigint, to: `0x${string}`): Promise<void> {
    const { rpc, contracts: { license } } = this.chain;
    const data = encodeFunctionData({ abi: licenseAbi, functionName: 'transferFrom', args: [holder.address, to, tokenId] });
    await sendTransactions(rpc, [{ to: license, data, gas: 600_000n }], { key: holder.privateKey });
    this.moveClock(1);
  }

  /** A signer's messages in order of acceptance. */
  async rowsOf({ address }: TestAccount): Promise<{ kind: string; state: string }[]> {
    return (await this.database.query<{ kind: string; state: string }>(
      'SELECT kind, state FROM gateway_requests WHERE signer = $1 ORDER BY sequence', [Buffer.from(address.slice(2), 'hex')])).rows;
  }

  async attest(text: string): Promise<ChosenAttestations> {
    const chosen = await reportAttestations(this.chain.rpc, this.chain.contracts, [text], { key: this.chain.deployer.privateKey });
    this.moveClock(1);
    return chosen;
  }

  async countRows(): Promise<number> {
    return (await this.database.query<{ count: number }>('SELECT count(*)::int AS count FROM gateway_requests')).rows[0]?.count ?? 0;
  }

  async close(): Promise<void> {
    await this.at.server.close();
    await this.parts.close();
    await this.database.close();
    await this.chain.stop();
  }
}

type TestPlatform = Platform & { database: TestDatabase; metrics: Registry };

/** Multiplies sleeps of 5 s and longer, which are time limits; shorter sleeps are pauses between attempts. */
function patientTimers(patience: number): Timers {
  const { sleep } = systemInterfaces.timers;
  return { sleep: (milliseconds, ...more) => sleep(milliseconds < 5_000 ? milliseconds : milliseconds * patience, ...more) };
}

/** Settings of a gateway for the chain. */
export function settingsOf(chain: DeployedTestChain): Partial<DeploymentSettings> {
  return {
    chain_rpc_url: [chain.url], chain_id: Number(chain.chainId), contract_address: chain.contracts.service,
    multicall_address: chain.contracts.multicall3, relayer_keys: [chain.relayer.privateKey],
  };
}

async function serve(platform: TestPlatform, named: Partial<GatewaySettings>, changes: Partial<GatewayConfiguration>): Promise<{ at: TestServer; parts: ProductParts }> {
  const parts = gateway.build(platform, { ...testSettings, ...named, ...changes });
  const { clock, elapsedMs, timers, random, database } = platform;
  // Server, client and signer share one process here, so a slow turn of the event loop is not caused by the server alone.
  const limits = { maxEventLoopDelayMs: 0 };
  const at = await startTestServer(database, { system: { clock, elapsedMs, timers, random }, limits, errors: [gateway.errors], routes: [(server) => parts.routes(server)] });
  return { at, parts };
}
