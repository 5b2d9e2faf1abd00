import { verifyPckChain } from './certificates/verifyChain.ts';
import { parseChain, type ParsedChain } from './certificates/parseChain.ts';
import type { TrustRoot } from './certificates/trustRoot.ts';
import type { Collateral } from './collateral/collateral.ts';
import { attestationIdOf, decodeInfo } from './decodeInfo.ts';
import { judgeEnclave } from './judgeEnclave.ts';
import { judgePlatform } from './judgePlatform.ts';
import { outcomeOf, type Outcome, type Reason } from './outcome.ts';
import type { AttestationPolicy } from './policy/policy.ts';
import { parseQuote } from './quote/parseQuote.ts';
import type { Quote } from './quote/quote.ts';
import { Refusal, Trail } from './trail.ts';
import { verifySignatures } from './verifySignatures.ts';

/** Everything that an attestation is verified against. */
export interface Judgement {
  collateral: Collateral;
  policy: AttestationPolicy;
  trustRoot: TrustRoot;
  /**
   * Date at which certificates and collateral must be valid, normally the current time. Callers do not pass the time of the
   * attestation's block: collateral fetched after the block would not be valid yet at that time.
   */
  date: Date;
}

/**
 * Verifies an attestation. The content of the info never causes an exception: every fault becomes an outcome. The steps run in
 * the order of stepTitles: first the steps that depend only on the info, the trust root and the policy, then the steps that need
 * collateral. Nodes with different collateral therefore agree on infos that are undecodable, forged or not allowed.
 * @param info the text of the on-chain event: base64 of brotli of an SGX quote of version 3
 * @example
 * const { kind, result, sentence } = verifyAttestation(info, { collateral, policy: defaultPolicy, trustRoot: intelTrustRoot, date: new Date() });
 */
export function verifyAttestation(info: string, judgement: Judgement): Outcome {
  const trail = new Trail();
  const { reason, sentence } = examine(info, judgement, trail);
  return outcomeOf(reason, {
    attestationId: attestationIdOf(info), sentence, date: judgement.date.toISOString(), steps: trail.steps, collateralFiles: trail.files,
  });
}

function examine(info: string, judgement: Judgement, trail: Trail): { reason: Reason; sentence: string } {
  try {
    const { quote, chain, platform } = parseInfo(info, trail);
    const fault = verifyPckChain(chain, judgement.trustRoot, judgement.date);
    const certificates = {
      root: `${chain.root.commonName}, SHA-256 ${chain.root.fingerprint}`, intermediate: chain.authority.commonName,
      leaf: `${chain.leaf.commonName}, serial ${chain.leaf.serial}`, trusted: judgement.trustRoot.fingerprint, date: judgement.date.toISOString(),
    };
    if (fault !== null) trail.refuse('chain', fault.reason, fault.sentence, certificates);
    trail.passed('chain', certificates);
    verifySignatures(quote, chain.leaf, trail);
    judgeEnclave(quote.report, judgement.policy, trail);
    const sentence = judgePlatform({ quote, chain, platform, ...judgement }, trail);
    return { reason: 'verified', sentence };
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.reason, sentence: error.message };
    // An unexpected error in this program must not become a vote against a reporter.
    return { reason: 'verifier-fault', sentence: `The verifier failed with an internal error (${error instanceof Error ? error.message : String(error)}): please report this attestation to the developers.` };
  }
}

function parseInfo(info: string, trail: Trail): { quote: Quote } & Exclude<ParsedChain, { fault: string }> {
  const decoded = decodeInfo(info);
  if ('fault' in decoded) trail.refuse('decode', decoded.fault, decoded.sentence, { characters: info.length });
  trail.passed('decode', { characters: info.length, 'compressed bytes': decoded.compressedBytes, 'quote bytes': decoded.quote.length });
  const parsed = parseQuote(decoded.quote);
  const sizes = { 'quote bytes': decoded.quote.length };
  if ('fault' in parsed) trail.refuse('parse', parsed.fault, parsed.sentence, sizes);
  const { quote } = parsed;
  const read = parseChain(quote.certificates);
  if ('fault' in read) trail.refuse('parse', 'certificates-unreadable', read.fault, sizes);
  trail.passed('parse', {
    version: quote.header.version, MRENCLAVE: quote.report.mrEnclave.toString('hex'), MRSIGNER: quote.report.mrSigner.toString('hex'),
    product: quote.report.productId, 'security version': quote.report.securityVersion, attributes: quote.report.attributes.toString('hex'),
    'report data': quote.report.reportData.toString('hex'), FMSPC: read.platform.fmspc, 'PCE id': read.platform.pceId,
    'PCE version': read.platform.pceSvn, 'TCB components': read.platform.components,
  });
  return { quote, ...read };
}
