import { resolve } from 'node:path';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { verdictOf, type TestAttestation } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { CommandFault } from '../terminal/commandFault.ts';
import { formatTable } from '../terminal/table.ts';
import type { Configuration } from '../wiring/configuration.ts';
import { authorityFolder, findLocalChain } from './openLocalChain.ts';
import { postAttestations, untilVoted } from './postAttestations.ts';

const kindsByName: Readonly<Record<string, TestAttestation>> = { good: 'good', unreadable: 'not a quote', debugged: 'debugged', forged: 'forged' };
const votes = ['valid', 'invalid', 'malicious'] as const;
/** Most attestations that fit into the gas limit of one block. */
const maxAttestations = 20;

/**
 * Reports attestations on the local chain of the data folder and prints how the nodes vote.
 * @param names kinds of attestations, as typed by the user
 * @throws CommandFault for an unknown kind or too many names; Error if no local chain runs
 */
export async function attestOnLocalChain({ data }: Pick<Configuration, 'data'>, names: readonly string[], print: (text: string) => void): Promise<void> {
  const kinds = names.map(parseKind);
  if (kinds.length > maxAttestations) throw new CommandFault(exitCodes.usage, `${kinds.length} attestations exceed the limit of ${maxAttestations} per call. Run the command several times.`);
  const facts = await findLocalChain({ data });
  if (facts === null) throw new Error(`The local chain of ${resolve(data)} does not run. Start it with vouch devnet or vouch serve --devnet.`);
  const rpc = createRpcClient({ urls: [facts.rpcUrl] }, systemInterfaces);
  try {
    const posted = await postAttestations(rpc, facts, authorityFolder(resolve(data)), kinds, systemInterfaces);
    const chosen = posted[0]?.chosen.length ?? 0;
    if (chosen === 0) return print('Reported. The active set is empty, so no node is chosen. Start a node with verifier.yaml from the data folder.');
    print(`Reported; ${chosen === 1 ? '1 node is' : `${chosen} nodes are`} chosen. Waiting for the votes …`);
    const counted = await untilVoted(rpc, facts.contracts, posted, systemInterfaces);
    print(formatTable('', ['attestation', 'kind', 'deserves', ...votes, 'no vote'], posted.map(({ id, kind }, place) => {
      const of = votes.map((vote) => counted[place]?.[vote] ?? 0);
      return [id, kind, votes[verdictOf[kind]] ?? '', ...of, chosen - of.reduce((sum, count) => sum + count, 0)];
    })));
  } finally {
    await rpc.close();
  }
}

function parseKind(name: string): TestAttestation {
  const kind = kindsByName[name];
  if (kind === undefined) throw new CommandFault(exitCodes.usage, `Unknown kind of attestation ${JSON.stringify(name)}. Available kinds: ${Object.keys(kindsByName).join(', ')}.`);
  return kind;
}
