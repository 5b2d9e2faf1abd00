import { chainTime, fetchVotes, reportAttestations, type Votes } from '@vouch/chain/contracts/devnetActions';
import type { DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { keepTestPki, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';

/** An attestation on the local chain to which nodes have been assigned. */
export interface PostedAttestation {
  id: Hex;
  kind: TestAttestation;
  /** Ethereum addresses of the assigned nodes, in lower case. */
  chosen: readonly Hex[];
  /** End of the vote, in seconds of chain time; votes in this second still count. */
  deadline: bigint;
}

/**
 * Reports attestations on a local chain, as the attested TEE would, and assigns nodes to them.
 * @param authority folder of the local chain's certificate authority
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

/**
 * Waits until every assigned node has voted on each attestation, or until the deadline has passed.
 * @returns the votes, in the order of `posted`
 */
export async function untilVoted(
  rpc: RpcClient, contracts: DevnetFacts['contracts'], posted: readonly PostedAttestation[], { timers }: SystemInterfaces, signal?: AbortSignal,
): Promise<Votes[]> {
  for (;;) {
    const votes = await Promise.all(posted.map(({ id }) => fetchVotes(rpc, contracts, id)));
    const complete = posted.every(({ chosen }, place) => countOf(votes[place]) >= chosen.length);
    const now = await chainTime(rpc);
    if (complete || signal?.aborted === true || posted.every(({ deadline }) => now > deadline)) return votes;
    await timers.sleep(pollMs, signal);
  }
}

function countOf(votes: Votes | undefined): number {
  return votes === undefined ? 0 : votes.valid + votes.invalid + votes.malicious;
}
