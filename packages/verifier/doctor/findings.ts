/** All codes of findings with their severity. Codes are part of the JSON output: a retired code is never used again. */
export const causes = {
  'configuration-wrong': 'fault',
  'configuration-doubtful': 'warning',
  'key-missing': 'fault',
  'key-unusable': 'fault',
  'key-readable': 'warning',
  'key-used': 'warning',
  'key-rich': 'warning',
  'disk-low': 'fault',
  'state-unwritable': 'fault',
  'state-damaged': 'fault',
  'state-foreign': 'fault',
  'state-elsewhere': 'warning',
  'second-copy': 'warning',
  'not-running': 'warning',
  'node-hangs': 'fault',
  'rpc-unreachable': 'fault',
  'rpc-spare-unreachable': 'warning',
  'rpc-other-chain': 'fault',
  'rpc-behind': 'warning',
  'chain-id-wrong': 'fault',
  'chain-stands-still': 'warning',
  'contract-missing': 'fault',
  'contract-foreign': 'fault',
  'emitter-missing': 'fault',
  'domain-wrong': 'fault',
  'clock-behind': 'fault',
  'clock-ahead': 'fault',
  'gateway-unreachable': 'fault',
  'gateway-foreign': 'fault',
  'gateway-not-ready': 'fault',
  'gateway-other-chain': 'fault',
  'gateway-other-contract': 'fault',
  'gateway-other-domain': 'fault',
  'gateway-paused': 'warning',
  'gateway-behind': 'warning',
  'no-license': 'fault',
  'set-full': 'fault',
  'not-active': 'warning',
  'reports-missed': 'warning',
  'randomness-late': 'warning',
  'day-late': 'warning',
  'day-lost': 'warning',
  'claimer-differs': 'warning',
  'commission-differs': 'warning',
  'gas-missing': 'fault',
  'collateral-missing': 'fault',
  'collateral-stale': 'fault',
  'collateral-forged': 'fault',
  'collateral-unreadable': 'fault',
  'collateral-ends-soon': 'warning',
  'alerts-unreachable': 'warning',
  'check-failed': 'fault',
} as const satisfies Record<string, 'warning' | 'fault'>;

export type Cause = keyof typeof causes;

/** The names of all checks, in the order in which they run and are shown. */
export const checkNames = ['configuration', 'key', 'disk', 'state', 'RPC', 'contract', 'gateway', 'clock', 'node', 'collateral', 'alerts'] as const;
export type CheckName = (typeof checkNames)[number];

/** The result of a check. Results other than `ok` have a code and a remedy. */
export type NodeFinding =
  | { check: CheckName; status: 'ok'; detail: string }
  | { check: CheckName; status: 'warning' | 'fault'; code: Cause; detail: string; remedy: string };

export function ok(check: CheckName, detail: string): NodeFinding {
  return { check, status: 'ok', detail };
}

/**
 * @param detail what was found, with values
 * @param remedy what to do about it
 */
export function found(check: CheckName, code: Cause, detail: string, remedy: string): NodeFinding {
  return { check, status: causes[code], code, detail, remedy };
}
