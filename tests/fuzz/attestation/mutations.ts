import type { TestKeys } from '@vouch/verifier/attestation/testPki/makeTestWorld';
import type { TestWorld } from '@vouch/verifier/attestation/testPki/testWorld';
import type { SeededRandom } from '../../../packages/platform/process/seededRandom.ts';

/** A change of one field. Everything is signed anew behind it, unless the field is a signature itself or lies behind one. */
export interface Mutation {
  field: string;
  change(world: TestWorld, random: SeededRandom, keys: TestKeys): void;
  /**
   * Why the oracle has no say: it does not look at this at all. Then ours must refuse or stay silent, except where the
   * change may be harmless.
   */
  oracleIsLax?: string;
}

type Change = Mutation['change'];

const mutation = (field: string, change: Change, oracleIsLax?: string): Mutation => ({ field, change, oracleIsLax });

function hexOf(random: SeededRandom, bytes: number): string {
  return Buffer.from(Array.from({ length: bytes }, () => random.below(256))).toString('hex');
}

/** One bit turned, or all of it by chance. */
function otherHex(random: SeededRandom, hex: string): string {
  if (random.below(3) === 0) return hexOf(random, hex.length / 2);
  return flipBit(random, Buffer.from(hex, 'hex')).toString('hex');
}

function flipBit(random: SeededRandom, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const bit = random.below(copy.length * 8);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

/** Near the value, at the ends, or anywhere. */
function otherNumber(random: SeededRandom, value: number, most: number): number {
  return Math.min(most, Math.max(0, random.pick([value - 2, value - 1, value, value + 1, value + 2, 0, most, random.below(most + 1)])));
}

/** At the date, a second beside it, or far off. */
function otherDate(random: SeededRandom, world: TestWorld): Date {
  return new Date(world.date.getTime() + 1_000 * random.pick([-1, 0, 1, -86_400, 86_400, -40_000_000, 40_000_000]));
}

const isoOf = (date: Date): string => date.toISOString().replace('.000Z', 'Z');
const statuses = ['UpToDate', 'SWHardeningNeeded', 'ConfigurationNeeded', 'ConfigurationAndSWHardeningNeeded', 'OutOfDate', 'OutOfDateConfigurationNeeded', 'Revoked', 'Odd'];

const header: Mutation[] = [
  mutation('header version', ({ quote }, random) => { quote.version = otherNumber(random, 3, 0xffff); }),
  mutation('header key type', ({ quote }, random) => { quote.keyType = otherNumber(random, 2, 0xffff); }),
  mutation('header TEE type', ({ quote }, random) => { quote.teeType = random.pick([0x81, 1, random.below(2 ** 31)]); }),
  mutation('header QE version', ({ quote }, random) => { quote.qeSecurityVersion = otherNumber(random, 10, 0xffff); }),
  mutation('header PCE version', ({ quote }, random) => { quote.pceSecurityVersion = otherNumber(random, 13, 0xffff); }),
  mutation('header user data', ({ quote }, random) => { quote.userData = hexOf(random, 20); }),
  mutation('header vendor', ({ quote }, random) => { quote.vendorId = otherHex(random, quote.vendorId); }, 'vendor of the quoting enclave'),
  mutation('certification type', ({ quote }, random) => { quote.certificationType = otherNumber(random, 5, 0xffff); }),
];

const report = (where: 'report' | 'qeReport'): Mutation[] => [
  mutation(`${where} CPU version`, ({ quote }, random) => { quote[where].cpuSvn = hexOf(random, 16); }),
  mutation(`${where} MISCSELECT`, ({ quote }, random) => { quote[where].miscSelect = random.pick([0, 1, 2 ** 31, random.below(2 ** 32)]); }),
  mutation(`${where} attributes`, ({ quote }, random) => { quote[where].attributes = otherHex(random, quote[where].attributes); }),
  mutation(`${where} MRENCLAVE`, ({ quote }, random) => { quote[where].mrEnclave = otherHex(random, quote[where].mrEnclave); }),
  mutation(`${where} MRSIGNER`, ({ quote }, random) => { quote[where].mrSigner = otherHex(random, quote[where].mrSigner); }),
  mutation(`${where} product`, ({ quote }, random) => { quote[where].productId = otherNumber(random, quote[where].productId, 0xffff); }),
  mutation(`${where} security version`, ({ quote }, random) => { quote[where].securityVersion = otherNumber(random, quote[where].securityVersion, 0xffff); }),
];

const debug = mutation('debugged enclave', ({ quote }) => { quote.report.attributes = `07${quote.report.attributes.slice(2)}`; });

const behindSignatures: Mutation[] = [
  mutation('report data', ({ quote }, random) => { quote.report.reportData = hexOf(random, 64); }),
  mutation('authentication data', ({ quote }, random) => { quote.qeAuthenticationData = hexOf(random, 32); }),
  mutation('length of the authentication data', ({ quote }, random) => { quote.qeAuthenticationData = hexOf(random, random.pick([0, 1, 31, 33, 300])); }, 'harmless: authentication data of other lengths than 32'),
  mutation('signature', ({ tampering }, random) => { tampering.signature = Buffer.from(hexOf(random, 64), 'hex'); }),
  mutation('attestation key', ({ tampering, quote }, random) => { tampering.attestationPoint = flipBit(random, quote.attestationKey.point); }),
  mutation('attestation key of a stranger', ({ tampering }, _random, keys) => { tampering.attestationPoint = keys.stranger.point; }),
  mutation('binding', ({ tampering }, random) => { tampering.qeReportData = Buffer.from(hexOf(random, 64), 'hex'); }),
  mutation('signature of the QE report', ({ tampering }, random) => { tampering.qeReportSignature = Buffer.from(hexOf(random, 64), 'hex'); }),
  mutation('a bit of the signed part', (world, random) => { world.finish = (quote) => Buffer.concat([flipBit(random, quote.subarray(0, 432)), quote.subarray(432)]); }),
  mutation('a bit of the signature data', (world, random) => { world.finish = (quote) => Buffer.concat([quote.subarray(0, 436), flipBit(random, quote.subarray(436, 1_012)), quote.subarray(1_012)]); }),
  mutation('a length', (world, random) => { world.finish = (quote) => (quote.writeUInt16LE(otherNumber(random, 32, 0xffff), random.pick([432, 1_012, 1_048])), quote); }, 'harmless: lengths that leave bytes over'),
  mutation('the end', (world, random) => { world.finish = (quote) => quote.subarray(0, random.below(quote.length)); }),
];

type CertificateName = 'root' | 'platformCa' | 'pck' | 'tcbSigning';

const certificate = (name: CertificateName): Mutation[] => [
  mutation(`${name} serial`, (world, random) => { world[name].serial = `1${hexOf(random, 8).slice(1)}`; }),
  mutation(`${name} not before`, (world, random) => { world[name].notBefore = otherDate(random, world); }),
  mutation(`${name} not after`, (world, random) => { world[name].notAfter = otherDate(random, world); }),
  mutation(`${name} signer`, (world, _random, keys) => { world[name].signer = keys.stranger; }, name === 'root' ? 'harmless: the signature of the pinned root on itself' : undefined),
  mutation(`${name} critical extension`, (world) => { world[name].unknownCritical = '1.2.3.4'; }, name === 'root' ? 'harmless: extensions of the pinned root' : 'critical extensions'),
];

const certificates: Mutation[] = [
  ...(['root', 'platformCa', 'pck', 'tcbSigning'] as const).flatMap(certificate),
  mutation('pck key', (world, _random, keys) => { world.pck.key = keys.stranger; }),
  mutation('platformCa key', (world, _random, keys) => { world.platformCa.key = world.pckCrl.signer = keys.stranger; }),
  mutation('tcbSigning key', (world, _random, keys) => { world.tcbSigning.key = keys.stranger; }),
  mutation('documents signer', (world, random, keys) => { world.documentSigner = random.pick([keys.stranger, keys.pck, keys.root]); }),
  mutation('pck is an authority', (world) => { world.pck.authority = true; world.platformCa.pathLength = 1; }),
  mutation('tcbSigning is an authority', (world) => { world.tcbSigning.authority = true; }),
  mutation('pck issuer', (world) => { world.pck.issuer = 'Intel SGX Root CA'; }, 'names'),
  mutation('platformCa is no authority', (world) => { world.platformCa.authority = false; }, 'authorities'),
  mutation('platformCa path length', (world) => { world.root.pathLength = 0; }, 'path lengths'),
  mutation('tcbSigning name', (world) => { world.tcbSigning.subject = 'Intel SGX PCK Certificate'; }, 'names'),
  mutation('pck PPID', (world, random) => { world.pck.platform!.ppid = hexOf(random, 16); }),
  mutation('pck FMSPC', (world, random) => { world.pck.platform!.fmspc = otherHex(random, world.pck.platform!.fmspc); }),
  mutation('pck PCE id', (world, random) => { world.pck.platform!.pceId = `${hexOf(random, 1)}01`; }, 'PCE id'),
  // Beyond 0x7fff its DER has three bytes, which the oracle cannot read.
  mutation('pck PCE version', (world, random) => { world.pck.platform!.pceSvn = otherNumber(random, 13, 0x7fff); }),
  mutation('pck components', (world, random) => {
    const { platform } = world.pck;
    const at = random.below(16);
    platform!.components = platform!.components.map((svn, n) => (n === at ? otherNumber(random, svn, 255) : svn));
  }),
  mutation('an older platform', (world, random) => {
    const less = random.below(4);
    world.pck.platform!.components = world.pck.platform!.components.map((svn) => Math.max(0, svn - less));
  }),
  mutation('an older PCE', (world, random) => { world.pck.platform!.pceSvn = 13 - random.below(5); }),
  mutation('an older quoting enclave', ({ quote }, random) => { quote.qeReport.securityVersion = 10 - random.below(5); }),
];

const lists: Mutation[] = [
  mutation('revoked platform', (world) => { world.pckCrl.revoked = ['77', world.pck.serial]; }),
  mutation('revoked intermediate', (world) => { world.rootCrl.revoked = [world.platformCa.serial]; }),
  mutation('revoked TCB signer', (world) => { world.rootCrl.revoked = [world.tcbSigning.serial]; }),
  mutation('revoked strangers', (world, random) => { world.pckCrl.revoked = Array.from({ length: 1 + random.below(20) }, () => `0a${hexOf(random, 8)}`); }),
  mutation('PCK list signer', (world, _random, keys) => { world.pckCrl.signer = keys.stranger; }, 'signatures of revocation lists'),
  mutation('root list signer', (world, _random, keys) => { world.rootCrl.signer = keys.stranger; }, 'signatures of revocation lists'),
  mutation('PCK list next update', (world) => { world.pckCrl.nextUpdate = new Date(world.date.getTime() - 1_000); }, 'dates of revocation lists'),
  mutation('root list this update', (world) => { world.rootCrl.thisUpdate = new Date(world.date.getTime() + 1_000); }, 'dates of revocation lists'),
];

const documents = (name: 'tcbInfo' | 'qeIdentity'): Mutation[] => [
  mutation(`${name} issue date`, (world, random) => { world[name].issueDate = isoOf(otherDate(random, world)); }),
  mutation(`${name} next update`, (world, random) => { world[name].nextUpdate = isoOf(otherDate(random, world)); }),
  mutation(`${name} id`, (world, random) => { world[name].id = random.pick(['TDX', 'TD_QE', 'QVE', '', 'sgx']); }),
  mutation(`${name} version`, (world, random) => { world[name].version = random.pick([0, 1]); }),
  mutation(`${name} status`, (world, random) => { random.pick<{ tcbStatus: string }>(world[name].tcbLevels).tcbStatus = random.pick(statuses.slice(0, 7)); }),
  mutation(`${name} status of the first level`, (world, random) => { world[name].tcbLevels[0]!.tcbStatus = random.pick(statuses.slice(0, 7)); }),
  mutation(`${name} unknown status`, (world) => { world[name].tcbLevels[0]!.tcbStatus = 'Odd'; }),
  mutation(`${name} advisories`, (world, random) => { random.pick<{ advisoryIDs?: string[] }>(world[name].tcbLevels).advisoryIDs = [`INTEL-SA-${random.below(1_000)}`]; }),
  mutation(`${name} levels`, (world, random) => { world[name].tcbLevels.splice(random.below(world[name].tcbLevels.length), 1 + random.below(2)); }),
];

const collateral: Mutation[] = [
  ...documents('tcbInfo'), ...documents('qeIdentity'),
  mutation('tcbInfo FMSPC', ({ tcbInfo }, random) => { tcbInfo.fmspc = otherHex(random, tcbInfo.fmspc).toUpperCase(); }),
  mutation('tcbInfo PCE id', ({ tcbInfo }) => { tcbInfo.pceId = '0001'; }, 'PCE id'),
  mutation('tcbInfo later version', ({ tcbInfo }) => { tcbInfo.version = 4; }, 'later versions of TCB info'),
  mutation('tcbInfo component', ({ tcbInfo }, random) => { const component = random.pick(random.pick(tcbInfo.tcbLevels).tcb.sgxtcbcomponents); component.svn = otherNumber(random, component.svn, 255); }),
  mutation('tcbInfo PCE version', ({ tcbInfo }, random) => { const { tcb } = random.pick(tcbInfo.tcbLevels); tcb.pcesvn = otherNumber(random, tcb.pcesvn, 0xffff); }),
  mutation('qeIdentity MISCSELECT', ({ qeIdentity }, random) => { qeIdentity.miscselect = otherHex(random, qeIdentity.miscselect); }),
  mutation('qeIdentity MISCSELECT mask', ({ qeIdentity }, random) => { qeIdentity.miscselectMask = otherHex(random, qeIdentity.miscselectMask); }),
  mutation('qeIdentity attributes', ({ qeIdentity }, random) => { qeIdentity.attributes = otherHex(random, qeIdentity.attributes); }),
  mutation('qeIdentity attributes mask', ({ qeIdentity }, random) => { qeIdentity.attributesMask = otherHex(random, qeIdentity.attributesMask); }),
  mutation('qeIdentity MRSIGNER', ({ qeIdentity }, random) => { qeIdentity.mrsigner = otherHex(random, qeIdentity.mrsigner); }),
  mutation('qeIdentity product', ({ qeIdentity }, random) => { qeIdentity.isvprodid = otherNumber(random, 1, 0xffff); }),
  mutation('qeIdentity level', ({ qeIdentity }, random) => { const { tcb } = random.pick(qeIdentity.tcbLevels); tcb.isvsvn = otherNumber(random, tcb.isvsvn, 0xffff); }),
];

/** Every field, some of them many times over. */
export const mutations: readonly Mutation[] = [
  ...header, debug, ...report('report'), ...report('qeReport'), ...behindSignatures, ...certificates, ...lists, ...collateral,
];
