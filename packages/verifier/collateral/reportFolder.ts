import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import { checkCollateral, type CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import { CollateralFolderFault } from '../attestation/collateral/readCollateralFolder.ts';

/** Like checkCollateral, but reports an unreadable folder as a missing item instead of throwing. */
export async function reportFolder(folder: string, date: Date, trustRoot: TrustRoot): Promise<CollateralReport> {
  try {
    return await checkCollateral(folder, date, trustRoot);
  } catch (error) {
    if (!(error instanceof CollateralFolderFault)) throw error;
    return { complete: false, validUntil: null, platforms: [], items: [{ what: 'folder', state: 'missing', files: [], issued: null, validUntil: null, sentence: error.message }] };
  }
}
