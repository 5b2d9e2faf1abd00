import { isTcbStatus, type TcbStatus } from '../policy/tcbStatus.ts';
import { JsonFields, UnreadableDocument } from './jsonFields.ts';

/** TCB levels of one platform type (Intel PCS API v4, TCB info version 3, SGX). Times are milliseconds since 1970. */
export interface TcbInfo {
  fmspc: string;
  pceId: string;
  issueDate: number;
  nextUpdate: number;
  evaluationNumber: number;
  levels: readonly TcbLevel[];
}

export interface TcbLevel {
  components: readonly number[];
  pceSvn: number;
  date: string;
  status: TcbStatus | UnknownStatus;
  advisories: readonly string[];
}

/** A status that this version does not support. It causes a failure only if the platform matches this level. */
export interface UnknownStatus {
  unknown: string;
}

export const maxLevels = 500;
const maxAdvisories = 500;

/** @throws UnreadableDocument */
export function parseTcbInfo(value: unknown): TcbInfo {
  const fields = new JsonFields(value, 'the TCB info');
  const [id, version] = [fields.text('id'), fields.integer('version', 1_000)];
  if (id !== 'SGX' || version !== 3) throw new UnreadableDocument(`the TCB info has id ${id} and version ${version}, not id SGX and version 3`);
  if (fields.integer('tcbType', 255) !== 0) throw new UnreadableDocument('the TCB info has an unknown tcbType (not 0)');
  return {
    fmspc: fields.hex('fmspc', 6),
    pceId: fields.hex('pceId', 2),
    issueDate: fields.date('issueDate'),
    nextUpdate: fields.date('nextUpdate'),
    evaluationNumber: fields.integer('tcbEvaluationDataNumber', 2 ** 32),
    levels: fields.list('tcbLevels', maxLevels).map(parseLevel),
  };
}

function parseLevel(value: unknown): TcbLevel {
  const level = new JsonFields(value, 'a TCB level');
  const tcb = new JsonFields(level.value('tcb'), 'the TCB of a level');
  const components = tcb.list('sgxtcbcomponents', 16).map((component) => new JsonFields(component, 'a component').integer('svn', 255));
  if (components.length !== 16) throw new UnreadableDocument(`a TCB level has ${components.length} components, not 16`);
  return { components, pceSvn: tcb.integer('pcesvn', 0xffff), ...parseStatus(level) };
}

/** Parses date, status and advisories: the fields that platform levels and quoting enclave levels share. @throws UnreadableDocument */
export function parseStatus(level: JsonFields): Pick<TcbLevel, 'date' | 'status' | 'advisories'> {
  const status = level.text('tcbStatus');
  return { date: level.text('tcbDate'), status: isTcbStatus(status) ? status : { unknown: status.slice(0, 80) }, advisories: level.texts('advisoryIDs', maxAdvisories) };
}

/**
 * Returns the first level, in Intel's order, whose component versions and PCE version the platform reaches.
 * @returns null if the platform reaches none of the levels
 */
export function matchTcbLevel({ levels }: TcbInfo, components: readonly number[], pceSvn: number): TcbLevel | null {
  return levels.find((level) => pceSvn >= level.pceSvn && level.components.every((least, n) => (components[n] ?? 0) >= least)) ?? null;
}
