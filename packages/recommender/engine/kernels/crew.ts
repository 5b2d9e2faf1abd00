import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';

/** Places in the memory that a member shares with its crew. */
export const orderCount = 0;
export const answerCount = 1;
/** How long to wait at once before progress is reported and a lost member is thought of. */
const waitMs = 250;
/** A member that neither finishes nor takes a further piece of work for so long is lost. */
const patienceMs = 600_000;

/** More than any order has pieces. */
const noFurther = 2 ** 30;

/** Something that all threads do together, by the name of its kind; its content is cloned, shared memory is shared. */
export interface Order {
  kind: string;
  content: unknown;
}

/** What a member sends back. */
type Answer = { result: unknown } | { error: unknown };

interface Member {
  worker: Worker;
  port: MessagePort;
  counts: Int32Array;
}

let members: Member[] = [];

/** How many threads work in this process, this one included. */
export function crewSize(): number {
  return members.length + 1;
}

/**
 * Starts threads for the trainings of this process, so that there are `threads` with this one. They wait without the
 * processor between orders and do not keep the process alive. Results do not depend on their number.
 */
export async function openCrew(threads: number): Promise<void> {
  await closeCrew();
  const started = Array.from({ length: Math.max(0, threads - 1) }, () => startMember());
  members = await Promise.all(started);
}

export async function closeCrew(): Promise<void> {
  const leaving = members;
  members = [];
  await Promise.all(leaving.map(({ worker }) => worker.terminate()));
}

async function startMember(): Promise<Member> {
  const { port1, port2 } = new MessageChannel();
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('./crewMember.mjs', import.meta.url), {
    workerData: { port: port2, counts },
    transferList: [port2],
    execArgv: [],
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  port1.unref();
  worker.unref();
  return { worker, port: port1, counts };
}

/**
 * Lets all members carry out an order while this thread does its own share, and waits for them.
 * @param share what this thread does; its result comes first
 * @param report called now and then while others still work
 * @param pieces counts the pieces of work that were taken; as long as it rises, members are alive
 * @throws what a member threw
 */
export function runOrder(order: Order, share: () => unknown, report: () => void, pieces: Int32Array): unknown[] {
  for (const { port, counts } of members) {
    port.postMessage(order);
    Atomics.add(counts, orderCount, 1);
    Atomics.notify(counts, orderCount);
  }
  let answered = 0;
  try {
    const results = [share()];
    for (; answered < members.length; answered++) results.push(awaitAnswer(members[answered] as Member, report, pieces));
    return results;
  } catch (error) {
    // Nobody takes a further piece, so that the members are ready for the next order soon.
    Atomics.store(pieces, 0, noFurther);
    for (const member of members.slice(answered)) {
      try {
        awaitAnswer(member, () => {}, pieces);
      } catch {
        // The first error is the one that is thrown.
      }
    }
    throw error;
  }
}

function awaitAnswer({ port, counts }: Member, report: () => void, pieces: Int32Array): unknown {
  const orders = Atomics.load(counts, orderCount);
  let taken = Atomics.load(pieces, 0);
  let patience = patienceMs;
  for (let answers = Atomics.load(counts, answerCount); answers < orders; answers = Atomics.load(counts, answerCount)) {
    if (Atomics.wait(counts, answerCount, answers, waitMs) !== 'timed-out') continue;
    report();
    patience = taken === Atomics.load(pieces, 0) ? patience - waitMs : patienceMs;
    taken = Atomics.load(pieces, 0);
    if (patience <= 0) throw new Error(`a thread of the training has not finished its work for ${patienceMs / 1000} s`);
  }
  const answer = receiveMessageOnPort(port)?.message as Answer | undefined;
  if (answer === undefined) throw new Error('a thread of the training has sent no answer');
  if ('error' in answer) throw answer.error;
  return answer.result;
}
