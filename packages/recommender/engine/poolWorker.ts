import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { visitShare } from './neighbours/visitShare.ts';
import { listUsers } from './query/listUsers.ts';
import { answerCount, orderCount, type Order } from './kernels/workerPool.ts';
import { runJobShare } from './kernels/jobs.ts';

// The program of a thread: waits for orders, carries them out, answers.

const { port, counts } = workerData as { port: MessagePort; counts: Int32Array };
const kinds: Readonly<Record<string, (content: never) => unknown>> = { jobs: runJobShare, rows: visitShare, lists: listUsers };

parentPort?.postMessage('ready', []);
for (let done = 0; ; done++) {
  while (Atomics.load(counts, orderCount) === done) Atomics.wait(counts, orderCount, done);
  const order = receiveMessageOnPort(port)?.message as Order | undefined;
  try {
    port.postMessage({ result: order === undefined ? undefined : kinds[order.kind]?.(order.content as never) });
  } catch (error) {
    port.postMessage({ error });
  }
  Atomics.add(counts, answerCount, 1);
  Atomics.notify(counts, answerCount);
}
