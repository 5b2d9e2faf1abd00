import { createHash } from 'node:crypto';
import { parseTrustRoot } from '../certificates/trustRoot.ts';
import type { CollateralFile } from '../collateral/collateral.ts';
import { JsonFields, UnreadableDocument } from '../collateral/jsonFields.ts';
import { parseCollateral } from '../collateral/parseCollateral.ts';
import { maxCollateralFileBytes, maxCollateralFiles } from '../collateral/readCollateralFolder.ts';
import { parseAllowList, parseTcbPolicy, writePolicy } from '../policy/parsePolicy.ts';
import type { Judgement } from '../verifyAttestation.ts';

/** Everything that a verdict depends on besides the attestation and the date: collateral, policy and trust root. */
export type VerificationInputs = Omit<Judgement, 'date'>;

/** Encodes the inputs as a JSON-compatible object. @param files the collateral files to include; they may be a subset of all files */
export function encodeInputs({ trustRoot, policy }: Pick<VerificationInputs, 'trustRoot' | 'policy'>, files: readonly CollateralFile[]): object {
  return {
    trust_root: trustRoot.fingerprint, policy: writePolicy(policy),
    collateral: files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') })),
  };
}

/** Decodes the object from encodeInputs. @throws UnreadableDocument whose message is the end of a sentence */
export function decodeInputs(fields: JsonFields): VerificationInputs {
  const trustRoot = parseTrustRoot(fields.text('trust_root'));
  if (trustRoot === null) throw new UnreadableDocument('its trust_root is not the SHA-256 of a certificate');
  const policy = new JsonFields(fields.value('policy'), 'the policy');
  const [statuses, allowList] = [parseTcbPolicy(policy.value('tcb_policy')), parseAllowList(policy.value('allow_list'))];
  if ('fault' in statuses) throw new UnreadableDocument(`its tcb_policy ${statuses.fault}`);
  if ('fault' in allowList) throw new UnreadableDocument(`its allow_list ${allowList.fault}`);
  const files = fields.list('collateral', maxCollateralFiles).map((entry) => {
    const file = new JsonFields(entry, 'a file of the collateral');
    const bytes = Buffer.from(file.text('base64'), 'base64');
    if (bytes.length > maxCollateralFileBytes) throw new UnreadableDocument(`its file ${file.text('name').slice(0, 80)} has ${bytes.length} bytes, more than ${maxCollateralFileBytes}`);
    return { name: file.text('name'), bytes };
  });
  return { collateral: parseCollateral(files), policy: { acceptedStatuses: statuses.value, allowList: allowList.value }, trustRoot };
}

/** @returns SHA-256 of the inputs, 64 hex digits: equal files, policy and trust root give the same id */
export function inputsId({ collateral, policy, trustRoot }: VerificationInputs): string {
  const hash = createHash('sha256').update(JSON.stringify([trustRoot.fingerprint, writePolicy(policy)]));
  for (const { name, bytes } of collateral.files) hash.update(JSON.stringify([name, bytes.length])).update(bytes);
  return hash.digest('hex');
}
