/** A point of the pipeline at which the gateway dies. */
export interface CrashPoint {
  name: string;
  /** See `StopAt`. */
  where: RegExp;
}

/** All crash points, in order from the acceptance of a message to its confirmation. */
export const crashPoints: readonly CrashPoint[] = [
  { name: 'accepting: checked, not stored', where: /^before WITH inserted AS \( INSERT INTO gateway_requests/ },
  { name: 'accepted: stored and its gas set aside, not answered', where: /^after WITH inserted AS \( INSERT INTO gateway_requests/ },
  { name: 'claiming: taken from the queue, not committed', where: /^after update gateway_requests set state = 'batched'/ },
  { name: 'claimed: taken from the queue, not simulated', where: /^after COMMIT of update gateway_requests set state = 'batched'/ },
  { name: 'simulated: checked and signed, nonce not stored', where: /^before insert into gateway_attempts/ },
  { name: 'preparing: nonce and bytes stored, not committed', where: /^after insert into gateway_attempts/ },
  { name: 'prepared: nonce and bytes committed, not sent', where: /^after COMMIT of insert into gateway_attempts/ },
  { name: 'sending: noted as sent, not sent', where: /^after COMMIT of update gateway_requests set state = 'sent'/ },
  { name: 'sent: given to the node, its answer not noted', where: /^before update gateway_attempts set refusal/ },
  { name: 'recording: receipt read, not committed', where: /^after update gateway_members m set outcome = given\.outcome/ },
  { name: 'recorded: receipt committed', where: /^after COMMIT of update gateway_requests r set state = 'mined'/ },
  { name: 'confirming: not committed', where: /^after with ended as \(\s?update gateway_requests r set state = 'confirmed'/ },
  { name: 'confirmed: committed', where: /^after COMMIT of with refused as \(/ },
];

/** Returns a crash point by its name. @throws Error if there is none */
export function findCrashPoint(name: string): CrashPoint {
  const point = crashPoints.find((each) => each.name === name);
  if (point === undefined) throw new Error(`There is no crash point "${name}".`);
  return point;
}
