import type { Crl } from './certificates/certificate.ts';
import type { PlatformFacts } from './certificates/platformFacts.ts';
import type { PckChain } from './certificates/verifyChain.ts';
import { chooseCrl, type Chosen } from './collateral/chooseCrl.ts';
import { chooseQeIdentity, chooseTcbInfo, type ChosenDocument, type Judges } from './collateral/chooseDocument.ts';
import type { Collateral, Held } from './collateral/collateral.ts';
import { differenceFrom, matchQeLevel, type QeIdentity, type QeLevel } from './collateral/qeIdentity.ts';
import { matchTcbLevel, type TcbInfo, type TcbLevel } from './collateral/tcbInfo.ts';
import type { StepName } from './outcome.ts';
import type { AttestationPolicy } from './policy/policy.ts';
import { convergeStatus, type TcbStatus } from './policy/tcbStatus.ts';
import type { Quote } from './quote/quote.ts';
import type { Trail } from './trail.ts';

export interface Platform {
  quote: Quote;
  chain: PckChain;
  platform: PlatformFacts;
  collateral: Collateral;
  policy: AttestationPolicy;
  date: Date;
}

/**
 * Checks the platform of a quote against Intel's collateral. The signatures of the quote must already be verified.
 * @returns the sentence for a valid attestation
 * @throws Refusal if a check fails
 */
export function judgePlatform(examined: Platform, trail: Trail): string {
  const { chain, collateral, date } = examined;
  const rootCrl = take('crls', chooseCrl(collateral, chain.root, date), trail);
  trail.reliesOn([rootCrl.file]);
  const pckCrl = take('crls', chooseCrl(collateral, chain.authority, date), trail);
  trail.reliesOn([pckCrl.file]);
  trail.passed('crls', { root: describeCrl(rootCrl), platform: describeCrl(pckCrl) });
  refuseRevoked(examined, rootCrl, pckCrl, trail);
  const judges: Judges = { root: chain.root, rootCrl, date };
  const identity = takeDocument('qe-identity', chooseQeIdentity(collateral, judges), trail);
  const difference = differenceFrom(identity, examined.quote.qeReport);
  const quotingEnclave = describeQuotingEnclave(examined, identity);
  if (difference !== null) trail.refuse('quoting-enclave', 'qe-not-genuine', `The quoting enclave is not the one of Intel: ${difference}.`, quotingEnclave);
  trail.passed('quoting-enclave', quotingEnclave);
  const { fmspc, pceId } = examined.platform;
  const tcbInfo = takeDocument('tcb-info', chooseTcbInfo(collateral, fmspc, pceId, judges), trail);
  return judgeLevel(examined, identity, tcbInfo, trail);
}

function take<Item>(step: StepName, chosen: Chosen<Item>, trail: Trail): Item {
  if ('found' in chosen) return chosen.found;
  const { reason, sentence, files } = chosen.fault;
  trail.reliesOn(files);
  trail.refuse(step, reason, sentence, { files });
}

function takeDocument<Body extends { issueDate: number; nextUpdate: number; evaluationNumber: number }>(step: StepName, chosen: Chosen<ChosenDocument<Body>>, trail: Trail): Body {
  const { document, signer } = take(step, chosen, trail);
  trail.reliesOn([document.file, signer.file]);
  trail.passed(step, {
    file: document.file, 'SHA-256': document.fingerprint, issued: new Date(document.body.issueDate).toISOString(),
    'next update': new Date(document.body.nextUpdate).toISOString(), 'evaluation number': document.body.evaluationNumber,
    signer: `${signer.commonName}, serial ${signer.serial}`,
  });
  return document.body;
}

function describeCrl({ file, fingerprint, issuerName, thisUpdate, nextUpdate, revoked }: Held<Crl>): string {
  const [from, to] = [thisUpdate, nextUpdate].map((time) => new Date(time).toISOString());
  return `${file} of ${issuerName}, ${from} to ${to}, ${revoked.size} revoked, SHA-256 ${fingerprint}`;
}

function refuseRevoked({ chain }: Platform, rootCrl: Crl, pckCrl: Crl, trail: Trail): void {
  const serials = { intermediate: chain.authority.serial, leaf: chain.leaf.serial };
  const revoked = rootCrl.revoked.has(chain.root.serial) ? chain.root
    : rootCrl.revoked.has(chain.authority.serial) ? chain.authority
    : pckCrl.revoked.has(chain.leaf.serial) ? chain.leaf : null;
  if (revoked !== null) {
    trail.refuse('revocation', 'certificate-revoked', `“${revoked.commonName}”, serial ${revoked.serial}, was revoked by its issuer.`, serials);
  }
  trail.passed('revocation', serials);
}

function describeQuotingEnclave({ quote: { qeReport } }: Platform, identity: QeIdentity): Record<string, string | number> {
  return {
    MRSIGNER: qeReport.mrSigner.toString('hex'), 'genuine MRSIGNER': identity.mrSigner, product: qeReport.productId,
    'security version': qeReport.securityVersion, attributes: qeReport.attributes.toString('hex'),
  };
}

function judgeLevel({ quote, platform, policy }: Platform, identity: QeIdentity, tcbInfo: TcbInfo, trail: Trail): string {
  const level = matchTcbLevel(tcbInfo, platform.components, platform.pceSvn);
  const qeLevel = matchQeLevel(identity, quote.qeReport.securityVersion);
  const found = {
    'TCB components': platform.components, 'PCE version': platform.pceSvn, 'quoting enclave version': quote.qeReport.securityVersion,
    accepted: policy.acceptedStatuses,
  };
  if (level === null || qeLevel === null) {
    const who = level === null ? `platform (${platform.fmspc}, components ${platform.components.join(' ')}, PCE ${platform.pceSvn})` : `quoting enclave (version ${quote.qeReport.securityVersion})`;
    trail.refuse('tcb-level', 'tcb-not-listed', `The ${who} is below every TCB level that Intel lists.`, found);
  }
  const knownStatus = ({ status }: TcbLevel | QeLevel): TcbStatus => (typeof status === 'string' ? status
    : trail.refuse('tcb-level', 'collateral-unreadable', `The TCB status “${status.unknown}” is unknown: a newer version of this program may support it.`, found));
  const [platformStatus, qeStatus] = [knownStatus(level), knownStatus(qeLevel)];
  const status = convergeStatus(platformStatus, qeStatus);
  const advisories = [...new Set([...level.advisories, ...qeLevel.advisories])];
  const values = { ...found, 'platform status': platformStatus, 'platform level of': level.date, 'quoting enclave status': qeStatus, status, advisories };
  const because = advisories.length === 0 ? '' : ` (${advisories.join(', ')})`;
  // parseTcbPolicy rejects Revoked; this check also covers a policy that was built in another way.
  if (status === 'Revoked' || !policy.acceptedStatuses.includes(status)) {
    trail.refuse('tcb-level', 'tcb-refused', `The platform is ${status}${because}; the policy accepts ${policy.acceptedStatuses.join(', ')}.`, values);
  }
  trail.passed('tcb-level', values);
  return `Every check passed; the platform is ${status}${because}.`;
}
