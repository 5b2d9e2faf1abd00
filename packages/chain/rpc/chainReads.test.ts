import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBlock, parseLog, parseReceipt } from './chainReads.ts';
import { parseAddress, parseBytes, parseHash, parseInteger, parseQuantity } from './parseResult.ts';

const hash = `0x${'ab'.repeat(32)}`;
const address = `0x${'Cd'.repeat(20)}`;
const log = { address, topics: [hash], data: '0x', blockNumber: '0x10', blockHash: hash, transactionHash: hash, logIndex: '0x0' };
const receipt = {
  transactionHash: hash, blockNumber: '0x10', blockHash: hash, from: address, to: null, contractAddress: address, status: '0x1', gasUsed: '0x5208',
  effectiveGasPrice: '0x3b9aca00', logs: [log],
};
const block = { number: '0x10', hash, parentHash: hash, timestamp: '0x6b0163b9', baseFeePerGas: '0x7', gasLimit: '0x1c9c380', gasUsed: '0x0' };

/** Values of a hostile endpoint: arbitrary JSON, and values close to valid ones. */
const hostile = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(undefined, null, '', '0x', '0X1', '0x1g', '-0x1', '0x-1', '1', '0x1.5', ' 0x1', '0x1\n', '0xZZ', `0x${'f'.repeat(65)}`, `0x${'0'.repeat(3_000_000)}`, -1, Infinity, {}, [[]]),
);

describe('what an endpoint sends', () => {
  it('is read as it is meant', () => {
    expect(parseReceipt(receipt)).toMatchObject({ succeeded: true, blockNumber: 16, to: null, gasUsed: 21_000n, from: address.toLowerCase() });
    expect(parseBlock(block)).toMatchObject({ number: 16, timestamp: 0x6b0163b9, baseFee: 7n });
    expect(parseBlock({ ...block, baseFeePerGas: undefined }).baseFee).toBeNull();
    expect(parseReceipt({ ...receipt, status: '0x0' }).succeeded).toBe(false);
  });

  it.each<[string, (value: unknown) => unknown, Record<string, unknown>]>([
    ['a receipt', parseReceipt, receipt], ['a log', parseLog, log], ['a block', parseBlock, block],
  ])('as %s is read or refused with a short sentence, whatever one of its fields is', (_name, read, whole) => {
    fc.assert(fc.property(fc.constantFrom(...Object.keys(whole)), hostile, (field, value) => {
      const changed = { ...whole, [field]: value };
      try {
        expect(Object.keys(read(changed) as object)).toEqual(Object.keys(read(whole) as object));
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'Error') throw error;
        expect(error.message.length).toBeLessThan(100);
      }
    }), { numRuns: 500 });
  });

  it.each<[string, (value: unknown) => unknown, unknown[]]>([
    ['a quantity', parseQuantity, ['0x', '1', '0x1g', '-0x1', 1, null, `0x${'f'.repeat(65)}`, ['0x1']]],
    ['an integer', parseInteger, ['0x20000000000000', '0x']],
    ['bytes', parseBytes, ['0x1', '0xzz', 'ab', '', 7, `0x${'00'.repeat(2 ** 20 + 1)}`]],
    ['an address', parseAddress, [hash, '0x', `${address}00`]],
    ['a hash', parseHash, [address, '0x', `${hash}00`]],
  ])('is refused where it is not %s', (_name, read, values) => {
    for (const value of values) expect(() => read(value)).toThrow(Error);
  });
});
