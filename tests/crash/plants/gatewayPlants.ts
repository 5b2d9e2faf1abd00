import type { PlantedCrash } from './plantedCrash.ts';

const gateway = 'packages/gateway';

/** Faults of the intake of messages and of their way to the chain. */
export const gatewayPlants: readonly PlantedCrash[] = [
  { name: 'a message is acknowledged before its commit', operation: 'intake', near: /after answer to POST/, file: `${gateway}/intake/storing/requestWriter.ts`,
    replace: 'const fresh = await insertRequests(this.#database, deployment, requests, reservation.day, reservation.budgetsOf(requests));',
    by: `const fresh = await new Promise((resolve, reject) => void this.#database.transaction(async (transaction) => {
        resolve(await insertRequests(transaction, deployment, requests, reservation.day, reservation.budgetsOf(requests)));
        await new Promise((resume) => { setTimeout(resume, 300); });
      }).catch(reject));` },
  { name: 'gas is reserved before its message is stored, in a transaction of its own', operation: 'intake', near: /after COMMIT of .*gateway_/, file: `${gateway}/intake/storing/requestWriter.ts`,
    replace: 'const fresh = await insertRequests(this.#database, deployment, requests, reservation.day, reservation.budgetsOf(requests));',
    by: `await this.#database.transaction((transaction) => reservation.take(transaction, deployment, requests));
      const fresh = await insertRequests(this.#database, deployment, requests, reservation.day);` },
  { name: 'a transaction is sent before it is stored', operation: 'sending', near: /after request POST eth_sendRawTransaction/, file: `${gateway}/sending/advanceLane.ts`,
    replace: 'const stored = await storePrepared(database, {', by: 'await giveToNode(context, batchId, signed, signal);\n  const stored = await storePrepared(database, {' },
  { name: 'a transaction is sent before this is recorded', operation: 'sending', hidden: 'the transaction itself is stored before, so the next process finds its receipt or sends the same bytes again', near: /(?:before|after) request POST eth_sendRawTransaction/, file: `${gateway}/sending/actOnDecision.ts`,
    replace: '  await noteBroadcast(database, batchId, hash, new Date(system.clock.now()));\n', by: '' },
  { name: 'a replacement is sent before it is stored', operation: 'replacing', near: /(?:before insert into gateway_attempts|after request POST eth_sendRawTransaction)/, file: `${gateway}/sending/actOnDecision.ts`,
    replace: '  const at = new Date(system.clock.now());\n  const stored = await storeReplacement(', by: '  const at = new Date(system.clock.now());\n  await broadcast(context.rpc, signed.raw, signal);\n  const stored = await storeReplacement(' },
  { name: 'gas is charged before its batch is final, in a transaction of its own', operation: 'reorganizing', near: /before COMMIT of with refused as \(/, file: `${gateway}/sending/confirming/receiptStore.ts`,
    replace: `  await database.transaction(async (transaction) => {
    const { rowCount } = await transaction.query(
      \`update gateway_batches set state = 'confirmed'`,
    by: `  await database.transaction((transaction) => chargeBatch(transaction, batchId));
  await database.transaction(async (transaction) => {
    const chargeBatch = async (..._charged: unknown[]) => undefined;
    const { rowCount } = await transaction.query(
      \`update gateway_batches set state = 'confirmed'` },
];
