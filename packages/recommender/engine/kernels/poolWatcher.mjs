// Starts the threads of a worker pool and reports how they end. The training thread cannot do this, because it blocks while
// it waits for answers and receives no events.
import { parentPort, Worker, workerData } from 'node:worker_threads';

const { program, resourceLimits, workers, endedAt, reasons } = workerData;
let waitedFor = workers.length;
if (waitedFor === 0) parentPort.postMessage('ready', []);
for (const { port, counts } of workers) {
  const worker = new Worker(new URL(program), { workerData: { port, counts }, transferList: [port], execArgv: [], resourceLimits });
  let told = false;
  const end = (reason) => {
    if (told) return;
    told = true;
    reasons.postMessage(reason, []);
    Atomics.store(counts, endedAt, 1);
    Atomics.notify(counts, endedAt - 1);
    parentPort.postMessage('ended', []);
  };
  worker.once('error', (error) => end(error.code === undefined ? String(error.stack ?? error) : `${error.code}: ${error.message}`));
  worker.once('exit', (code) => end(`code ${code}`));
  worker.once('message', () => --waitedFor === 0 && parentPort.postMessage('ready', []));
}
