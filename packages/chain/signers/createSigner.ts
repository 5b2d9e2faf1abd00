import { hashMessage, hexToBytes, keccak256, serializeSignature, serializeTransaction, toHex, type TransactionSerializable } from 'viem';
import type { Hex } from '../messages/operation.ts';
import { completeSignature, type BareSignature } from './completeSignature.ts';
import type { Signer, UnsignedTransaction } from './signer.ts';

/** The data to sign. Some services cannot sign a digest and need the transaction or the text. */
export type Signable = { digest: Uint8Array } & ({ transaction: UnsignedTransaction } | { text: string });

/** Signs with one key, in this process or through a service that holds the key. */
interface KeyHolder {
  /** Ethereum address of the key, lower case. */
  address: Hex;
  /** Name for display, as in Signer. */
  name: string;
  /**
   * Signs the data. createSigner verifies the signature.
   * @throws SignerFault; the reason of `signal`
   */
  sign(what: Signable, signal?: AbortSignal): Promise<BareSignature>;
}

/** Creates a signer of transactions and texts from a key holder. Every signature is verified against the key holder's address. */
export function createSigner({ address, name, sign }: KeyHolder): Signer {
  const signChecked = async (what: Signable, signal?: AbortSignal): Promise<SignatureFields> => {
    signal?.throwIfAborted();
    const { r, s, yParity } = completeSignature(await sign(what, signal), what.digest, address, name);
    return { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), yParity, v: yParity === 0 ? 27n : 28n };
  };
  return {
    address,
    name,
    async signTransaction(transaction, signal) {
      const fields = toFields(transaction);
      const digest = keccak256(serializeTransaction(fields), 'bytes');
      const raw = serializeTransaction(fields, await signChecked({ digest, transaction }, signal));
      return { raw, hash: keccak256(raw) };
    },
    signText: async (text, signal) => serializeSignature(await signChecked({ digest: hexToBytes(hashMessage(text)), text }, signal)),
  };
}

interface SignatureFields {
  r: Hex;
  s: Hex;
  yParity: 0 | 1;
  /** Recovery value of legacy transactions; viem adds the chain id when it serializes the transaction. */
  v: 27n | 28n;
}

/** Converts a transaction to viem's field names. */
function toFields({ chainId, nonce, to, data, value = 0n, gasLimit, maxFeeWei, priorityFeeWei, legacy }: UnsignedTransaction): TransactionSerializable {
  const fields = { chainId: Number(chainId), nonce, to, data, value, gas: gasLimit };
  return legacy ? { ...fields, type: 'legacy', gasPrice: maxFeeWei } : { ...fields, type: 'eip1559', maxFeePerGas: maxFeeWei, maxPriorityFeePerGas: priorityFeeWei };
}
