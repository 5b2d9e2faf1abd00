import type { Hex } from '@vouch/chain/messages/operation';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { LoadedConfiguration } from '../config/loadConfiguration.ts';
import { Interrupted } from '../keys/keyFault.ts';
import type { SecretInput } from '../keys/secretInput.ts';
import { nodeFolder } from '../state/nodeFolder.ts';
import { examineAlerts } from './alertFindings.ts';
import { examineChain, type ChainFacts } from './chainFacts.ts';
import { examineClock } from './clockFindings.ts';
import { examineCollateral } from './collateralFindings.ts';
import { examineContract, type ContractFacts } from './contractFacts.ts';
import { examineDays } from './dayFindings.ts';
import { checkNames, found, ok, type CheckName, type NodeFinding } from './findings.ts';
import { diskBytesNeeded, examineDisk, examineState } from './folderFindings.ts';
import { compareHeads, examineGateway } from './gatewayFacts.ts';
import { examineKey } from './keyFindings.ts';
import { examineAccount, examineNode } from './nodeFindings.ts';

interface Examination {
  loaded: LoadedConfiguration;
  secrets: SecretInput;
  system: SystemInterfaces;
  /** Free bytes below which the disk is reported as too small; default: what a node needs. */
  diskBytesNeeded?: number;
}

/**
 * Runs all checks of a node's environment. If a check fails, the checks that depend on it are skipped, so that one cause gives one
 * finding. The findings are in the order of checkNames.
 */
export async function examine(examination: Examination): Promise<NodeFinding[]> {
  const { loaded, secrets, system } = examination;
  const { configuration } = loaded;
  const findings = describeWarnings(loaded);
  const key = await attempt('key', () => examineKey(loaded, secrets), (failed) => ({ address: null, findings: [failed] }));
  findings.push(...key.findings, ...await attemptList('alerts', () => examineAlerts(configuration.alertUrl, system)));
  await examineChain(configuration.chain.rpcUrls, configuration.chain.chainId, system, async (chain, ofChain) => {
    findings.push(...ofChain);
    findings.push(...await examineFolder(examination, key.address, chain));
    const misnamed = ofChain.some((each) => each.status !== 'ok' && each.code === 'chain-id-wrong');
    findings.push(...await examineService(examination, key.address, chain, misnamed));
  });
  return findings.toSorted((a, b) => checkNames.indexOf(a.check) - checkNames.indexOf(b.check));
}

function describeWarnings({ warnings }: LoadedConfiguration): NodeFinding[] {
  if (warnings.length === 0) return [ok('configuration', 'every value is valid')];
  return warnings.map(({ where, sentence }) => found('configuration', 'configuration-doubtful', `${where}: ${sentence}`, 'Correct the value there; verifier config check prints the effective values.'));
}

async function examineFolder({ loaded: { configuration }, system, diskBytesNeeded: needed = diskBytesNeeded }: Examination, address: Hex | null, chain: ChainFacts | null): Promise<NodeFinding[]> {
  const { dataPath } = configuration.node;
  const disk = await attemptList('disk', () => examineDisk(dataPath, needed));
  if (address === null || disk.some((each) => each.status === 'fault' && each.code === 'state-unwritable')) return disk;
  const { folder, note } = nodeFolder(configuration, address);
  const elsewhere = note === null ? [] : [found('state', 'state-elsewhere', note, 'Follow the instructions while the node is stopped. Until then, start the node from this folder.')];
  return [...disk, ...elsewhere, ...await attemptList('state', () => examineState(folder, chain?.rpc ?? null, system.clock.now()))];
}

/** @param misnamed whether the RPC serves another chain than the configuration names */
async function examineService({ loaded: { configuration }, system }: Examination, address: Hex | null, chain: ChainFacts | null, misnamed: boolean): Promise<NodeFinding[]> {
  const findings: NodeFinding[] = [];
  const contract: { facts: ContractFacts | null; findings: NodeFinding[] } = chain === null ? { facts: null, findings: [] }
    : await attempt('contract', () => examineContract(chain.rpc, configuration), (failed) => ({ facts: null, findings: [failed] }));
  findings.push(...contract.findings);
  const known = { chainId: !misnamed, contract: chain === null || contract.facts !== null, domainHash: contract.facts?.domainHash ?? null };
  const gateway = await attempt('gateway', () => examineGateway(configuration, known, system), (failed) => ({ facts: { time: null, block: null }, findings: [failed] }));
  findings.push(...gateway.findings);
  const { block } = gateway.facts;
  if (chain !== null && block !== null) findings.push(...await attemptList('gateway', () => compareHeads(chain, block)));
  let date = new Date(system.clock.now());
  if (chain !== null) {
    const clock = examineClock(chain.head, { machine: system.clock.now(), gateway: gateway.facts.time });
    findings.push(clock.finding);
    date = clock.date;
    if (address !== null) findings.push(...await attemptList('key', () => examineAccount(chain.rpc, address, configuration.sending)));
    const { facts } = contract;
    if (address !== null && facts !== null) {
      findings.push(...await attemptList('node', () => examineNode(facts.service, address, configuration, chain.head.timestamp)));
      findings.push(...await attemptList('node', () => examineDays(chain, address, configuration, system.timers)));
    }
  }
  return [...findings, ...await attemptList('collateral', () => examineCollateral(configuration.attestation, date))];
}

/** Turns an unexpected error of a check into a finding, so that the other checks run. */
async function attempt<Result>(check: CheckName, work: () => Promise<Result>, otherwise: (failed: NodeFinding) => Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return otherwise(found(check, 'check-failed', `the check failed: ${why}`, 'Run verifier doctor again. If the check fails again, report this output with the version.'));
  }
}

function attemptList(check: CheckName, work: () => Promise<NodeFinding[]>): Promise<NodeFinding[]> {
  return attempt(check, work, (failed) => [failed]);
}
