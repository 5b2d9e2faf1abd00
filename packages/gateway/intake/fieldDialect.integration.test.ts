import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { encodeFunctionData, getAddress, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { licenseAbi } from '@vouch/chain/contracts/abi/license';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

/**
 * Sends requests exactly as the deployed node software does: protojson keys, uint64 as text, zero values included, r and s as
 * 64 digits without 0x, and no additional headers.
 */
let server: GatewayTestServer;
let operators: TestAccount[];

beforeAll(async () => {
  server = await GatewayTestServer.start({ operators: 4, settings: { gateway_headers: 'lenient' } });
  operators = [...server.chain.operators];
  await server.enter(...operators.slice(0, 3));
});
afterAll(() => server.close());

interface Raw {
  status: number;
  body: Record<string, unknown>;
}

function exchange(method: string, path: string, text = ''): Promise<Raw> {
  return new Promise((answered, failed) => {
    const sent = request(server.at.url + path, {
      method, agent: false,
      headers: { 'User-Agent': 'Go-http-client/1.1', 'Accept-Encoding': 'gzip', ...(text === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }) },
    }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {
        const bytes = Buffer.concat(pieces);
        const plain = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        answered({ status: answer.statusCode ?? 0, body: JSON.parse(plain.toString()) as Record<string, unknown> });
      });
    });
    sent.on('error', failed);
    sent.end(text);
  });
}

type Field = readonly [name: string, type: string, value: string];

/** Signs with numbers as text, as the deployed node software does, and builds the body by hand. */
async function post(path: string, primaryType: string, fields: readonly Field[], written: string, { privateKey }: TestAccount): Promise<Raw> {
  const account = privateKeyToAccount(privateKey);
  const message = Object.fromEntries(fields.map(([name, , value]) => [name, value]));
  const signature = parseSignature(await account.signTypedData({
    domain: { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n },
    types: { [primaryType]: fields.map(([name, type]) => ({ name, type })) },
    primaryType, message,
  }));
  const { r, s, yParity } = signature;
  return exchange('POST', path, `{"signer":"${account.address}",${written},"v":${27 + yParity},"r":"${r.slice(2)}","s":"${s.slice(2)}"}`);
}

const accepted = { status: 200, body: { code: 0, msg: 'ok', data: null } };

describe('the program in the field', () => {
  it('asks whom to replace, and gets data that is never null', async () => {
    const { status, body } = await exchange('GET', `/explorer_alphanet/replaced_node?verifierAddr=${getAddress(operators[3]!.address)}`);
    expect([status, body]).toEqual([200, { code: 0, msg: 'ok', data: { replaced_addr: `0x${'0'.repeat(40)}` } }]);
  });

  it.each(['/explorer_alphanet', '/explorer'])('has all five of its messages accepted under %s', async (prefix) => {
    const turn = prefix === '/explorer' ? 1 : 0;
    const expired = (await server.now()) + 3_600 + turn;
    const at = String(expired);
    const claimer = getAddress(`0x${'ab'.repeat(19)}0${turn}`);
    const { chosen, attestationIds } = await server.attest(`seen ${turn}`);
    const reporter = operators.find(({ address }) => address === chosen[0])!;
    const id = attestationIds[0]!.slice(2);
    expect(await post(`${prefix}/send_tx_node_report_verification`, 'VerificationData',
      [['attestationID', 'bytes32', `0x${id}`], ['result', 'uint8', '0'], ['index', 'uint32', '0']],
      `"attestationId":"${id}","result":0,"index":0`, reporter)).toEqual(accepted);
    expect(await post(`${prefix}/send_tx_set_reward_claimer`, 'NodeSetRewardClaimerData', [['claimer', 'address', claimer], ['expiredAt', 'uint256', at]],
      `"claimer":"${claimer}","expiredAt":"${at}"`, operators[0]!)).toEqual(accepted);
    expect(await post(`${prefix}/send_tx_modify_commission_rate`, 'NodeModifyCommissionRateData', [['commissionRate', 'uint32', '500'], ['expiredAt', 'uint256', at]],
      `"commissionRate":500,"expiredAt":"${at}"`, operators[turn]!)).toEqual(accepted);
    const node = operators[3]!;
    const zero = `0x${'0'.repeat(40)}`;
    expect(await post(`${prefix}/send_tx_node_enter`, 'NodeEnterData', [['replacedNode', 'address', zero], ['expiredAt', 'uint256', at]],
      `"replacedNode":"${zero}","expiredAt":"${at}"`, node)).toEqual(accepted);
    expect(await post(`${prefix}/send_tx_node_exit`, 'NodeExitData', [['expiredAt', 'uint256', at]], `"expiredAt":"${at}"`, node)).toEqual(accepted);
  });

  it('reads an integer code and the sentence in message where it is refused', async () => {
    const at = String((await server.now()) + 30);
    const { status, body } = await post('/explorer_alphanet/send_tx_node_exit', 'NodeExitData', [['expiredAt', 'uint256', at]], `"expiredAt":"${at}"`, operators[0]!);
    expect(status).toBe(400);
    expect(body).toEqual({ error: body['message'], code: 400, reason: 'expires-too-soon', message: expect.stringMatching(/^expired_?[aA]t is \d+/) as string });
    const unreadable = await exchange('POST', '/explorer/send_tx_node_exit', '{"signer":');
    expect([unreadable.status, unreadable.body['code'], typeof unreadable.body['message']]).toEqual([400, 400, 'string']);
  });

  exhaustiveTest('is named the lightest node while the set is full, or why none', async () => {
    const full = await GatewayTestServer.start({ operators: 3, rules: { maxActiveNodes: 2 }, settings: { gateway_headers: 'lenient' } });
    try {
      const [first, second, third] = full.chain.operators as [TestAccount, TestAccount, TestAccount];
      await full.enter(first, second);
      const ask = (query: string) => full.send<{ data: { replaced_addr: string }; reason: string }>('GET', `/explorer_alphanet/replaced_node${query}`);
      expect((await ask(`?verifierAddr=${third.address}`)).body.reason).toBe('replaced-too-heavy');
      for (const { address } of [third, second]) {
        const data = encodeFunctionData({ abi: licenseAbi, functionName: 'mint', args: [address, 1n] });
        await sendTransactions(full.chain.rpc, [{ to: full.chain.contracts.license, data }], { key: full.chain.deployer.privateKey });
      }
      full.moveClock(1);
      expect((await ask(`?verifierAddr=${third.address}`)).body.data.replaced_addr).toBe(getAddress(first.address));
      expect((await ask('')).body.data.replaced_addr).toBe(getAddress(first.address));
      expect((await ask('?verifierAddr=0x12')).status).toBe(400);
    } finally {
      await full.close();
    }
  });
});
