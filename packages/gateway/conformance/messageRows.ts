import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import assert from 'node:assert/strict';
import { expectStatus } from '@vouch/platform/conformance/client';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { messageHeaders, type Envelope } from './client.ts';
import { chainRow, expectRefusal, row } from './fixture.ts';
import { messagePaths, type UnsignedMessage } from './signMessage.ts';

/** Messages by statement of the specification, with their body fields; signer, v, r and s are not listed. */
const messages: readonly (readonly [statement: string, kind: UnsignedMessage['kind'], fields: readonly string[]])[] = [
  ['G1', 'enter', ['replaced_node', 'expired_at']],
  ['G2', 'exit', ['expired_at']],
  ['G3', 'commission', ['commission_rate', 'expired_at']],
  ['G4', 'claimer', ['claimer', 'expired_at']],
  ['G5', 'report', ['attestation_id', 'result', 'index']],
];

/** Required headers by statement. */
const headers = [['G6', 'Origin'], ['G7', 'User-Agent'], ['G8', 'x-app-id']] as const;

/** Invalid values of a field, by statement and message. */
const wrongValues: readonly (readonly [statement: string, kind: UnsignedMessage['kind'], field: string, values: readonly unknown[], shows: string])[] = [
  ['G10', 'claimer', 'signer', [7, {}, 'me', `0x${'12'.repeat(19)}`], 'numbers, objects, words and 19 bytes are rejected'],
  ['G11', 'claimer', 'v', [29, 1.5, 'v', {}], 'v as 29, a fraction, a word and an object is refused'],
  ['G11', 'claimer', 'r', [7, {}, 'zz', '12'.repeat(31)], 'r as a number, an object, a word and 31 bytes is refused'],
  ['G11', 'claimer', 's', [7, {}, 'zz', '12'.repeat(31)], 's as a number, an object, a word and 31 bytes is refused'],
  ['G12', 'enter', 'replaced_node', [7, {}, 'node', `0x${'12'.repeat(19)}`], 'numbers, objects, words and 19 bytes are rejected'],
  ['G14', 'exit', 'expired_at', [1.5, -1, {}, 'soon'], 'fractions, negative numbers, objects and words are rejected'],
  ['G15', 'commission', 'commission_rate', [1.5, -1, {}, 'five'], 'fractions, negative numbers, objects and words are rejected'],
  ['G16', 'claimer', 'claimer', [7, {}, 'me', `0x${'12'.repeat(19)}`], 'numbers, objects, words and 19 bytes are rejected'],
  ['G17', 'report', 'attestation_id', [7, {}, 'id', `0x${'12'.repeat(31)}`], 'numbers, objects, words and 31 bytes are rejected'],
  ['G18', 'report', 'result', [1.5, -1, {}, 'valid'], 'result as a fraction, a negative number, an object and a word are rejected'],
  ['G18', 'report', 'index', [1.5, -1, {}, 'first'], 'index as a fraction, a negative number, an object and a word are rejected'],
];

/** Rows about the five messages: paths, headers, fields and types. */
export const messageRows: readonly ConformanceRow[] = [
  ...messages.map(([statement, kind]) => row(statement, 'a POST without fields is rejected with error; a GET is not allowed', async ({ client }) => {
    expectRefusal(await client.post(kind, {}));
    expectStatus(await client.send('GET', `/explorer_alphanet${messagePaths[kind]}`), 405);
  })),
  ...messages.map(([statement, kind, fields]) => row(statement, 'without any one of the fields, the message is rejected with the name of the field', async ({ client, strange }) => {
    const body = await strange(kind);
    for (const name of ['signer', 'v', 'r', 's', ...fields]) {
      const { [name]: _, ...rest } = body;
      expectRefusal(await client.post(kind, rest), `${name} is required`);
    }
  })),
  ...headers.map(([statement, name]) => chainRow(statement, 'a message without the header, or with an empty header, is rejected; the same message with the header is accepted', async (fixture) => {
    const { client, node, sign, newClaimer } = fixture;
    const text = JSON.stringify(await sign(await newClaimer(), node));
    const whole = { Origin: 'https://operator.example', 'User-Agent': 'conformance', 'x-app-id': 'verifier', 'content-type': 'application/json' };
    const { [name]: _, ...without } = whole;
    const path = `/explorer_alphanet${messagePaths.claimer}`;
    expectRefusal(await client.postText(path, text, without), name, 'missing');
    expectRefusal(await client.postText(path, text, { ...whole, [name]: '' }), name);
    expectStatus(await client.postText(path, text, whole), 200);
  })),
  row('G9', 'text that is not JSON, a list and an empty body are rejected', async ({ client }) => {
    const path = `/explorer_alphanet${messagePaths.exit}`;
    for (const text of ['expired_at=1', '[]', '"x"', '']) {
      expectRefusal(await client.postText(path, text, { ...messageHeaders, 'content-type': 'application/json' }));
    }
  }),
  ...wrongValues.map(([statement, kind, field, values, shows]) => row(statement, shows, async ({ client, strange }) => {
    const body = await strange(kind);
    for (const value of values) expectRefusal(await client.post(kind, { ...body, [field]: value }), field);
  })),
  chainRow('G10', 'the address of a different node is rejected; the address of the signer is accepted', async ({ client, node, second, sign, newClaimer }) => {
    const body = await sign(await newClaimer(), node);
    expectRefusal(await client.post('claimer', { ...body, signer: second.address }), 'not of the signer');
    expectStatus(await client.post('claimer', body), 200);
  }),
  chainRow('G11', 'v, r or s of a different signature are rejected; those of the signature are accepted', async ({ client, node, sign, newClaimer }) => {
    const [body, other] = [await sign(await newClaimer(), node), await sign(await newClaimer(), node)];
    for (const changes of [{ v: body['v'] === 27 ? 28 : 27 }, { r: other['r'] }, { s: other['s'] }]) {
      expectRefusal(await client.post('claimer', { ...body, ...changes }));
    }
    expectStatus(await client.post('claimer', body), 200);
  }),
  chainRow('G14', 'a time in the past is rejected; a time within the next hour is accepted', async ({ client, node, sign, newClaimer }) => {
    const unsigned = await newClaimer();
    expectRefusal(await client.post('claimer', await sign({ ...unsigned, expired_at: unsigned.expired_at - 100_000 }, node)), 'expired_at');
    expectStatus(await client.post('claimer', await sign(unsigned, node)), 200);
  }),
  chainRow('G19', 'the same message sent again returns code 0, msg ok, and the first id in data', async ({ client, sign, node, entered }) => {
    const { replacedNode, expiredAt } = entered.operation;
    const again = { kind: 'enter', replaced_node: replacedNode as `0x${string}`, expired_at: Number(expiredAt) } as const;
    const answer = expectStatus(await client.post('enter', await sign(again, node)), 200).json<Envelope>();
    assert.deepEqual([answer.code, answer.msg, typeof answer.data], [0, 'ok', 'object']);
    assert.deepEqual(Object.keys(answer).sort(), ['code', 'data', 'msg']);
    assert.deepEqual([answer.data?.request_id, answer.data?.status], [entered.request_id, 'confirmed']);
  }),
  row('G21', 'an empty body is rejected, and the error names the missing field', async ({ client }) => {
    expectRefusal(await client.post('exit', {}), 'expired_at', 'signer');
  }),
  row('G21', 'the answers for an unknown path (404) and a wrong method (405) have error too', async ({ client }) => {
    const replies = [
      expectStatus(await client.send('POST', '/explorer_alphanet/send_tx_nothing', { body: {}, headers: messageHeaders }), 404),
      expectStatus(await client.send('DELETE', `/explorer_alphanet${messagePaths.exit}`), 405),
    ];
    for (const reply of replies) assert.equal(typeof reply.json<{ error: unknown }>().error, 'string');
  }),
  chainRow('A8', 'a message without an API key is accepted; an API key does not replace the signature', async ({ client, sign, node, second, newClaimer, context }) => {
    const body = await sign(await newClaimer(), second);
    expectRefusal(await client.post('claimer', { ...body, signer: node.address }, { ...messageHeaders, apikey: context.apiKey }), 'not of the signer');
    expectStatus(await client.post('claimer', body), 200);
  }),
  row('Z3', 'the path exists as written, and does not exist with a version', async ({ client, strange }) => {
    const body = await strange('exit');
    expectRefusal(await client.post('exit', body));
    for (const path of ['/v1/explorer_alphanet/send_tx_node_exit', '/explorer_alphanet/v1/send_tx_node_exit']) {
      expectStatus(await client.send('POST', path, { body, headers: messageHeaders }), 404);
    }
  }),
  chainRow('L2', '100.01 % and a negative commission are rejected', async ({ client, sign, node, soon }) => {
    const unsigned = { kind: 'commission', commission_rate: 10_001, expired_at: await soon() } as const;
    expectRefusal(await client.post('commission', await sign(unsigned, node)), '100.01 %');
    expectRefusal(await client.post('commission', { ...(await sign({ ...unsigned, commission_rate: 0 }, node)), commission_rate: -1 }), 'commission_rate');
  }),
  chainRow('G12', 'the zero address and the address of a node are accepted while the set has room', async ({ client, sign, soon, newOperator, node }) => {
    const expired = await soon();
    for (const replaced of [zeroAddress, node.address]) {
      const body = await sign({ kind: 'enter', replaced_node: replaced, expired_at: expired }, await newOperator());
      expectStatus(await client.post('enter', body), 200);
    }
  }),
];
