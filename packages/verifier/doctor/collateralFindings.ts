import { CollateralFolderFault } from '../attestation/collateral/readCollateralFolder.ts';
import { checkCollateral, type CollateralItem, type CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { found, ok, type Cause, type NodeFinding } from './findings.ts';

/** Collateral that expires within this time should be renewed. Intel's revocation lists are valid for 30 days. */
const endsSoonMs = 3 * 86_400_000;

const codes: Readonly<Record<Exclude<CollateralItem['state'], 'good'>, Cause>> = {
  missing: 'collateral-missing', stale: 'collateral-stale', forged: 'collateral-forged', unreadable: 'collateral-unreadable',
};
const remedies = {
  missing: 'Run verifier collateral update, or put the named files into attestation.collateral_path. Without them, the node does not vote.',
  stale: 'Run verifier collateral update, or fetch the named files again. Until then, the node does not vote.',
  forged: 'Fetch the named files again (verifier collateral update), and find out who changed them; or correct attestation.trust_root if it is not the root of these files.',
  unreadable: 'Remove the file from attestation.collateral_path, or fetch it again.',
} as const;

/** Checks whether the collateral allows votes, and for how long. Returns one finding per kind of fault. */
export async function examineCollateral({ collateralPath, trustRoot }: NodeConfiguration['attestation'], date: Date): Promise<NodeFinding[]> {
  try {
    return judgeCollateral(await checkCollateral(collateralPath, date, trustRoot), date);
  } catch (error) {
    if (!(error instanceof CollateralFolderFault)) throw error;
    return [found('collateral', 'collateral-missing', error.message, remedies.missing)];
  }
}

function judgeCollateral({ items, validUntil, platforms }: CollateralReport, date: Date): NodeFinding[] {
  const wrong = (['missing', 'stale', 'forged', 'unreadable'] as const).flatMap((state) => {
    const sentences = items.filter((item) => item.state === state).map(({ sentence }) => sentence);
    return sentences.length === 0 ? [] : [found('collateral', codes[state], sentences.join(' '), remedies[state])];
  });
  if (wrong.length > 0) return wrong;
  if (endsSoon(validUntil, date)) {
    const first = items.filter((item) => item.validUntil === validUntil).map(({ what }) => what).join(', ');
    return [found('collateral', 'collateral-ends-soon', `the ${first} expires first, at ${validUntil}`, 'Run verifier collateral update, or set attestation.collateral_url, so that a running node fetches collateral itself. Without collateral, the node does not vote.')];
  }
  return [ok('collateral', `complete until ${validUntil}, for the platforms ${platforms.join(', ')}`)];
}

export function endsSoon(validUntil: string | null, date: Date): boolean {
  return validUntil !== null && Date.parse(validUntil) - date.getTime() < endsSoonMs;
}
