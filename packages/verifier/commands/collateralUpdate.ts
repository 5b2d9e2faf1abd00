import { plainText } from '@vouch/platform/log/plainText';
import { exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import { resolve } from 'node:path';
import { CollateralFolderFault } from '../attestation/collateral/readCollateralFolder.ts';
import { describeRows, describeVerdict } from '../collateral/describeCollateral.ts';
import { heldPlatforms, neededParts, maxPlatforms, seenPlatforms } from '../collateral/neededParts.ts';
import { reportFolder } from '../collateral/reportFolder.ts';
import { intelService } from '../collateral/service.ts';
import { updateCollateral, type PartResult } from '../collateral/updateCollateral.ts';
import { ConfigurationFault, showValue } from '../config/configurationFault.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { showUrl } from '../config/showConfiguration.ts';
import { httpAddress } from '../config/value.ts';
import { Interrupted } from '../keys/keyFault.ts';
import { nodeFolder } from '../state/nodeFolder.ts';
import { keptNodes } from '../status/findState.ts';
import { textOf, type Call, type Command } from './command.ts';
import { configurationFlags } from './configurationFlags.ts';

export const collateralUpdate: Command = {
  name: 'collateral update',
  summary: 'fetch collateral from Intel or a PCCS, and store what is authentic and newer',
  flags: ['-conf', '-url', '-fmspc', '-json'],
  run: update,
};

async function update(call: Call): Promise<ExitCode> {
  const { configuration, warnings } = loadConfiguration(configurationFlags(call));
  for (const { where, sentence } of warnings) call.warn(`${where}: ${sentence}`);
  const { attestation: { collateralPath: folder, trustRoot, fetching } } = configuration;
  const service = addressOf(call) ?? fetching.url ?? intelService;
  const date = new Date(call.system.clock.now());
  const given = { fmspcs: fmspcsOf(call), authorities: new Set<string>() };
  const seen = await seenPlatforms(await stateFolders(configuration), trustRoot, date);
  const parts = await fetchAll(call, { folder: resolve(folder), service, trustRoot, date, parts: neededParts(given, seen, await heldPlatforms(folder)), timers: call.system.timers, signal: call.stop });
  const report = await reportFolder(folder, date, trustRoot);
  if (call.given.has('-json')) call.output.write(`${JSON.stringify({ folder, from: showUrl(service), date: date.toISOString(), parts, ...report })}\n`);
  else call.output.write(`${describe(parts, date)}${seen.fmspcs.size + given.fmspcs.size + report.platforms.length === 0 ? noPlatform : ''}${describeVerdict(folder, report, date)}`);
  if (parts.some(({ state }) => state === 'failed')) return exitCodes.failed;
  return report.complete ? exitCodes.done : exitCodes.notInOrder;
}

const noPlatform = 'No platform is known yet, because no node in this folder has received a quote. Run the node first, or name platforms with -fmspc.\n';

async function fetchAll(call: Call, options: Parameters<typeof updateCollateral>[0]): Promise<PartResult[]> {
  try {
    return await updateCollateral(options);
  } catch (error) {
    if (call.stop.aborted) throw new Interrupted();
    if (error instanceof CollateralFolderFault) throw new ConfigurationFault([{ where: 'attestation.collateral_path', sentence: error.message }]);
    if (error instanceof Error && 'code' in error) throw new ConfigurationFault([{ where: 'attestation.collateral_path', sentence: `${options.folder} cannot be created (${String(error.code)}): give this user write access, or name another folder.` }]);
    throw error;
  }
}

function addressOf(call: Call): string | undefined {
  const text = textOf(call, '-url');
  if (text === undefined) return undefined;
  const address = httpAddress.parse(text);
  if (address === undefined) throw new ConfigurationFault([{ where: '-url', sentence: `the value is ${showValue(text)}; it must be ${httpAddress.range}.` }]);
  return address;
}

function fmspcsOf(call: Call): Set<string> {
  const texts = textOf(call, '-fmspc')?.split(',').map((part) => part.trim().toLowerCase()) ?? [];
  const wrong = texts.find((text) => !/^[0-9a-f]{12}$/.test(text));
  if (wrong !== undefined || texts.length > maxPlatforms) throw new ConfigurationFault([{ where: '-fmspc', sentence: `${wrong === undefined ? `the list has ${texts.length} entries` : `${showValue(wrong)} is not an FMSPC`}; it must be a list of up to ${maxPlatforms} FMSPCs of 12 hex digits, separated by commas.` }]);
  return new Set(texts);
}

/** Returns the state folders of all nodes for the contract. Reading the platforms that a node has seen needs no key. */
async function stateFolders(configuration: NodeConfiguration): Promise<string[]> {
  return (await keptNodes(configuration)).map((node) => nodeFolder(configuration, node).folder);
}

function describe(parts: readonly PartResult[], date: Date): string {
  const rows = parts.map(({ state, what, issued, next_update: until }) => ({ state, what, issued, until }));
  const said = parts.filter(({ state, sentence }) => state === 'failed' || sentence.includes(' stays, ')).map(({ sentence }) => `${plainText(sentence)}\n`);
  return `${describeRows(rows, date)}${said.join('')}`;
}
