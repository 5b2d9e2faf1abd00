import { getAddress } from 'viem/utils';
import type { Hex } from '@vouch/chain/messages/operation';
import { digestOf } from '@vouch/chain/messages/digest';
import type { Recovery } from '@vouch/chain/messages/recovery';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import { messagePaths, prefixes } from '../wire/paths.ts';
import type { SignedMessage } from '../wire/parseMessage.ts';
import type { LikelyDomain } from './likelyDomains.ts';

/** Half of the group order of secp256k1: the largest canonical s (EIP-2). */
const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/**
 * Recoveries in one turn of the event loop. A burst of hundreds of messages delays other answers by 2 ms with the native library
 * (0.13 ms per recovery) and by 7 ms with WebAssembly (0.45 ms).
 */
const recoveriesAtOnce = 16;
/** Maximum number of waiting signatures: 1.3 s of work at 0.13 ms each. */
const maxWaiting = 10_000;

/** The EIP-712 domain of one deployment. */
export interface SigningDomain {
  /** Name of the deployment. */
  name: string;
  /** Path prefix of the deployment's message routes. */
  prefix: string;
  /** Domain hash. */
  hash: Uint8Array;
  /** Domain name, version and chain id, for error messages. */
  text: string;
}

interface Waiting {
  digest: Uint8Array;
  message: SignedMessage;
  accept(): void;
  refuse(error: unknown): void;
}

/** Verifies signatures in this process, at most `recoveriesAtOnce` per turn of the event loop. */
export class SignatureChecker {
  readonly #recovery: Recovery;
  /** Printed in the error for a wrong signer, so that the operator can compare domains; contains no secret. */
  readonly #domain: string;
  readonly #others: readonly SigningDomain[];
  readonly #likely: readonly LikelyDomain[];
  #waiting: Waiting[] = [];
  #running = false;

  /**
   * @param domain printable domain of this deployment
   * @param others domains of the gateway's other deployments
   * @param likely domains that clients sign for by mistake, for error messages
   */
  constructor(recovery: Recovery, domain: string, others: readonly SigningDomain[] = [], likely: readonly LikelyDomain[] = []) {
    this.#recovery = recovery;
    this.#domain = domain;
    this.#others = others;
    this.#likely = likely;
  }

  /** Name of the recovery implementation, native or WebAssembly. */
  get name(): Recovery['name'] {
    return this.#recovery.name;
  }

  /**
   * Resolves if the named signer signed the message.
   * @param digest EIP-712 digest of the message, 32 bytes
   * @throws Problem `signature-invalid`, `signer-mismatch`, `wrong-deployment`, `gateway-overloaded`
   */
  check(digest: Uint8Array, message: SignedMessage): Promise<void> {
    if (this.#waiting.length >= maxWaiting) {
      throw gatewayErrors.problem('gateway-overloaded', `${maxWaiting} signatures wait to be checked. Send the message again in a few seconds.`, {
        headers: { 'retry-after': '2' },
      });
    }
    return new Promise((accept, refuse) => {
      this.#waiting.push({ digest, message, accept, refuse });
      if (this.#running) return;
      this.#running = true;
      setImmediate(() => this.#run());
    });
  }

  #run(): void {
    // A mismatching signature costs one more recovery for each other deployment. Likely domains are tried only when no signature waits.
    for (let recoveries = 0; recoveries < recoveriesAtOnce; recoveries += 1) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      try {
        this.#judge(next.digest, next.message);
        next.accept();
      } catch (error) {
        recoveries += this.#others.length;
        next.refuse(error);
      }
    }
    this.#running = this.#waiting.length > 0;
    if (this.#running) setImmediate(() => this.#run());
  }

  #judge(digest: Uint8Array, message: SignedMessage): void {
    const { signature, signer } = message;
    const recovered: Hex | null = this.#recovery.recover(digest, signature);
    if (recovered === signer) return;
    if (recovered === null) throw gatewayErrors.problem('signature-invalid', describeInvalid(signature.s));
    const meant = this.#others.filter(({ hash }) => this.#recovery.recover(digestOf(message.operation, hash), signature) === signer);
    if (meant.length > 0) throw gatewayErrors.problem('wrong-deployment', this.#describeMeant(meant, message));
    const mistake = this.#findMistake(message);
    if (mistake !== null) {
      throw gatewayErrors.problem('signer-mismatch',
        `The signature is of the signer ${getAddress(signer)}, but for another domain: ${mistake.difference}. Sign the message again for the domain ${this.#domain}, whose type is EIP712Domain(string name,string version,uint256 chainId).`);
    }
    throw gatewayErrors.problem('signer-mismatch',
      `The signature over these fields is of ${getAddress(recovered)}, not of the signer ${getAddress(signer)}. Sign exactly the fields that you send, for the domain ${this.#domain}, with the key of the signer.`);
  }

  /** Finds the likely domain for which the signer signed. Only an idle gateway tries, so that wrong signatures do not delay right ones. */
  #findMistake({ operation, signer, signature }: SignedMessage): LikelyDomain | null {
    if (this.#waiting.length > 0) return null;
    return this.#likely.find(({ hash }) => this.#recovery.recover(digestOf(operation, hash), signature) === signer) ?? null;
  }

  #describeMeant(meant: readonly SigningDomain[], { operation }: SignedMessage): string {
    const path = `${prefixes[0]}${messagePaths[operation.kind]}`;
    const places = meant.map(({ name, prefix }) => `${prefix}${path} (deployment ${name})`).join(' or ');
    return `The message is signed for ${meant[0]?.text}, but this URL accepts messages for ${this.#domain}. Send the same message to ${places}.`;
  }
}

function describeInvalid(s: Hex): string {
  return s.slice(2) > halfOrder
    ? 's is in the upper half of its range; the contract accepts only the lower half, so that a message has only one valid signature. Sign with a library that makes canonical (low-s) signatures.'
    : 'No Ethereum address can be recovered from r, s and v. Sign the typed data again and send the three values that the library returns.';
}
