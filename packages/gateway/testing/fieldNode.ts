import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { decodeEventLog, decodeFunctionResult, encodeFunctionData, getAddress, parseAbi, parseSignature, toEventSelector, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { GatewayTestServer } from './gatewayTestServer.ts';

/** The two published releases differ in order of their first messages, body fields, and what they do with `NodeClear`. */
type Release = 'alphanet' | 'mainnet';

export interface FieldNodeOptions {
  release: Release;
  account: TestAccount;
  /** Wanted claimer and commission (in 1/10000), as in the program's configuration file. */
  claimer: Hex;
  commissionRate: number;
  prefix?: string;
}

/** The interface as the published programs know it: no parameter of an event is indexed. */
const publishedAbi = parseAbi([
  'event TeeReportAttestations(address tee, bytes32[] attestationIDs, string[] attestationInfos, uint256 requestID)',
  'event ConfirmVrfNodes(uint256 requestId, uint32[] vrfChosen, uint256 deadline)',
  'event NodeClear(address node)',
  'function nodeInfos(address node) view returns (uint32, uint32, bool, uint32, uint64, int256, uint256, uint256, uint256, address, uint32, uint256)',
] as const);
const topics = publishedAbi.filter((item) => item.type === 'event').map((item) => toEventSelector(item));

type PublishedEvent = Required<ReturnType<typeof decodeEventLog<typeof publishedAbi>>>;

type Field = readonly [name: string, type: string, value: string | number];

interface Reply {
  code: number;
  msg: string;
}

interface Verified {
  requestId: bigint;
  attestationId: Hex;
  reported: boolean;
}

const attempts = 3;
const lifetimeSeconds = 3_600;

/**
 * Behaves on the wire like a published node program: requests, typed data, retries, reading of answers, scanned events, exits of the
 * process, including the faults: it votes "valid" always, a first-time node has id 0 until its next start, and an object as `data` is a decode error.
 */
export class FieldNode {
  /** Lines that the program would log about answers that it refuses or that refuse it. */
  readonly log: string[] = [];
  /** True after the program ended its own process. */
  exited = false;
  readonly #server: GatewayTestServer;
  readonly #options: FieldNodeOptions;
  readonly #verified: Verified[] = [];
  /** Read once, when the program starts. */
  #id = 0;
  #nextBlock = 0n;
  #scans = false;

  private constructor(server: GatewayTestServer, options: FieldNodeOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Starts the program: it enters, sets claimer and commission in its release's order, and then scans from the current block. */
  static async start(server: GatewayTestServer, options: FieldNodeOptions): Promise<FieldNode> {
    const node = new FieldNode(server, options);
    node.#id = (await node.info()).id;
    node.#nextBlock = await node.#head();
    node.#scans = await (options.release === 'alphanet' ? node.#becomeActiveThenSet() : node.#setThenBecomeActive());
    return node;
  }

  /** The contract's record of the node, as the program decodes it. */
  async info(): Promise<{ id: number; active: boolean; missed: bigint; claimer: Hex; commissionRate: number }> {
    const data = encodeFunctionData({ abi: publishedAbi, functionName: 'nodeInfos', args: [this.#options.account.address] });
    const answer = await this.#server.chain.rpc.request<Hex>('eth_call', [{ to: this.#server.chain.contracts.service, data }, 'latest']);
    const values = decodeFunctionResult({ abi: publishedAbi, functionName: 'nodeInfos', data: answer });
    return { id: values[0], active: values[2], missed: values[4], claimer: values[9].toLowerCase() as Hex, commissionRate: values[10] };
  }

  /** One tick of the program: reads new events and reports what it was chosen for. Returns the number of accepted reports. */
  async tick(): Promise<number> {
    if (!this.#scans || this.exited) return 0;
    const head = await this.#head();
    if (this.#nextBlock >= head) return 0;
    const logs = await this.#server.chain.rpc.request<{ topics: [Hex]; data: Hex }[]>('eth_getLogs', [{
      fromBlock: `0x${this.#nextBlock.toString(16)}`, toBlock: `0x${head.toString(16)}`, address: [this.#server.chain.contracts.service],
      topics: [this.#options.release === 'alphanet' ? topics.slice(0, 2) : topics],
    }]);
    let reports = 0;
    for (const log of logs) reports += await this.#handle(decodeEventLog({ abi: publishedAbi, topics: log.topics, data: log.data }) as PublishedEvent);
    this.#nextBlock = head + 1n;
    return reports;
  }

  /** Ends the process with SIGTERM: the mainnet release leaves the active set. */
  async stop(): Promise<void> {
    this.exited = true;
    if (this.#options.release === 'mainnet') await this.#send('send_tx_node_exit', 'NodeExitData', [['expiredAt', 'uint256', this.#expiry()]]);
  }

  async #handle(event: PublishedEvent): Promise<number> {
    if (event.eventName === 'TeeReportAttestations') {
      const { attestationIDs, requestID } = event.args;
      this.#verified.push(...attestationIDs.map((attestationId) => ({ requestId: requestID, attestationId, reported: false })));
      return 0;
    }
    if (event.eventName === 'ConfirmVrfNodes') {
      const index = event.args.vrfChosen.indexOf(this.#id);
      return index < 0 || event.args.deadline < BigInt(this.#now()) ? 0 : this.#report(event.args.requestId, index);
    }
    if (event.args.node.toLowerCase() === this.#options.account.address && !(await this.info()).active) this.exited = true;
    return 0;
  }

  async #report(requestId: bigint, index: number): Promise<number> {
    let accepted = 0;
    for (const each of this.#verified.filter((one) => one.requestId === requestId && !one.reported)) {
      each.reported = await this.#send('send_tx_node_report_verification', 'VerificationData',
        [['attestationID', 'bytes32', each.attestationId], ['result', 'uint8', 0], ['index', 'uint32', index]]);
      if (each.reported) accepted += 1;
    }
    return accepted;
  }

  /** The alphanet release repeats all steps every two seconds until the chain shows the wanted state. */
  async #becomeActiveThenSet(): Promise<boolean> {
    for (let turn = 0; turn < 60; turn += 1) {
      const { active, claimer, commissionRate } = await this.info();
      if (!active) await this.#enter();
      else {
        if (claimer !== this.#options.claimer) await this.#setClaimer();
        if (commissionRate !== this.#options.commissionRate) await this.#setCommission();
        if (claimer === this.#options.claimer && commissionRate === this.#options.commissionRate) return true;
      }
      await systemInterfaces.timers.sleep(500);
    }
    return false;
  }

  /** The mainnet release sets one thing per start: the claimer if it differs, otherwise the commission. It enters after that if it is offline. */
  async #setThenBecomeActive(): Promise<boolean> {
    const { id, active, claimer, commissionRate } = await this.info();
    if (id !== 0 && !(await this.#setOne(claimer, commissionRate))) return false;
    if (active) return true;
    if (!(await this.#enter())) return false;
    return id !== 0 || this.#setOne(claimer, commissionRate);
  }

  #setOne(claimer: Hex, commissionRate: number): boolean | Promise<boolean> {
    if (claimer !== this.#options.claimer) return this.#setClaimer();
    return commissionRate === this.#options.commissionRate || this.#setCommission();
  }

  async #enter(): Promise<boolean> {
    const path = `${this.#prefix()}/replaced_node?verifierAddr=${getAddress(this.#options.account.address)}`;
    const { status, body } = await this.#exchange('GET', path);
    const data = (body as { data?: { replaced_addr?: unknown } | null }).data;
    if (status !== 200 || typeof data?.replaced_addr !== 'string') {
      this.log.push(`replaced_node: ${status} ${JSON.stringify(body)}`);
      return false;
    }
    return this.#send('send_tx_node_enter', 'NodeEnterData', [['replacedNode', 'address', getAddress(data.replaced_addr)], ['expiredAt', 'uint256', this.#expiry()]]);
  }

  #setClaimer(): Promise<boolean> {
    return this.#send('send_tx_set_reward_claimer', 'NodeSetRewardClaimerData', [['claimer', 'address', getAddress(this.#options.claimer)], ['expiredAt', 'uint256', this.#expiry()]]);
  }

  #setCommission(): Promise<boolean> {
    return this.#send('send_tx_modify_commission_rate', 'NodeModifyCommissionRateData', [['commissionRate', 'uint32', this.#options.commissionRate], ['expiredAt', 'uint256', this.#expiry()]]);
  }

  /** Signs the fields and sends the same body up to three times. A 200 with another code ends the process. */
  async #send(path: string, primaryType: string, fields: readonly Field[]): Promise<boolean> {
    const body = await this.#sign(primaryType, fields);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const { status, body: answer } = await this.#exchange('POST', `${this.#prefix()}/${path}`, body);
      const reply = status < 300 ? readReply(answer) : null;
      if (reply !== null) {
        if (reply.code !== 0) this.exited = true;
        return reply.code === 0;
      }
      this.log.push(`${path}: ${readFailure(status, answer)}`);
    }
    return false;
  }

  /** The body as protojson writes it: camelCase, uint64 as text, zero values included, a space after each comma. */
  async #sign(primaryType: string, fields: readonly Field[]): Promise<string> {
    const account = privateKeyToAccount(this.#options.account.privateKey);
    const { r, s, yParity } = parseSignature(await account.signTypedData({
      domain: { ...this.#server.domain }, primaryType, types: { [primaryType]: fields.map(([name, type]) => ({ name, type })) },
      message: Object.fromEntries(fields.map(([name, , value]) => [name, String(value)])),
    }));
    const written = fields.map(([name, type, value]) => `"${name === 'attestationID' ? 'attestationId' : name}":${
      typeof value === 'number' ? value : `"${type === 'bytes32' ? value.slice(2) : value}"`}`);
    const version = this.#options.release === 'mainnet' ? ['"version":"0.0.1"'] : [];
    return `{${[`"signer":"${account.address}"`, ...written, `"v":${27 + yParity}`, `"r":"${r.slice(2)}"`, `"s":"${s.slice(2)}"`, ...version].join(', ')}}`;
  }

  #exchange(method: string, path: string, text = ''): Promise<{ status: number; body: unknown }> {
    return new Promise((resolve, reject) => {
      const headers = { 'User-Agent': 'Go-http-client/1.1', 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' };
      const sent = request(this.#server.at.url + path, { method, agent: false, headers: { ...headers, ...(text === '' ? {} : { 'Content-Length': Buffer.byteLength(text) }) } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {
          const bytes = Buffer.concat(pieces);
          const plain = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(plain.toString()) as unknown });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  #prefix(): string {
    return this.#options.prefix ?? (this.#options.release === 'mainnet' ? '/explorer' : '/explorer_alphanet');
  }

  /** Time of the machine, in seconds. The program does not ask the chain. */
  #now(): number {
    return Math.floor(this.#server.nowMs() / 1_000);
  }

  #expiry(): string {
    return String(this.#now() + lifetimeSeconds);
  }

  async #head(): Promise<bigint> {
    return BigInt(await this.#server.chain.rpc.request<Hex>('eth_blockNumber', []));
  }
}

/** Reads a 2xx answer with the generated decoder's strictness: `data` is a text, null or absent. Returns null for a decode error. */
function readReply(answer: unknown): Reply | null {
  const { code = 0, msg = '', data = null } = answer as { code?: unknown; msg?: unknown; data?: unknown };
  return typeof code === 'number' && typeof msg === 'string' && (data === null || typeof data === 'string') ? { code, msg } : null;
}

/** What reaches the program's log of a refusal: the message, unless code, reason or message have another type. */
function readFailure(status: number, answer: unknown): string {
  const { code = 0, reason = '', message = '' } = answer as { code?: unknown; reason?: unknown; message?: unknown };
  return typeof code === 'number' && typeof reason === 'string' && typeof message === 'string' ? `${reason}: ${message}` : `${status} without a readable message`;
}
