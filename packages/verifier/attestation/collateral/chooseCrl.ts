import { isSignedBy, type Certificate, type Crl } from '../certificates/certificate.ts';
import { crlAddress } from './addresses.ts';
import type { Collateral, Held } from './collateral.ts';

/** Reason why a part of the collateral cannot be used. The node then raises an alarm and does not vote. */
interface CollateralFault {
  reason: 'collateral-missing' | 'collateral-stale' | 'collateral-forged' | 'collateral-unreadable';
  sentence: string;
  /** Names of the files that were considered. */
  files: readonly string[];
}

export type Chosen<Item> = { found: Item } | { fault: CollateralFault };

/** Chooses the newest revocation list that the issuer signed and that is valid at the date. */
export function chooseCrl({ crls, faults }: Collateral, issuer: Certificate, date: Date): Chosen<Held<Crl>> {
  const what = `revocation list of “${issuer.commonName}”`;
  const candidates = crls.filter((crl) => crl.issuer === issuer.subject);
  const address = crlAddress(issuer.commonName);
  if (candidates.length === 0) return { fault: missing(what, address, faults) };
  const authentic = issuer.maySignCrls ? candidates.filter((crl) => isSignedBy(crl.signed, issuer)) : [];
  return chooseCurrent({ what, address }, candidates, authentic, ({ thisUpdate, nextUpdate }) => [thisUpdate, nextUpdate], date);
}

/**
 * Chooses the newest item that is valid at the date.
 * @param candidates the items that match by name, for error messages
 * @param authentic the candidates with a valid signature
 * @param validity returns the validity interval of an item, in milliseconds since 1970
 */
export function chooseCurrent<Item extends { file: string }>(
  { what, address }: { what: string; address: string },
  candidates: readonly Item[],
  authentic: readonly Item[],
  validity: (item: Item) => readonly [from: number, to: number],
  date: Date,
): Chosen<Item> {
  const files = candidates.map(({ file }) => file);
  if (authentic.length === 0) {
    return { fault: { reason: 'collateral-forged', files, sentence: `The ${what} (${files.join(', ')}) does not have a valid signature of its issuer: fetch it again from ${address}.` } };
  }
  const now = date.getTime();
  const newestFirst = [...authentic].sort((left, right) => validity(right)[0] - validity(left)[0]);
  const found = newestFirst.find((item) => validity(item)[0] <= now && now <= validity(item)[1]);
  if (found !== undefined) return { found };
  const [from, to] = validity(newestFirst[0] as Item).map((time) => new Date(time).toISOString());
  return { fault: { reason: 'collateral-stale', files, sentence: `The ${what} (${files.join(', ')}) is valid from ${from} to ${to}, not at ${date.toISOString()}: fetch a newer version from ${address}.` } };
}

export function missing(what: string, address: string, faults: Collateral['faults']): CollateralFault {
  if (faults.length === 0) return { reason: 'collateral-missing', files: [], sentence: `The ${what} is missing from the collateral: fetch it from ${address}.` };
  const files = faults.map(({ file }) => file);
  return { reason: 'collateral-unreadable', files, sentence: `The collateral has no readable ${what}; ${faults[0]?.sentence}` };
}
