import type { SignedTransaction, Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import type { Clock } from '@vouch/platform/process/doors';
import type { Payload } from '../calls/arrangeCalls.ts';
import type { Fees } from '@vouch/chain/fees/fees';

export interface LaneTransaction {
  nonce: number;
  payload: Payload;
  gasLimit: bigint;
  fees: Fees;
}

/** The signer of a lane, which does not ask a service again for a while after a failure. */
export interface LaneSigner {
  /** Why the last try failed, while the next one is not due; null where a signature may be asked for. */
  resting(): SignerFault | null;
  /** @throws SignerFault; the reason of `signal` */
  sign(transaction: LaneTransaction, signal?: AbortSignal): Promise<SignedTransaction>;
}

/** After a failure a signer rests this long, doubled with every further failure. */
const restMsFirst = 1_000;
const maxRestMs = 60_000;

/** Signs what a lane sends on one chain. */
export function createLaneSigner(signer: Signer, chainId: bigint, clock: Clock): LaneSigner {
  let failures = 0;
  let restsUntil = 0;
  let last: SignerFault | null = null;
  return {
    resting: () => (clock.now() < restsUntil ? last : null),
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
          restsUntil = clock.now() + Math.min(maxRestMs, restMsFirst * 2 ** failures);
          failures += 1;
          last = error;
        }
        throw error;
      }
    },
  };
}
