import { intelTrustRoot } from '../attestation/certificates/trustRoot.ts';
import { CollateralFolderFault, readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { parseCollateral } from '../attestation/collateral/parseCollateral.ts';
import type { Outcome } from '../attestation/outcome.ts';
import { verifyAttestation, type Judgement } from '../attestation/verifyAttestation.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { VerificationInputsStore } from '../state/verificationInputsStore.ts';
import { InfoFiles } from '../state/infoFiles.ts';
import type { KeptAttestation } from '../state/nodeState.ts';

/** The result of judging a stored attestation again. */
export interface Explained {
  info: string;
  judgement: Judgement;
  outcome: Outcome;
  /** Whether it was judged by what the node used then, or by what is configured now. */
  by: 'then' | 'now';
  /** Whether the node's own verdict and reason are found again; null where it gave none. */
  agrees: boolean | null;
  intelsRoot: boolean;
}

/**
 * Judges a stored attestation again, for the same date and with the same collateral, policy and trust root. When these are not
 * stored, the current ones are used.
 * @returns null where the text of the attestation is not kept
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

/** An empty folder where it cannot be read: then the outcome says what is missing. */
function collateralOf(path: string): Promise<Judgement['collateral']> {
  return readCollateralFolder(path).catch((error: unknown) => {
    if (!(error instanceof CollateralFolderFault)) throw error;
    return parseCollateral([]);
  });
}
