import type { PlantedFault } from './plantedFault.ts';

const gateway = 'packages/gateway';
const lease = 'packages/platform/lease';

/** Faults of lease, nonces, outbox, following of the chain, and budgets. The simulation must find those with a seed. */
export const gatewayPlants: readonly PlantedFault[] = [
  // Lease
  // Hidden by a second check: the server ends the connection of a holder only if the lease is over, and the lock of the lease belongs to the connection.
  { name: 'a lease is taken from a holder whose lease runs', seed: null, scenario: 'gateway', file: `${lease}/standForLease.ts`, replace: 'if (locked && !over) return false;', by: '' },
  { name: 'a connection is ended without a check of the lease', seed: 1, scenario: 'gateway', file: `${lease}/leaseStore.ts`, replace: ' AND EXISTS (SELECT FROM leases WHERE name = $2 AND lease_until < now())`', by: ' AND $2::text IS NOT NULL`' },
  // Hidden by a second check: who takes a lease has ended the connection of the former holder.
  { name: 'a former holder writes', seed: null, scenario: 'gateway', file: `${lease}/leaseStore.ts`, replace: 'WHERE name = $1 AND fence = $2 FOR KEY SHARE', by: 'WHERE name = $1 AND $2::text IS NOT NULL FOR KEY SHARE' },
  // Not reached: a fault of an endpoint hits all processes, so no process could do the work of the holder.
  { name: 'a lease is renewed without progress', seed: null, scenario: 'gateway', file: `${lease}/createLease.ts`, replace: `if (!progressed && (failing || statements === 0)) return 'withheld';`, by: '' },
  // Nonces
  // Both are hardly reached: a follower keeps its newer view for ten answers, so only a process that takes the lease from another can see an older head.
  { name: 'a lagging endpoint decides the next nonce', seed: null, scenario: 'gateway', file: `${gateway}/sending/advanceLane.ts`, replace: 'if (evidence.behind && !evidence.setBack) return', by: 'if (false) return' },
  { name: 'a lagging endpoint counts as a reset chain', seed: 7, scenario: 'gateway', file: `${gateway}/sending/fetchEvidence.ts`, replace: 'behind && view.head.timestamp > newestBlock.time', by: 'behind' },
  // Found by seed 103.
  { name: 'a left branch of the same height decides the next nonce', seed: null, scenario: 'gateway', file: `${gateway}/sending/fetchEvidence.ts`, replace: `newestBlock?.final != null && standsIn(view, newestBlock.final) === 'no'`, by: 'false' },
  // Found by seed 840103.
  { name: 'a lower and later head of a left branch decides the next nonce', seed: null, scenario: 'gateway', file: `${gateway}/sending/fetchEvidence.ts`, replace: 'newestBlock.final.number > view.head.number', by: 'false' },
  // Found by seed 995004.
  { name: 'a nonce that was not searched counts as searched without a result', seed: null, scenario: 'gateway', file: `${gateway}/sending/fetchEvidence.ts`, replace: 'Number(searched.includes(nonce))', by: '1' },
  { name: 'an own transaction without a receipt counts as foreign', seed: 1, scenario: 'gateway', file: `${gateway}/sending/decideLane.ts`, replace: 'if (batch.attempts.some(({ hash }) => hash === user.transactionHash)) {', by: 'if (batch.attempts.length > 99) {' },
  // Hidden by a second check: the unique index gateway_batches_nonce refuses the second batch of a nonce.
  { name: 'the next nonce ignores pending batches', seed: null, scenario: 'gateway', file: `${gateway}/sending/chooseNonces.ts`, replace: 'while (taken.has(nonce)) nonce += 1;', by: '' },
  // Outbox
  { name: 'a transaction is sent before this is recorded', seed: 1, scenario: 'gateway', file: `${gateway}/sending/actOnDecision.ts`, replace: '  await noteBroadcast(database, batchId, hash, new Date(system.clock.now()));\n', by: '' },
  // Not found in seeds 1 to 10, 14, 15 and 18 any more.
  { name: 'two lanes claim at the same time', seed: null, scenario: 'gateway', file: `${gateway}/batching/claimStore.ts`, replace: 'await transaction.query(\'select pg_advisory_xact_lock(hashtextextended($1, 0))\', [`gateway:claim:${lane.deployment}`]);', by: '' },
  { name: 'changes of a node are claimed while others are pending', seed: 1, scenario: 'gateway', file: `${gateway}/batching/claimStore.ts`, replace: `case when r.kind <> 'report' then not \${anyUnderWay} and`, by: `case when r.kind <> 'report' then` },
  { name: 'changes of a node are claimed while a reorganization can remove the one before', seed: 5, scenario: 'gateway', file: `${gateway}/batching/claimStore.ts`, replace: 'of_change.block_number > $4', by: 'of_change.block_number > $4 and false' },
  // Found by seed 770022: the relayer of the change before had a network 200 times as slow.
  { name: 'the number of a left block decides whether the change before is final', seed: null, scenario: 'gateway', file: `${gateway}/batching/claimStore.ts`, replace: ' and not ${anyLeft}', by: ' and $6::text[] is not null' },
  // Found by seed 990456 at 04d05495: the relayer of the change before had not followed the chain for a minute.
  { name: 'a block that is older than the view counts as one of the chain', seed: null, scenario: 'gateway', file: `${gateway}/batching/findLeftBatches.ts`, replace: 'now[place]?.hash !== toHex(row.block_hash)', by: 'now[place] === undefined' },
  { name: 'a refused change is sent again after a later change', seed: 4, scenario: 'gateway', file: `${gateway}/sending/actOnDecision.ts`, replace: 'said !== null || overtaken ||', by: 'said !== null ||' },
  { name: 'refused messages are confirmed', seed: 3, scenario: 'gateway', file: `${gateway}/sending/confirming/receiptStore.ts`, replace: `m.request_id = r.request_id and m.outcome = 'applied' and`, by: 'm.request_id = r.request_id and' },
  { name: 'sent messages expire by the time of the newest block', seed: null, scenario: 'gateway', file: `${gateway}/batching/expiryStore.ts`, replace: `(state = 'sent' and deadline < $3 and`, by: `(state = 'sent' and deadline < $2 and ($3::timestamptz is null or true) and` },
  // Found by seed 770029.
  { name: 'messages that a first simulation refused are forgotten if the second is refused as a whole', seed: null, scenario: 'gateway', file: `${gateway}/batching/simulateBatch.ts`, replace: '[...removed.refused]', by: 'removed.refused.slice(0, 0)' },
  // Found by seed 770012 until the refusals of a first simulation were kept: the endpoint that knew the receipt saw no new blocks for 47 s.
  { name: 'a message expires while the receipt of its transaction is not known', seed: null, scenario: 'gateway', file: `${gateway}/batching/expiryStore.ts`, replace: '(nonce >= $5 or ', by: '($5::bigint is not null or ' },
  { name: 'a lost claim keeps its messages', seed: null, scenario: 'gateway', file: `${gateway}/sending/runLane.ts`, replace: '  await dropClaims();\n  log.info', by: '  log.info' },
  // Following the chain
  // Not found in seeds 1 to 9 and 14 any more.
  { name: 'receipts of left branches count', seed: null, scenario: 'gateway', file: `${gateway}/sending/decideLane.ts`, replace: `if (receipt !== undefined && standing({ number: receipt.blockNumber, hash: receipt.blockHash }, evidence) === 'yes') return receipt;`, by: 'if (receipt !== undefined) return receipt;' },
  { name: 'batches are confirmed one block too early', seed: 1, scenario: 'gateway', file: `${gateway}/sending/decideLane.ts`, replace: 'return depthOf(evidence.view, batch.block.number) > rules.confirmations\n', by: 'return depthOf(evidence.view, batch.block.number) >= rules.confirmations\n' },
  { name: 'reorganizations are not noticed', seed: 1, scenario: 'gateway', file: `${gateway}/sending/decideLane.ts`, replace: `  const stands = standing(batch.block, evidence);\n  if (stands === 'yes') {`, by: `  const stands = standing(batch.block, evidence);\n  if (stands !== 'unknown') {` },
  { name: 'blocks are linked by number', seed: 3, scenario: 'gateway', file: `${gateway}/sending/confirming/followChain.ts`, replace: 'if (known !== null && before?.hash === child.parentHash) {', by: 'if (known !== null && before !== undefined) {' },
  { name: 'a message ends by the newest block', seed: 1, scenario: 'gateway', file: `${gateway}/batching/composeBatch.ts`, replace: `const isFinal = ending.state === 'expired' ||`, by: `const isFinal = ending.state !== 'sent' ||` },
  { name: 'a value of the newest block counts as unchanged at acceptance', seed: 1, scenario: 'gateway', file: `${gateway}/intake/policy/judgeMessage.ts`, replace: ' && (await isSetFinally(chain, operation, signer, await newestFinal()));', by: ';' },
  { name: 'a hold whose block left the chain decides', seed: null, scenario: 'gateway', file: `${gateway}/batching/isFinalHold.ts`, replace: 'return block?.hash === held.hash;', by: 'return block !== undefined;' },
  // Budgets and repetitions
  { name: 'budgets are not checked', seed: 1, scenario: 'gateway', file: `${gateway}/requests/requestStore.ts`, replace: 'CASE WHEN used > gas THEN 0 ELSE 1 END', by: 'CASE WHEN used > 2 * gas THEN 0 ELSE 1 END' },
  { name: 'reserved gas is not released', seed: 1, scenario: 'gateway', file: `${gateway}/budgets/spendingStore.ts`, replace: '-reserved_gas as reserved, 0 as spent from ended', by: '0 as reserved, 0 as spent from ended' },
  // Found by seed 990162.
  { name: 'the gas of an expired message is released while its transaction can be mined', seed: null, scenario: 'gateway', file: `${gateway}/budgets/spendingStore.ts`, replace: "b.batch_id = ended.batch_id and b.state in ('prepared', 'sent', 'mined')", by: 'b.batch_id = ended.batch_id and false' },
  { name: 'a refused message that is sent again keeps its whole reservation', seed: 3, scenario: 'gateway', file: `${gateway}/budgets/spendingStore.ts`, replace: 'least(r.reserved_gas, coalesce(m.gas_used, 0)) as used', by: '0 as used' },
  { name: 'a repeated message is stored again', seed: 1, scenario: 'gateway', file: `${gateway}/requests/requestStore.ts`, replace: 'ON CONFLICT (deployment, digest, signer) DO NOTHING', by: `ON CONFLICT (deployment, digest, signer) DO UPDATE SET state = 'verified', sequence = DEFAULT` },
  { name: 'a lost commit counts as done', seed: null, scenario: 'gateway', file: 'packages/platform/database/runTransaction.ts', replace: `throw translateDatabaseError(error, 'COMMIT');`, by: `return { command: 'COMMIT', error };` },
  // Found by seed 999023.
  { name: 'events are assigned to changes without their order', seed: null, scenario: 'gateway', file: `${gateway}/calls/decodeOutcomes.ts`, replace: 'const matched = matchChanges(', by: 'const matched = ((wanted: readonly (string | null)[], found: readonly string[]) => wanted.map((each, at) => found.filter((one) => one === each).length > wanted.slice(0, at).filter((one) => one === each).length))(' },
  // Found by seed 840010: the exit was confirmed by the event of the entry.
  { name: 'an exit shares a transaction with an entry that can replace the node', seed: null, scenario: 'gateway', file: `${gateway}/batching/composeBatch.ts`, replace: 'Math.min(fitting, countUnambiguous(queue))', by: 'Math.min(fitting, countUnambiguous([]) + fitting)' },
  // Found by seed 810004, and by 810006 since the active set can be full: nonces were those of the other program.
  { name: 'an endpoint that is behind a transaction of another program decides the next nonce', seed: null, scenario: 'gateway', file: `${gateway}/sending/batchStore.ts`, replace: '[batchId, reason, at, block.number, fromHex(block.hash), time]', by: '[batchId, reason, at, ...[block.number, fromHex(block.hash), time].map(() => null)]' },
  // Found by seed 840009, and by seed 810006 before nodes contended for places: a reorganization removed the block of the other program.
  { name: 'a transaction of another program counts before its block is final', seed: null, scenario: 'gateway', file: `${gateway}/sending/decideLane.ts`, replace: "depthOf(evidence.view, user.block.number) > rules.confirmations\n    ? { do: 'abandon'", by: "depthOf(evidence.view, user.block.number) > 2\n    ? { do: 'abandon'" },
];
