import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { QuoteVerifier } from '@phala/dcap-qvl';
import { intelTrustRoot } from '@vouch/verifier/attestation/certificates/trustRoot';
import { parseCollateral } from '@vouch/verifier/attestation/collateral/parseCollateral';
import { readCollateralFolder } from '@vouch/verifier/attestation/collateral/readCollateralFolder';
import { decodeInfo } from '@vouch/verifier/attestation/decodeInfo';
import { tcbPolicies } from '@vouch/verifier/attestation/policy/policy';
import { makeTestKeys, makeTestWorld } from '@vouch/verifier/attestation/testPki/makeTestWorld';
import { buildWorld, judgementOf, type BuiltWorld } from '@vouch/verifier/attestation/testPki/testWorld';
import { verifyAttestation, type Judgement } from '@vouch/verifier/attestation/verifyAttestation';
import { makeTestKey } from '@vouch/verifier/attestation/testPki/keys';
import { oracleCollateral, type OracleCollateral } from '../../tests/fuzz/attestation/askOracle.ts';
import { interleave, type Contender } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';

/** Compares the CPU time of verifying a quote with @phala/dcap-qvl. Each row is a ratio from one series of alternating runs. */
const { values } = parseCommandLine({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);
const platforms = 20;
const date = new Date('2026-03-01T12:00:00Z');

interface Case {
  info: string;
  quote: Buffer;
  judgement: Judgement;
  collateral: OracleCollateral;
  root: Buffer;
}

/** Generates quotes of many platforms under one collateral, so that no quote occurs twice in a round of 20. */
function testCases(): Case[] {
  const keys = makeTestKeys();
  const worlds: BuiltWorld[] = Array.from({ length: platforms }, (_, n) => {
    const world = makeTestWorld({ ...keys, pck: makeTestKey(), attestation: makeTestKey() }, date, { mrEnclave: n.toString(16).padStart(64, '0') });
    world.pck.serial = `1${n.toString(16).padStart(3, '0')}`;
    return buildWorld(world);
  });
  // The same authorities signed all quotes. The bytes of the root certificates differ only in their signatures, so one root is
  // used for all quotes.
  const [first] = worlds as [BuiltWorld];
  const judgement = judgementOf(first);
  return worlds.map((built) => ({
    info: built.info, quote: built.quote, judgement: { ...judgement, trustRoot: built.trustRoot }, collateral: oracleCollateral(first), root: built.certificates.root,
  }));
}

/** Returns the quote of a real processor at the date of its collateral, under Intel's root certificate. */
async function intelCase(): Promise<Case> {
  const path = (name: string): string => fileURLToPath(new URL(`../../packages/verifier/attestation/fixtures/intelQuote/${name}`, import.meta.url));
  const info = readFileSync(path('info.txt'), 'utf8').trim();
  const decoded = decodeInfo(info);
  if ('fault' in decoded) throw new Error(decoded.sentence);
  const text = (name: string): string => readFileSync(path(`collateral/${name}`), 'utf8');
  const hex = (name: string): string => readFileSync(path(`collateral/${name}`)).toString('hex');
  const signed = (name: string): string[] => /^\{"\w+":(.*),"signature":"([0-9a-f]*)"\}$/s.exec(text(name))?.slice(1) ?? [];
  const [tcbInfo = '', tcbInfoSignature = ''] = signed('tcbInfo.json');
  const [qeIdentity = '', qeIdentitySignature = ''] = signed('qeIdentity.json');
  const collateral = await readCollateralFolder(path('collateral'));
  const root = collateral.certificates.find(({ fingerprint }) => fingerprint === intelTrustRoot.fingerprint);
  if (root === undefined) throw new Error('the fixture lacks its root');
  return {
    info, quote: decoded.quote, root: root.der,
    judgement: { collateral, policy: { acceptedStatuses: tcbPolicies.lenient, allowList: null }, trustRoot: intelTrustRoot, date: new Date('2025-06-19T10:56:11Z') },
    collateral: {
      pck_crl_issuer_chain: text('pckCrlIssuerChain.pem'), root_ca_crl: hex('rootCrl.der'), pck_crl: hex('pckCrl.der'),
      tcb_info_issuer_chain: text('tcbInfoIssuerChain.pem'), tcb_info: tcbInfo, tcb_info_signature: tcbInfoSignature,
      qe_identity_issuer_chain: text('qeIdentityIssuerChain.pem'), qe_identity: qeIdentity, qe_identity_signature: qeIdentitySignature,
    },
  };
}

function ourVerdict({ info, judgement }: Case): void {
  const { kind, sentence } = verifyAttestation(info, judgement);
  if (kind !== 'valid') throw new Error(`ours does not accept: ${sentence}`);
}

/** Parses the collateral files and verifies the quote, as a node does at its start. */
function ourVerdictFromFiles({ info, judgement }: Case): void {
  ourVerdict({ info, judgement: { ...judgement, collateral: parseCollateral(judgement.collateral.files) } } as Case);
}

function theirVerdict({ quote, collateral, root, judgement }: Case): void {
  QuoteVerifier.newWithRootCa(root).verify(quote, collateral, judgement.date.getTime() / 1_000);
}

/** Measures the CPU milliseconds per quote, over 40 quotes. */
function cpuPerQuote(cases: readonly Case[], work: (quote: Case) => void): Contender {
  return async () => {
    const before = process.cpuUsage();
    for (let done = 0; done < 40; done += 1) work(cases[done % cases.length] as Case);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 40_000;
  };
}

const rows: (string | number)[][] = [];

async function compare(what: string, cases: readonly Case[], ours: (quote: Case) => void): Promise<void> {
  const report = await interleave({ ours: cpuPerQuote(cases, ours), theirs: cpuPerQuote(cases, theirVerdict), rounds, warmup: 2 });
  rows.push([what, formatRatio(report), report.ours.toFixed(2), report.theirs.toFixed(2)]);
}

const [many, real] = [testCases(), [await intelCase()]];
await compare(`${platforms} platforms of a test PKI, collateral parsed once`, many, ourVerdict);
await compare(`${platforms} platforms of a test PKI, collateral parsed for each quote`, many, ourVerdictFromFiles);
await compare('a quote of a real processor, collateral parsed once', real, ourVerdict);
await compare('a quote of a real processor, collateral parsed for each quote', real, ourVerdictFromFiles);

await reportTable({
  name: 'verifier-quotes',
  title: 'Judging a quote',
  command: `node --import tsx bench/verifier/quotes.ts --rounds ${rounds}`,
  data: `quotes of ${platforms} platforms of a test PKI, and packages/verifier/attestation/fixtures/intelQuote; every one accepted by both`,
  columns: ['what', 'time, ours to @phala/dcap-qvl 0.3.9', 'ours, ms of CPU a quote', 'theirs, ms of CPU a quote'],
  rows,
  notes: [
    'Ours goes from the base64 of the info to the verdict with its steps. It keeps what comes again with every quote: parsed authorities, and which signatures on authorities, lists and documents hold; the library keeps nothing. It also checks what the library does not: signatures and dates of the revocation lists, names, key usages and path lengths.',
  ],
});
