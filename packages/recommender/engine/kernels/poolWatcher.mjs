// Starts the threads of a crew and hears how they end: the thread that gives the orders waits for answers and hears no events.
import { parentPort, Worker, workerData } from 'node:worker_threads';

const { program, resourceLimits, members, endedAt, reasons } = workerData;
let waitedFor = members.length;
if (waitedFor === 0) parentPort.postMessage('ready', []);
for (const { port, counts } of members) {
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
