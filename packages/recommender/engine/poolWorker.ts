import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { visitShare } from './neighbours/visitShare.ts';
import { listUsers } from './query/listUsers.ts';
import { answerCount, taskCount, type Task } from './kernels/workerPool.ts';
import { runJobShare } from './kernels/jobs.ts';

// Program of a worker pool thread: the thread waits for tasks, runs its share of each task and sends the result.

const { port, counts } = workerData as { port: MessagePort; counts: Int32Array };
const kinds: Readonly<Record<string, (content: never) => unknown>> = { jobs: runJobShare, rows: visitShare, lists: listUsers };

parentPort?.postMessage('ready', []);
for (let done = 0; ; done++) {
  while (Atomics.load(counts, taskCount) === done) Atomics.wait(counts, taskCount, done);
  const task = receiveMessageOnPort(port)?.message as Task | undefined;
  try {
    port.postMessage({ result: task === undefined ? undefined : kinds[task.kind]?.(task.content as never) });
  } catch (error) {
    port.postMessage({ error });
  }
  Atomics.add(counts, answerCount, 1);
  Atomics.notify(counts, answerCount);
}
