import { intelTrustRoot, type TrustRoot } from '../certificates/trustRoot.ts';
import { JsonFields, UnreadableDocument } from '../collateral/jsonFields.ts';
import type { Outcome } from '../outcome.ts';
import { verifyAttestation, type Judgement } from '../verifyAttestation.ts';
import { decodeInputs, encodeInputs } from './verificationInputs.ts';

const format = 'vouch-attestation';
const version = 1;

/** Bundles beyond this are refused unread. */
export const maxBundleBytes = 64 * 1024 * 1024;

/** Why a bundle could not be used. The message is a sentence. */
export class BundleFault extends Error {
  override readonly name = 'BundleFault';
}

/** What a bundle leads to elsewhere. */
interface Reverification {
  outcome: Outcome;
  /** What its maker found. */
  claimed: { kind: string; reason: string };
  /** Whether kind and reason are found again. */
  agrees: boolean;
  trustRoot: TrustRoot;
  /** False where the bundle brought a root of its own, as test chains do: then it says nothing of Intel. */
  intelsRoot: boolean;
}

/** An attestation with all that its outcome rests on, as JSON text, to be judged again anywhere without a connection. */
export function writeBundle(info: string, { collateral, policy, trustRoot, date }: Judgement, outcome: Outcome): string {
  const relied = new Set(outcome.collateralFiles);
  const files = collateral.files.filter(({ name }) => relied.has(name));
  return `${JSON.stringify({
    format, version, attestation_id: outcome.attestationId, info, date: date.toISOString(),
    ...encodeInputs({ trustRoot, policy }, files), outcome: { kind: outcome.kind, result: outcome.result, reason: outcome.reason, sentence: outcome.sentence },
  }, null, 2)}\n`;
}

/**
 * Judges the attestation of a bundle again, by nothing but the bundle.
 * @throws BundleFault where the text is no bundle
 */
export function verifyBundle(text: string): Reverification {
  const { info, judgement, claimed } = parseBundle(text);
  const outcome = verifyAttestation(info, judgement);
  return {
    outcome, claimed, agrees: outcome.kind === claimed.kind && outcome.reason === claimed.reason,
    trustRoot: judgement.trustRoot, intelsRoot: judgement.trustRoot.fingerprint === intelTrustRoot.fingerprint,
  };
}

/** The parts of a bundle. @throws BundleFault */
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
