import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { eventSubject } from '../crash/harness/eventSubject.ts';
import { killLoop } from '../crash/harness/killLoop.ts';
import { createLedger } from '../crash/harness/ledger.ts';
import { makePlace, removePlace } from '../crash/harness/place.ts';
import { killSomething } from '../crash/harness/victims.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const rounds = Number(process.env['VOUCH_TEST_EVENT_ROUNDS'] ?? '300');
const firstSeed = Number(process.env['VOUCH_TEST_EVENT_SEED'] ?? '1');
/** Rounds per data folder. A check reads all batches, so rounds take longer the more there are. */
const stretch = 25;
const shown = 5;

/** Kills server, PostgreSQL or both while events are sent and folded into batches. */
export const killedEvents: HeavyTest = {
  name: 'killedEvents',
  guarantee: `${rounds} times kill -9 ends the server, PostgreSQL or both while events are sent and folded; each acknowledged event is there exactly once`,
  variables: ['VOUCH_TEST_EVENT_ROUNDS', 'VOUCH_TEST_EVENT_SEED'],
  skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
  async run(print) {
    const total = { kills: 0, acknowledged: 0, lost: 0, twice: 0, faulty: 0, unknown: 0 };
    for (let from = 0; from < rounds; from += stretch) {
      const place = await makePlace();
      try {
        const subject = eventSubject(place);
        const command = { ...subject.command, arguments: [...subject.command.arguments, '--only', 'recommender'] };
        const report = await killLoop({ ...subject, command, kill: killSomething }, createLedger<{ events: number }>(), {
          rounds: Math.min(stretch, rounds - from), seed: firstSeed + from, killAfterMs: { from: 100, to: 900 }, timers: systemInterfaces.timers,
        });
        total.kills += report.kills;
        total.acknowledged += report.acknowledged;
        for (const name of ['lost', 'twice', 'faulty', 'unknown'] as const) {
          total[name] += report[name].length;
          for (const line of report[name].slice(0, shown)) print(`${name}: ${line}`);
        }
      } finally {
        await removePlace(place);
      }
      print(`${total.kills} kills, ${total.acknowledged} requests acknowledged, ${total.lost} lost, ${total.twice} doubled, ${total.faulty} incomplete, ${total.unknown} unasked`);
      const { lost, twice, faulty, unknown } = total;
      expectEqual('lost, doubled, incomplete, unasked', [lost, twice, faulty, unknown], [0, 0, 0, 0]);
    }
  },
};
