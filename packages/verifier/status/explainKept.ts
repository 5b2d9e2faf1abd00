import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { CollateralFolderFault, readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { parseCollateral } from '../attestation/collateral/parseCollateral.ts';
import type { Outcome } from '../attestation/outcome.ts';
import { verifyAttestation, type Judgement } from '../attestation/verifyAttestation.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { VerificationInputsStore } from '../state/verificationInputsStore.ts';
import { InfoFiles } from '../state/infoFiles.ts';
import type { KeptAttestation } from '../state/nodeState.ts';

/** Result of verifying a stored attestation again. */
export interface Explained {
  info: string;
  judgement: Judgement;
  outcome: Outcome;
  /** `then`: verified with the inputs that the node used; `now`: with the current configuration. */
  by: 'then' | 'now';
  /** Whether the node's own verdict and reason were reproduced; null if the node gave none. */
  agrees: boolean | null;
  intelsRoot: boolean;
}

/**
 * Verifies a stored attestation again for the same date with the same collateral, policy and trust root. If these inputs are not stored,
 * the current ones are used.
 * @returns null if the text of the attestation is not stored
 */
export async function explainKept(folder: string, kept: KeptAttestation, { attestation }: NodeConfiguration, now: number): Promise<Explained | null> {
  const info = await new InfoFiles(folder).read(kept.attestationId);
  if (info === null) return null;
  const inputs = kept.basis === null ? null : await new VerificationInputsStore(folder).read(kept.basis);
  const judgement: Judgement = inputs !== null && kept.judgedAt !== null
    ? { ...inputs, date: new Date(kept.judgedAt) }
    : { collateral: await collateralOf(attestation.collateralPath), policy: attestation.policy, trustRoot: attestation.trustRoot, date: new Date(now) };
  // The id is the hash of the text's bytes, which may not be valid UTF-8.
  const outcome = { ...verifyAttestation(info, judgement), attestationId: kept.attestationId };
  return {
    info, judgement, outcome, by: inputs === null ? 'now' : 'then',
    agrees: kept.reason === null ? null : outcome.result === kept.verdict && outcome.reason === kept.reason,
    intelsRoot: judgement.trustRoot.fingerprint === intelTrustRoot.fingerprint,
  };
}

/** Reads the collateral; an unreadable folder counts as empty, so that the outcome says what is missing. */
function collateralOf(path: string): Promise<Judgement['collateral']> {
  return readCollateralFolder(path).catch((error: unknown) => {
    if (!(error instanceof CollateralFolderFault)) throw error;
    return parseCollateral([]);
  });
}
