import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { expect, it, onTestFinished } from 'vitest';
import { answering, startMisbehavingServer } from '../testing/misbehavingServer.ts';
import { broadcast } from './broadcast.ts';
import { createRpcClient } from './createRpcClient.ts';

async function answerTo(message: string, code = -32_000): Promise<string> {
  const server = await startMisbehavingServer(answering(() => ({ error: { code, message } })));
  const rpc = createRpcClient({ urls: [server.url] }, systemInterfaces);
  onTestFinished(async () => {
    await rpc.close();
    await server.close();
  });
  return (await broadcast(rpc, '0x02')).kind;
}

it.each([
  'unsupported operation', 'failed to generate the sender', 'invalid signature: the integrated check failed', 'gas uint64 overflow', 'Int256Overflow',
  'exceeds block gas limit', 'Transaction gas limit exceeds block gas limit', 'intrinsic gas too low', 'transaction type not supported', 'Invalid',
  'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)', 'Transaction fee cap exceeded', 'the async result is invalid', 'the transaction is already invalid',
])('takes "%s" for a fault of the transaction', async (text) => {
  expect(await answerTo(text)).toBe('unsendable');
});

it.each([
  ['InsufficientFunds, Account balance: 0, cumulative cost: 21000', 'funds'],
  ['Upfront cost exceeds account balance', 'funds'],
  ['not enough funds for gas', 'funds'],
  ['insufficient funds for gas * price + value: address 0x00 have 0 want 1', 'funds'],
  ['lack of funds (0) for max fee (42000)', 'funds'],
  ['AlreadyKnown', 'taken'], ['already known', 'taken'], ['known transaction: 0x00', 'taken'],
  ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 2', 'price'],
  ['FeeTooLowToCompete', 'price'],
  ['Gas price below configured minimum gas price', 'price'],
  ['gas price below current base fee', 'price'],
  ['gas price too low', 'price'],
  ['max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 2', 'price'],
  ['could not replace existing tx', 'price'],
  ['OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'rumour'],
  ['txpool is full', 'busy'], ['queue full', 'busy'], ['pool overflow', 'busy'],
  ['project ID request rate exceeded', 'busy'], ['you are rate-limited', 'busy'], ['ratelimited', 'busy'],
  ['Too many requests, retry later', 'busy'], ['exceeded its compute units per second capacity', 'busy'],
  ['daily request count exceeded', 'busy'], ['request timed out', 'busy'], ['the node is syncing', 'busy'], ['internal error', 'busy'],
])('takes "%s" for a state of the node: %s', async (text, kind) => {
  expect(await answerTo(text)).toBe(kind);
});

it('goes by the code where the text says nothing', async () => {
  expect(await answerTo('limit exceeded', -32_005)).toBe('busy');
  expect(await answerTo('please slow down', -32_005)).toBe('busy');
  expect(await answerTo('the method eth_sendRawTransaction does not exist/is not available', -32_601)).toBe('busy');
});
