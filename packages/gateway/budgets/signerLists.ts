import type { Connection } from '@vouch/platform/database/database';
import { Type, type Static } from 'typebox';
import { getAddress } from 'viem/utils';
import { loadSignerLists, type SignerList } from './budgetStore.ts';

const Entry = Type.Object({
  signer: Type.String(),
  note: Type.Union([Type.String(), Type.Null()]),
  changed_at: Type.String({ format: 'date-time' }),
});

/** The allow list and the deny list. */
export const SignerLists = Type.Object({
  allow: Type.Array(Entry, { description: 'If this list is not empty, the gateway serves only these signers.' }),
  deny: Type.Array(Entry, { description: 'The gateway rejects messages of these signers.' }),
}, { title: 'SignerLists', examples: [{ allow: [], deny: [{ signer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', note: 'toggles its claimer', changed_at: '2026-03-02T09:00:00.000Z' }] }] });
export type SignerLists = Static<typeof SignerLists>;

/** Reads both lists in the form of the HTTP API and the command line. */
export async function describeSignerLists(connection: Connection, service: string): Promise<SignerLists> {
  const listed = await loadSignerLists(connection, service);
  const of = (list: SignerList) => listed.filter((each) => each.list === list)
    .map(({ signer, note, changedAt }) => ({ signer: getAddress(signer), note, changed_at: changedAt.toISOString() }));
  return { allow: of('allow'), deny: of('deny') };
}
