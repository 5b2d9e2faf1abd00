import { resolve } from 'node:path';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { realDoors } from '@vouch/platform/process/doors';
import { verdictOf, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { formatTable } from '../terminal/table.ts';
import type { Configuration } from '../wiring/configuration.ts';
import { authorityFolder, findLocalChain } from './openLocalChain.ts';
import { postAttestations, untilVoted } from './postAttestations.ts';

const kindsByName: Readonly<Record<string, TestAttestation>> = { good: 'good', unreadable: 'not a quote', debugged: 'debugged', forged: 'forged' };
const votes = ['valid', 'invalid', 'malicious'] as const;
/** What one transaction of a block can hold. */
const attestationsMax = 20;

/**
 * Reports attestations on the local chain of the data folder and prints how its nodes vote.
 * @param names of kinds, as a person gives them
 * @throws Error where a name is not known, or no local chain runs
 */
export async function attestOnLocalChain({ data }: Pick<Configuration, 'data'>, names: readonly string[], print: (text: string) => void): Promise<void> {
  const kinds = names.map(readKind);
  if (kinds.length > attestationsMax) throw new Error(`${kinds.length} attestations are more than the ${attestationsMax} that go at once; call it again for the others.`);
  const facts = await findLocalChain({ data });
  if (facts === null) throw new Error(`No local chain of ${resolve(data)} runs. vouch devnet runs it, as does vouch serve --devnet.`);
  const rpc = createRpcClient({ urls: [facts.rpcUrl] }, realDoors);
  try {
    const posted = await postAttestations(rpc, facts, authorityFolder(resolve(data)), kinds, realDoors);
    const chosen = posted[0]?.chosen.length ?? 0;
    if (chosen === 0) return print('Reported; no node has entered, so none is chosen for it. Start one with the verifier.yaml of the data folder.');
    print(`Reported; ${chosen === 1 ? '1 node is' : `${chosen} nodes are`} chosen. Waiting for the votes …`);
    const counted = await untilVoted(rpc, facts.contracts, posted, realDoors);
    print(formatTable('', ['attestation', 'kind', 'deserves', ...votes, 'no vote'], posted.map(({ id, kind }, place) => {
      const of = votes.map((vote) => counted[place]?.[vote] ?? 0);
      return [id, kind, votes[verdictOf[kind]] ?? '', ...of, chosen - of.reduce((sum, count) => sum + count, 0)];
    })));
  } finally {
    await rpc.close();
  }
}

function readKind(name: string): TestAttestation {
  const kind = kindsByName[name];
  if (kind === undefined) throw new Error(`${JSON.stringify(name)} is no kind of attestation: there are ${Object.keys(kindsByName).join(', ')}.`);
  return kind;
}
