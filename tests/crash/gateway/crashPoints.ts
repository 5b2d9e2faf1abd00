/** A point of the pipeline at which the gateway dies, identified by an SQL statement. */
export interface CrashPoint {
  name: string;
  statement: RegExp;
  /** Before the statement is sent; after its response; or after the commit of its transaction. */
  when: 'before' | 'after' | 'committed';
}

const insertRequest = /^\s*WITH inserted AS \(\s*INSERT INTO gateway_requests/i;
const claim = /set state = 'batched', batch_id = /;
const insertAttempt = /insert into gateway_attempts/;
const noteBroadcast = /update gateway_attempts set broadcast_at/;
const noteAnswer = /update gateway_attempts set refusal/;
const recordMembers = /update gateway_members m\s+set outcome = given\.outcome/;
const confirmRequests = /update gateway_requests r set state = 'confirmed'/;

/** All crash points, in order from the acceptance of a message to its confirmation. */
export const crashPoints: readonly CrashPoint[] = [
  { name: 'accepting: checked, not stored', statement: insertRequest, when: 'before' },
  { name: 'accepted: stored and its gas set aside, not answered', statement: insertRequest, when: 'after' },
  { name: 'claiming: taken from the queue, not committed', statement: claim, when: 'after' },
  { name: 'claimed: taken from the queue, not simulated', statement: claim, when: 'committed' },
  { name: 'simulated: checked and signed, nonce not stored', statement: insertAttempt, when: 'before' },
  { name: 'preparing: nonce and bytes stored, not committed', statement: insertAttempt, when: 'after' },
  { name: 'prepared: nonce and bytes committed, not sent', statement: insertAttempt, when: 'committed' },
  { name: 'sending: noted as sent, not sent', statement: noteBroadcast, when: 'committed' },
  { name: 'sent: given to the node, its answer not noted', statement: noteAnswer, when: 'before' },
  { name: 'recording: receipt read, not committed', statement: recordMembers, when: 'after' },
  { name: 'recorded: receipt committed', statement: recordMembers, when: 'committed' },
  { name: 'confirming: not committed', statement: confirmRequests, when: 'after' },
  { name: 'confirmed: committed', statement: confirmRequests, when: 'committed' },
];

/** Text that the program prints when it reaches the crash point. */
export const crashMark = 'CRASH-POINT REACHED';
/** Signal that arms the crash point; a signal that the program itself does not use. */
export const armSignal = 'SIGWINCH';
