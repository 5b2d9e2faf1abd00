import { hashMessage, hexToBytes, keccak256, serializeSignature, serializeTransaction, toHex, type TransactionSerializable } from 'viem';
import type { Hex } from '../messages/operation.ts';
import { completeSignature, type BareSignature } from './completeSignature.ts';
import type { Signer, UnsignedTransaction } from './signer.ts';

/** What is signed: some services do not sign a digest, and take the transaction or the text. */
export type Signable = { digest: Uint8Array } & ({ transaction: UnsignedTransaction } | { text: string });

/** Signs with one key: this process, or a service that keeps the key to itself. */
interface KeyHolder {
  /** Lower case. */
  address: Hex;
  /** As `Signer.name`. */
  name: string;
  /**
   * The caller checks the signature.
   * @throws SignerFault; the reason of `signal`
   */
  sign(what: Signable, signal?: AbortSignal): Promise<BareSignature>;
}

/** Makes signed transactions and texts out of bare signatures, each checked against the address. */
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
  /** The same as transactions of the type before EIP-1559 count it; the chain's id is added as they are written. */
  v: 27n | 28n;
}

/** A transaction as viem names its fields. */
function toFields({ chainId, nonce, to, data, value = 0n, gasLimit, maxFeeWei, priorityFeeWei, legacy }: UnsignedTransaction): TransactionSerializable {
  const fields = { chainId: Number(chainId), nonce, to, data, value, gas: gasLimit };
  return legacy ? { ...fields, type: 'legacy', gasPrice: maxFeeWei } : { ...fields, type: 'eip1559', maxFeePerGas: maxFeeWei, maxPriorityFeePerGas: priorityFeeWei };
}
