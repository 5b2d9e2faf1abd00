import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { delegateLicenses } from '@vouch/chain/contracts/devnetActions';
import { startAnvil } from '@vouch/chain/devnet/startAnvil';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { systemInterfaces, type Timers } from '@vouch/platform/process/systemInterfaces';
import { keepTestPki, type TestPki } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { GatewayTestServer } from '../../../packages/gateway/testing/gatewayTestServer.ts';
import { RelayingGateway } from '../../../packages/verifier/testing/relayingGateway.ts';
import { runVerifier, writeConfiguration, type Ended } from '../../../packages/verifier/testing/runVerifier.ts';

/** Changes applied to a healthy node before its examination. */
export interface Plant {
  /** Configuration keys to change; null removes a key. */
  file?: Record<string, string | null>;
  /** Flags that replace -password-file. */
  flags?: readonly string[];
  /** Difference between the node's clock and the newest block's time, in seconds. */
  skewSeconds?: number;
  /** Undoes the changes outside of the chain. */
  heal?: () => unknown;
}

export interface Examined extends Ended {
  healthy: boolean;
  findings: readonly { check: string; status: string; code?: string; detail: string; remedy?: string }[];
}

const days = 86_400_000;
const { keystores } = JSON.parse(readFileSync(new URL('../../../packages/chain/keystore/fixtures/keystores.json', import.meta.url), 'utf8')) as {
  keystores: { name: string; password: string; address: string; private_key: string; keystore: object }[];
};

/**
 * Test environment: a chain, a gateway that sends, a node in the active set with a delegated license, and everything the node
 * needs.
 */
export class Clinic {
  readonly gateway: GatewayTestServer;
  readonly pki: TestPki;
  readonly folder: string;
  readonly node: TestAccount;
  readonly #closers: (() => unknown)[] = [];
  /** HTTP methods of the requests to the web pages of this environment. */
  readonly asked: string[] = [];
  #made = 0;

  private constructor(gateway: GatewayTestServer, pki: TestPki, folder: string, node: TestAccount) {
    this.gateway = gateway;
    this.pki = pki;
    this.folder = folder;
    this.node = node;
  }

  static async open(): Promise<Clinic> {
    const gateway = await GatewayTestServer.start({ operators: 2 });
    const folder = mkdtempSync(join(tmpdir(), 'vouch-clinic-'));
    const light = keystores.find(({ name }) => name === 'scrypt light')!;
    const node = { privateKey: `0x${light.private_key.replace(/^0x/, '')}` as Hex, address: `0x${light.address.replace(/^0x/, '').toLowerCase()}` as Hex };
    const clinic = new Clinic(gateway, await keepTestPki(join(folder, 'pki'), new Date()), folder, node);
    clinic.write('node.json', JSON.stringify(light.keystore));
    clinic.write('password', `${light.password}\n`);
    await clinic.license(0, node);
    gateway.startSending();
    await gateway.signAndSend({ kind: 'enter', replaced_node: zeroAddress, expired_at: (await gateway.now()) + 3_600 }, node);
    while ((await clinic.examine()).findings.some(({ code }) => code === 'not-active')) await systemInterfaces.timers.sleep(50);
    return clinic;
  }

  /** Delegates an operator's license to a different account. */
  async license(operator: number, account: TestAccount): Promise<void> {
    const { rpc, contracts, operators } = this.gateway.chain;
    await delegateLicenses(rpc, contracts, [BigInt(operator + 1)], account.address, { key: operators[operator]!.privateKey });
  }

  /**
   * Writes a file into the test folder; by default only this user can read the file.
   * @returns the path
   */
  write(name: string, text: string, mode = 0o600): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  /**
   * Creates a changed copy of the collateral.
   * @returns the configuration that names the copy
   */
  async collateral(change: (folder: string) => unknown, ageDays = 0): Promise<Plant> {
    const folder = join(this.folder, `collateral-${++this.#made}`);
    if (ageDays > 0) await this.pki.renewCollateral(new Date(Date.now() - ageDays * days));
    cpSync(this.pki.collateralFolder, folder, { recursive: true });
    if (ageDays > 0) await this.pki.renewCollateral(new Date());
    change(folder);
    return { file: { 'attestation.collateral_path': JSON.stringify(folder) } };
  }

  /** Runs doctor for the healthy node, or for the node with the given changes. The machine's clock follows the chain's clock. */
  async examine({ file = {}, flags = ['-password-file', join(this.folder, 'password')], skewSeconds = 0 }: Plant = {}, shown: readonly string[] = ['-json']): Promise<Examined> {
    // Moves the gateway's clock, because the gateway caches its view of the chain for half a second of its own clock.
    this.gateway.moveClock(1);
    const conf = writeConfiguration(this.folder, { ...this.healthyFile(), ...file });
    const aheadMs = ((await this.gateway.now()) + skewSeconds) * 1_000 - Date.now();
    // Lengthens doctor's timeouts, because responses of a busy machine may take longer than doctor waits.
    const timers: Timers = { sleep: (milliseconds, ...rest) => systemInterfaces.timers.sleep(20 * milliseconds, ...rest) };
    const system = { ...systemInterfaces, timers, clock: { now: () => Date.now() + aheadMs } };
    const ended = await runVerifier(['doctor', '-conf', conf, ...flags, ...shown], '', system);
    const read = shown.includes('-json') ? JSON.parse(ended.output) as Pick<Examined, 'healthy' | 'findings'> : { healthy: false, findings: [] };
    return { ...ended, ...read };
  }

  healthyFile(): Record<string, string | null> {
    return {
      'chain.rpc_url': JSON.stringify(this.gateway.chain.url), 'contract.addr': JSON.stringify(this.gateway.chain.contracts.service),
      'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(join(this.folder, 'node.json')), 'gasless_service.url': JSON.stringify(this.gateway.at.url),
      'attestation.collateral_path': JSON.stringify(this.pki.collateralFolder), 'attestation.trust_root': this.pki.trustRoot.fingerprint,
      'node.data_path': JSON.stringify(join(this.folder, 'data')),
    };
  }

  /** Returns the configuration for a different account, with the key in the file. */
  as(account: TestAccount): Plant {
    return { file: { 'wallet.mode': '1', 'wallet.keystore_path': null, 'wallet.private_key': JSON.stringify(account.privateKey) }, flags: [] };
  }

  /** Waits until the gateway has read the current state of the chain and its key has the given status. */
  async untilGateway(status: 'running' | 'paused'): Promise<void> {
    for (;;) {
      const { body } = await this.gateway.send<{ relayers: { status: string }[] }>('GET', '/gateway/info');
      if (body.relayers[0]?.status === status) return;
      // An idle gateway polls the chain every 15 s of its own clock.
      this.gateway.moveClock(16);
      await systemInterfaces.timers.sleep(50);
    }
  }

  stateFolder(): string {
    const folder = join(this.folder, 'data', `${this.gateway.chain.chainId}-${this.gateway.chain.contracts.service}-${this.node.address}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Starts a second gateway with different settings. */
  async otherGateway(...told: Parameters<GatewayTestServer['startOther']>): Promise<Plant> {
    const { url, close } = await this.gateway.startOther(...told);
    return { file: { 'gasless_service.url': JSON.stringify(url) }, heal: close };
  }

  /** Starts a gateway of a different implementation: it relays messages but has no GET /gateway/info. */
  async silentGateway(): Promise<RelayingGateway> {
    const gateway = await RelayingGateway.start(this.gateway.chain);
    this.#closers.push(() => gateway.stop());
    return gateway;
  }

  /** Starts a second chain whose clock is one hour behind. */
  async otherChain(chainId?: number): Promise<string> {
    const anvil = await startAnvil({ genesis: { timestamp: Math.floor(Date.now() / 1_000) - 3_600, baseFee: 1_000_000_000n } }, systemInterfaces.timers);
    this.#closers.push(() => anvil.stop());
    if (chainId !== undefined) {
      const rpc = createRpcClient({ urls: [anvil.url] }, systemInterfaces);
      await rpc.request('anvil_setChainId', [chainId]);
      await rpc.close();
    }
    return anvil.url;
  }

  /** Starts an RPC endpoint that reports no new blocks. */
  async stuckEndpoint(): Promise<string> {
    const { url, rpc } = this.gateway.chain;
    const newest = await rpc.request<string>('eth_blockNumber');
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        const body = Buffer.concat(parts).toString().replaceAll('"latest"', JSON.stringify(newest));
        void fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
          .then(async (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(await answer.text()), () => response.destroy());
      });
    });
    return this.#listen(server);
  }

  /** Starts a server that responds to every request with an HTML page. */
  async webPage(status = 200, text = '<html><body>Welcome</body></html>'): Promise<string> {
    const server: Server = createServer((request, response) => {
      this.asked.push(request.method ?? '');
      response.writeHead(status, { 'content-type': 'text/html' }).end(text);
    });
    return this.#listen(server);
  }

  async #listen(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#closers.push(() => { server.closeAllConnections(); server.close(); });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close();
    await this.gateway.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Accounts that no other code uses. */
export const newcomer = testAccount(7_001);
export const stranger = testAccount(7_002);
