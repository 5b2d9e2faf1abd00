import type { Hex } from '@vouch/chain/messages/operation';

/** Which deployment sends with a key on a chain: a key has one sequence of nonces there, so a second one would take the nonces of the first. */
export class KeyOwners {
  readonly #owners = new Map<string, string>();

  /** @returns false where another deployment has the key on this chain */
  take(chainId: bigint, relayer: Hex, deployment: string): boolean {
    const key = `${chainId}:${relayer}`;
    const owner = this.#owners.get(key) ?? deployment;
    this.#owners.set(key, owner);
    return owner === deployment;
  }
}
