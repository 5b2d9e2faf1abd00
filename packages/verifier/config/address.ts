import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { hexBytes, type ValueType } from './value.ts';

const bytes = hexBytes(20, 'an address');

/** Ethereum address, converted to lower case. A mixed-case address must have a correct EIP-55 checksum, which detects typing errors. */
export const address: ValueType<Hex> = {
  range: 'an Ethereum address: 0x and 40 hex digits; mixed-case letters must have a valid EIP-55 checksum',
  parse: (text) => {
    const value = bytes.parse(text);
    if (value === undefined) return undefined;
    const digits = text.replace(/^0x/, '');
    const mixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
    return mixed && showAddress(value) !== `0x${digits}` ? undefined : value;
  },
};

/** Ethereum address that receives payments. The zero address is rejected, because payments to it would be lost. */
export const payee: ValueType<Hex> = {
  range: `${address.range}, not zero`,
  parse: (text) => {
    const value = address.parse(text);
    return value === undefined || /^0x0+$/.test(value) ? undefined : value;
  },
};
