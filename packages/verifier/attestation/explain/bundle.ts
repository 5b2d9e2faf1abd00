import { intelTrustRoot, parseTrustRoot, type TrustRoot } from '../certificates/trustRoot.ts';
import { parseCollateral } from '../collateral/parseCollateral.ts';
import { JsonFields, UnreadableDocument } from '../collateral/jsonFields.ts';
import { maxCollateralFileBytes, maxCollateralFiles } from '../collateral/readCollateralFolder.ts';
import type { Outcome } from '../outcome.ts';
import { readAllowList, readTcbPolicy, writePolicy } from '../policy/readPolicy.ts';
import { verifyAttestation, type Judgement } from '../verifyAttestation.ts';

const format = 'vouch-attestation';
const version = 1;

/** Bundles beyond this are refused unread. */
export const maxBundleBytes = 64 * 1024 * 1024;

/** Why a bundle could not be used. The message is a sentence. */
export class BundleFault extends Error {
  override readonly name = 'BundleFault';
}

/** What a bundle leads to elsewhere. */
export interface Reverification {
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
  const files = collateral.files.filter(({ name }) => relied.has(name)).map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') }));
  return `${JSON.stringify({
    format, version, attestation_id: outcome.attestationId, info, date: date.toISOString(), trust_root: trustRoot.fingerprint,
    policy: writePolicy(policy), collateral: files, outcome: { kind: outcome.kind, result: outcome.result, reason: outcome.reason, sentence: outcome.sentence },
  }, null, 2)}\n`;
}

/**
 * Judges the attestation of a bundle again, by nothing but the bundle.
 * @throws BundleFault where the text is no bundle
 */
export function verifyBundle(text: string): Reverification {
  const { info, judgement, claimed } = readBundle(text);
  const outcome = verifyAttestation(info, judgement);
  return {
    outcome, claimed, agrees: outcome.kind === claimed.kind && outcome.reason === claimed.reason,
    trustRoot: judgement.trustRoot, intelsRoot: judgement.trustRoot.fingerprint === intelTrustRoot.fingerprint,
  };
}

/** The parts of a bundle. @throws BundleFault */
export function readBundle(text: string): { info: string; judgement: Judgement; claimed: { kind: string; reason: string } } {
  if (text.length > maxBundleBytes) throw new BundleFault(`The bundle has ${text.length} characters, more than ${maxBundleBytes}.`);
  try {
    return readFields(new JsonFields(JSON.parse(text), 'the bundle'));
  } catch (error) {
    if (error instanceof UnreadableDocument) throw new BundleFault(`The bundle cannot be read: ${error.message}.`);
    if (error instanceof SyntaxError) throw new BundleFault('The bundle is not JSON.');
    throw error;
  }
}

function readFields(bundle: JsonFields): { info: string; judgement: Judgement; claimed: { kind: string; reason: string } } {
  if (bundle.value('format') !== format || bundle.value('version') !== version) {
    throw new UnreadableDocument(`its format is ${JSON.stringify(bundle.value('format'))}, version ${JSON.stringify(bundle.value('version'))}, not ${format}, version ${version}`);
  }
  const info = bundle.text('info');
  const trustRoot = parseTrustRoot(bundle.text('trust_root'));
  if (trustRoot === null) throw new UnreadableDocument('its trust_root is not the SHA-256 of a certificate');
  const policy = new JsonFields(bundle.value('policy'), 'the policy');
  const [statuses, allowList] = [readTcbPolicy(policy.value('tcb_policy')), readAllowList(policy.value('allow_list'))];
  if ('fault' in statuses) throw new UnreadableDocument(`its tcb_policy ${statuses.fault}`);
  if ('fault' in allowList) throw new UnreadableDocument(`its allow_list ${allowList.fault}`);
  const files = bundle.list('collateral', maxCollateralFiles).map((entry) => {
    const file = new JsonFields(entry, 'a file of the collateral');
    const bytes = Buffer.from(file.text('base64'), 'base64');
    if (bytes.length > maxCollateralFileBytes) throw new UnreadableDocument(`its file ${file.text('name').slice(0, 80)} has ${bytes.length} bytes, more than ${maxCollateralFileBytes}`);
    return { name: file.text('name'), bytes };
  });
  const outcome = new JsonFields(bundle.value('outcome'), 'the outcome');
  return {
    info,
    judgement: { collateral: parseCollateral(files), policy: { acceptedStatuses: statuses.value, allowList: allowList.value }, trustRoot, date: new Date(bundle.date('date')) },
    claimed: { kind: outcome.text('kind'), reason: outcome.text('reason') },
  };
}
