import type { Hex } from '@vouch/chain/messages/operation';

/**
 * Assigns each key on a chain to one deployment. A key has one nonce sequence per chain, so two deployments would use each
 * other's nonces.
 */
export class KeyOwners {
  readonly #owners = new Map<string, string>();

  /** @returns false if another deployment already has the key on this chain */
  take(chainId: bigint, relayer: Hex, deployment: string): boolean {
    const key = `${chainId}:${relayer}`;
    const owner = this.#owners.get(key) ?? deployment;
    this.#owners.set(key, owner);
    return owner === deployment;
  }
}
