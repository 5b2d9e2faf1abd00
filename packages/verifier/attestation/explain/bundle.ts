import { intelTrustRoot, type TrustRoot } from '../certificates/trustRoot.ts';
import { JsonFields, UnreadableDocument } from '../collateral/jsonFields.ts';
import type { Outcome } from '../outcome.ts';
import { verifyAttestation, type Judgement } from '../verifyAttestation.ts';
import { decodeInputs, encodeInputs } from './verificationInputs.ts';

const format = 'vouch-attestation';
const version = 1;

/** Maximum size of a bundle: 64 Mi bytes. verifyBundle rejects a larger bundle before parsing. */
export const maxBundleBytes = 64 * 1024 * 1024;

/** Thrown if a bundle cannot be used. The message is a complete sentence with the reason. */
export class BundleFault extends Error {
  override readonly name = 'BundleFault';
}

/** Result of verifying a bundle: the new outcome next to the outcome that the bundle claims. */
interface Reverification {
  outcome: Outcome;
  /** Outcome recorded in the bundle by the node that wrote the bundle. */
  claimed: { kind: string; reason: string };
  /** True if the new outcome has the same kind and reason as the claimed outcome. */
  agrees: boolean;
  trustRoot: TrustRoot;
  /** False if the bundle uses a trust root other than Intel's, as test chains do; the outcome then proves nothing about Intel. */
  intelsRoot: boolean;
}

/**
 * Writes an attestation bundle: the attestation, the date, and every input of its outcome, so that anyone can verify the outcome
 * offline. The bundle contains only the collateral files that the outcome relied on.
 * @returns JSON text
 */
export function writeBundle(info: string, { collateral, policy, trustRoot, date }: Judgement, outcome: Outcome): string {
  const relied = new Set(outcome.collateralFiles);
  const files = collateral.files.filter(({ name }) => relied.has(name));
  return `${JSON.stringify({
    format, version, attestation_id: outcome.attestationId, info, date: date.toISOString(),
    ...encodeInputs({ trustRoot, policy }, files), outcome: { kind: outcome.kind, result: outcome.result, reason: outcome.reason, sentence: outcome.sentence },
  }, null, 2)}\n`;
}

/**
 * Verifies the attestation in a bundle again, using only the contents of the bundle.
 * @param text JSON text from writeBundle
 * @throws BundleFault if the text is not a readable bundle
 * @example
 * const { agrees, intelsRoot } = verifyBundle(await readFile('attestation.json', 'utf8'));
 */
export function verifyBundle(text: string): Reverification {
  const { info, judgement, claimed } = parseBundle(text);
  const outcome = verifyAttestation(info, judgement);
  return {
    outcome, claimed, agrees: outcome.kind === claimed.kind && outcome.reason === claimed.reason,
    trustRoot: judgement.trustRoot, intelsRoot: judgement.trustRoot.fingerprint === intelTrustRoot.fingerprint,
  };
}

/** Parses a bundle. @throws BundleFault */
function parseBundle(text: string): { info: string; judgement: Judgement; claimed: { kind: string; reason: string } } {
  if (text.length > maxBundleBytes) throw new BundleFault(`The bundle has ${text.length} characters, more than ${maxBundleBytes}.`);
  try {
    return decodeFields(new JsonFields(JSON.parse(text), 'the bundle'));
  } catch (error) {
    if (error instanceof UnreadableDocument) throw new BundleFault(`The bundle cannot be read: ${error.message}.`);
    if (error instanceof SyntaxError) throw new BundleFault('The bundle is not JSON.');
    throw error;
  }
}

function decodeFields(bundle: JsonFields): { info: string; judgement: Judgement; claimed: { kind: string; reason: string } } {
  if (bundle.value('format') !== format || bundle.value('version') !== version) {
    throw new UnreadableDocument(`its format is ${JSON.stringify(bundle.value('format'))}, version ${JSON.stringify(bundle.value('version'))}, not ${format}, version ${version}`);
  }
  const info = bundle.text('info');
  const outcome = new JsonFields(bundle.value('outcome'), 'the outcome');
  return {
    info,
    judgement: { ...decodeInputs(bundle), date: new Date(bundle.date('date')) },
    claimed: { kind: outcome.text('kind'), reason: outcome.text('reason') },
  };
}
