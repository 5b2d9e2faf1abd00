import type { SignedTransaction, Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Payload } from '../calls/arrangeCalls.ts';
import type { Fees } from '@vouch/chain/fees/fees';

/** An unsigned transaction of a lane. */
export interface LaneTransaction {
  nonce: number;
  payload: Payload;
  gasLimit: bigint;
  fees: Fees;
}

/** A lane's signer, which pauses after a failure instead of calling the signing service again. */
export interface LaneSigner {
  /** The error of the last attempt while the pause lasts; null if `sign` may be called. */
  resting(): SignerFault | null;
  /**
   * Signs a transaction.
   * @throws SignerFault; the reason of `signal`
   */
  sign(transaction: LaneTransaction, signal?: AbortSignal): Promise<SignedTransaction>;
}

/** Pause in ms after the first failure; each further failure doubles the pause up to `maxRestMs`. */
const restMsFirst = 1_000;
const maxRestMs = 60_000;

/** Creates the signer of a lane on one chain. */
export function createLaneSigner(signer: Signer, chainId: bigint, { elapsedMs }: Pick<SystemInterfaces, 'elapsedMs'>): LaneSigner {
  let failures = 0;
  let restsUntil = -Infinity;
  let last: SignerFault | null = null;
  return {
    resting: () => (elapsedMs() < restsUntil ? last : null),
    async sign({ nonce, payload, gasLimit, fees }, signal) {
      try {
        const signed = await signer.signTransaction({
          chainId, nonce, to: payload.to, data: payload.calldata, gasLimit, ...fees,
        }, signal);
        failures = 0;
        last = null;
        return signed;
      } catch (error) {
        if (error instanceof SignerFault) {
          restsUntil = elapsedMs() + Math.min(maxRestMs, restMsFirst * 2 ** failures);
          failures += 1;
          last = error;
        }
        throw error;
      }
    },
  };
}
