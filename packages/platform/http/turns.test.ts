import { beforeEach, expect, it } from 'vitest';
import { noSender, Turns } from './turns.ts';

let begun: string[];
let soon: (() => void)[];
let connectionsInUse: number;
/** Time that passes whenever the clock is read, in milliseconds: by default, a slice is over after one request. */
let step: number;
let elapsed: number;
let turns: Turns;

beforeEach(() => {
  begun = [];
  soon = [];
  connectionsInUse = 0;
  [step, elapsed] = [1, 0];
  turns = new Turns({
    connectionsInUse: () => connectionsInUse,
    shares: { alone: { sliceMs: 1, places: 2 }, shared: { sliceMs: 0.5, places: 1 } },
    soon: (work) => soon.push(work), elapsedMs: () => (elapsed += step),
  });
});

/** Lets the event loop turn until nothing is left to do. */
function settle(): void {
  for (let work = soon.shift(); work !== undefined; work = soon.shift()) work();
}

function start(sender: string, count: number, takesPlace = true): void {
  for (let number = 1; number <= count; number++) turns.start(sender, () => begun.push(`${sender}${number}`), takesPlace);
}

it('a request begins at once if no other request waits, and then one per turn of the event loop', () => {
  start('a', 3);
  expect(begun).toEqual(['a1']);
  soon.shift()?.();
  expect(begun).toEqual(['a1', 'a2']);
  settle();
  start('b', 1);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
});

it('requests begin at once until the slice of time is over, and go on in the next turn of the event loop', async () => {
  step = 0;
  start('a', 20, false);
  expect(begun).toHaveLength(20);
  elapsed += 1;
  start('a', 3, false);
  start('b', 1, false);
  expect(begun).toHaveLength(20);
  soon.shift()?.();
  await new Promise(setImmediate);
  expect(begun.slice(20)).toEqual(['a1', 'b1', 'a2', 'a3']);
});

it('beyond its places, a sender begins one request per slice, however short the requests are', () => {
  step = 0;
  start('a', 5);
  start('b', 1);
  expect(begun).toEqual(['a1', 'a2']);
  soon.shift()?.();
  expect(begun.slice(2)).toEqual(['a3']);
  settle();
  expect(begun).toHaveLength(6);
});

it('senders take turns, however many requests another has sent before', () => {
  start('a', 50);
  start('b', 2);
  start('c', 1);
  settle();
  expect(begun.slice(0, 7)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect(begun).toHaveLength(53);
});

it('the steps of a long answer wait for their turn too, and never continue at once', () => {
  turns.continue('a', () => begun.push('step'));
  expect(begun).toEqual([]);
  start('a', 2);
  start('b', 1);
  settle();
  expect(begun).toEqual(['step', 'b1', 'a1', 'a2']);
});

it('while connections are scarce, a sender has a bounded number of requests in progress', () => {
  connectionsInUse = 3;
  start('a', 4);
  settle();
  expect(begun).toEqual(['a1', 'a2']);
  turns.leave('a');
  settle();
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  connectionsInUse = 2;
  turns.leave('a');
  settle();
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
});

it('beside another sender, a sender has fewer requests in progress, until the other has sent none for a second', () => {
  step = 0;
  connectionsInUse = 3;
  start('b', 1);
  start('a', 3);
  settle();
  expect(begun).toEqual(['b1', 'a1']);
  elapsed += 999;
  turns.leave('b');
  settle();
  expect(begun).toHaveLength(2);
  elapsed += 1;
  start('a', 1, false);
  settle();
  expect(begun).toEqual(['b1', 'a1', 'a1', 'a2']);
});

it('beside another sender, slices are shorter', () => {
  step = 0;
  const startLong = (sender: string): void => {
    for (let number = 0; number < 6; number++) turns.start(sender, () => { begun.push(sender); elapsed += 0.3; }, false);
  };
  startLong('a');
  expect(begun).toHaveLength(4);
  settle();
  start('b', 1, false);
  settle();
  begun = [];
  startLong('a');
  expect(begun).toHaveLength(2);
});

it('requests without a key do not shorten the slices of an organization', () => {
  step = 0;
  turns.start(noSender, () => undefined, false);
  settle();
  for (let number = 0; number < 6; number++) turns.start('a', () => { begun.push('a'); elapsed += 0.3; }, false);
  expect(begun).toHaveLength(4);
});

it('a request that takes no place overtakes requests that wait for one', () => {
  connectionsInUse = 3;
  start('a', 3);
  settle();
  start('a', 1, false);
  settle();
  expect(begun).toEqual(['a1', 'a2', 'a1']);
});
