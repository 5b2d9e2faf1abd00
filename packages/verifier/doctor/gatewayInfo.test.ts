import { expect, it } from 'vitest';
import { parseGatewayInfo } from './gatewayInfo.ts';

const right = {
  configured: true, chain: { chain_id: 5, contract: `0x${'Ab'.repeat(20)}`, reachable: true, block: 7 }, relayers: [{ address: '0x', status: 'running' }],
  domain: { name: 'ProtocolService', version: '1.0.0', chain_id: 5, hash: `0x${'AB'.repeat(32)}` }, more: [1],
};

it('what a gateway tells of itself is read', () => {
  expect(parseGatewayInfo(right)).toEqual({
    configured: true, chain: { chainId: 5, contract: `0x${'ab'.repeat(20)}`, reachable: true, block: 7 }, relayers: [{ status: 'running' }],
    domain: { name: 'ProtocolService', version: '1.0.0', hash: `0x${'ab'.repeat(32)}` },
  });
  for (const block of [null, undefined, '7', -1, 2 ** 60]) expect(parseGatewayInfo({ ...right, chain: { ...right.chain, block } })).toMatchObject({ chain: { block: null } });
  expect(parseGatewayInfo({ ...right, chain: null, domain: { ...right.domain, hash: null }, relayers: [] })).toMatchObject({ chain: null, domain: { hash: null } });
});

it.each<[string, unknown]>([
  ['nothing', undefined], ['null', null], ['a page', '<html>'], ['a list', [right]], ['an envelope', { code: 0, msg: 'ok', data: null }],
  ['a chain without a number', { ...right, chain: { ...right.chain, chain_id: '5' } }], ['a chain beyond all numbers', { ...right, chain: { ...right.chain, chain_id: 2 ** 60 } }],
  ['a contract that is none', { ...right, chain: { ...right.chain, contract: '0x12' } }], ['a domain that steers a terminal', { ...right, domain: { ...right.domain, name: '\u001b[2J' } }],
  ['an endless name', { ...right, domain: { ...right.domain, name: 'x'.repeat(201) } }], ['relayers without end', { ...right, relayers: Array.from({ length: 101 }, () => ({ status: 'running' })) }],
  ['relayers that are text', { ...right, relayers: 'all' }], ['no domain', { ...right, domain: undefined }],
])('%s is no such answer', (_what, answer) => {
  expect(parseGatewayInfo(answer)).toBeNull();
});
