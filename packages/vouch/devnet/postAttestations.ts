import { chainTime, readVotes, reportAttestations, type Votes } from '@vouch/chain/contracts/devnetActions';
import type { DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { keepTestPki, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';

/** An attestation on the local chain, for which nodes are chosen. */
export interface PostedAttestation {
  id: Hex;
  kind: TestAttestation;
  /** Lower case. */
  chosen: readonly Hex[];
  /** Last second of the chain's time in which votes count. */
  deadline: bigint;
}

/**
 * Reports attestations on a local chain as its TEE does, and has nodes chosen for them.
 * @param authority folder of the local chain's own authority
 */
export async function postAttestations(
  rpc: RpcClient, { contracts, owner }: Pick<DevnetFacts, 'contracts' | 'owner'>, authority: string, kinds: readonly TestAttestation[], { clock, random }: SystemInterfaces,
): Promise<PostedAttestation[]> {
  const { makeInfo } = await keepTestPki(authority, new Date(clock.now()));
  const infos = kinds.map((kind) => makeInfo(kind, random.bytes(32)));
  const { attestationIds, chosen, deadline } = await reportAttestations(rpc, contracts, infos, { key: owner.privateKey });
  return attestationIds.map((id, place) => ({ id, kind: kinds[place] as TestAttestation, chosen, deadline }));
}

const pollMs = 500;

/** Waits until every chosen node has voted on each, or the time for it is over. @returns the votes, in order */
export async function untilVoted(
  rpc: RpcClient, contracts: DevnetFacts['contracts'], posted: readonly PostedAttestation[], { timers }: SystemInterfaces, signal?: AbortSignal,
): Promise<Votes[]> {
  for (;;) {
    const votes = await Promise.all(posted.map(({ id }) => readVotes(rpc, contracts, id)));
    const complete = posted.every(({ chosen }, place) => countOf(votes[place]) >= chosen.length);
    const now = await chainTime(rpc);
    if (complete || signal?.aborted === true || posted.every(({ deadline }) => now > deadline)) return votes;
    await timers.sleep(pollMs, signal);
  }
}

function countOf(votes: Votes | undefined): number {
  return votes === undefined ? 0 : votes.valid + votes.invalid + votes.malicious;
}
