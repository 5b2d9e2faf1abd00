import { readFile, stat, writeFile } from 'node:fs/promises';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { BundleFault, maxBundleBytes, verifyBundle, writeBundle } from '../attestation/explain/bundle.ts';
import { describeOutcome } from '../attestation/explain/describeOutcome.ts';
import { plainText } from '@vouch/platform/log/plainText';
import type { Outcome } from '../attestation/outcome.ts';
import { ConfigurationFault, showName } from '../config/configurationFault.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import type { KeptAttestation } from '../state/nodeState.ts';
import { StateFault } from '../state/parseNodeState.ts';
import { readNodeState } from '../state/readNodeState.ts';
import { describeKept } from '../status/describeKept.ts';
import { explainKept, type Explained } from '../status/explainKept.ts';
import { findState } from '../status/findState.ts';
import { textOf, type Call, type Command } from './command.ts';
import { configurationFlagNames, configurationFlags } from './configurationFlags.ts';

export const explain: Command = {
  name: 'explain',
  argument: 'attestation',
  summary: 'show each step of a verdict with its values, for an attestation id or a file of -bundle',
  flags: [...configurationFlagNames, '-bundle', '-json'],
  run: (call) => (/^(?:0x)?[0-9a-fA-F]{64}$/.test(call.argument) ? explainOwn(call) : explainBundle(call)),
};

/** Explains an attestation that this node has kept. */
async function explainOwn(call: Call): Promise<number> {
  const id = `0x${call.argument.toLowerCase().replace(/^0x/, '')}`;
  const loaded = loadConfiguration(configurationFlags(call));
  const { folder } = await findState(loaded, call.secrets, call.warn);
  const kept = (await readState(folder))?.attestations.find(({ attestationId }) => attestationId === id) ?? null;
  if (kept === null) refuse('attestation', `${folder} has no record of this attestation; a node keeps open attestations and the last 500 that ended.`);
  const explained = await explainKept(folder, kept, loaded.configuration, call.system.clock.now());
  if (explained === null) refuse('attestation', `the text of the attestation is not stored, because it is longer than any quote or was removed; the recorded verdict: ${kept.sentence ?? 'none, the attestation was not judged'}`);
  const path = textOf(call, '-bundle');
  if (path !== undefined) await write(path, writeBundle(explained.info, explained.judgement, explained.outcome));
  call.output.write(call.given.has('-json') ? `${JSON.stringify({ ...jsonOf(explained), kept })}\n` : `${describeKept(kept)}\n${describe(explained, kept)}`);
  if (path !== undefined) call.errors.write(`Written to ${path}. On any machine, without a network connection: verifier explain ${path}\n`);
  return explained.agrees === false ? exitCodes.notInOrder : exitCodes.done;
}

/** Explains a bundle file from any source, using only its contents. */
async function explainBundle(call: Call): Promise<number> {
  if (call.given.has('-bundle')) throw new ConfigurationFault([{ where: '-bundle', sentence: 'the flag writes a file for an attestation id, but the argument is already a file.' }]);
  const again = verifyBundleFile(call.argument, await bundleText(call.argument));
  const { outcome, claimed, agrees, intelsRoot } = again;
  if (call.given.has('-json')) call.output.write(`${JSON.stringify(jsonOf({ ...again, by: 'then' }))}\n`);
  else call.output.write(`${describeOutcome(outcome)}${rootSentence(intelsRoot)}${agrees ? 'The verdict in this file is the same.\n' : `The verdict in this file differs: ${showClaim(claimed.kind)} [${showClaim(claimed.reason)}].\n`}`);
  return agrees ? exitCodes.done : exitCodes.notInOrder;
}

/** Formats text from an untrusted bundle: escaped and shortened, so that it cannot imitate this program's output. */
function showClaim(text: string): string {
  return plainText(text.slice(0, 100));
}

function verifyBundleFile(path: string, text: string): ReturnType<typeof verifyBundle> {
  try {
    return verifyBundle(text);
  } catch (error) {
    if (error instanceof BundleFault) return refuse(showName(path), error.message);
    throw error;
  }
}

async function bundleText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxBundleBytes) refuse(showName(path), `the file has ${size} bytes, more than any file of -bundle.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigurationFault) throw error;
    return refuse(showName(path), `the argument is neither an attestation id (64 hex digits) nor a readable file (${codeOf(error)}).`);
  }
}

async function readState(folder: string): ReturnType<typeof readNodeState> {
  try {
    return await readNodeState(folder);
  } catch (error) {
    if (error instanceof StateFault) return refuse('state', error.message);
    throw error;
  }
}

/** Writes a new file. An existing file is never overwritten. */
async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    refuse('-bundle', `${showName(path)} cannot be written (${codeOf(error)}); name a file that does not exist yet.`);
  }
}

function describe({ outcome, by, agrees, intelsRoot }: Explained, { verdict, reason }: KeptAttestation): string {
  const basis = by === 'then' ? 'the inputs that the node used' : 'the current collateral, policy and root, because the original ones are not stored';
  const own = agrees === null ? 'the node has not judged the attestation yet' : agrees ? 'the node reached the same verdict' : `the node reached ${verdict === null ? 'no vote' : `result ${verdict}`} [${reason}]`;
  return `${describeOutcome(outcome)}${rootSentence(intelsRoot)}Judged by ${basis}: ${own}.\n`;
}

function rootSentence(intelsRoot: boolean): string {
  return intelsRoot ? '' : 'The trusted root is not Intel\'s root, so the verdict does not apply to real Intel processors.\n';
}

function jsonOf({ outcome, agrees, by, intelsRoot }: { outcome: Outcome; agrees: boolean | null; by: string; intelsRoot: boolean }): object {
  return { outcome, judged_by: by, agrees, intels_root: intelsRoot };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure';
}

function refuse(where: string, sentence: string): never {
  throw new ConfigurationFault([{ where, sentence }]);
}
