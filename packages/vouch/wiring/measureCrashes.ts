import { Counter, Gauge, type Registry } from 'prom-client';
import type { Supervisor } from '../terminal/supervisor.ts';

/**
 * Adds two metrics: the number of restarts after a crash and the time of the last crash, both since the start of `vouch serve`.
 */
export function measureCrashes(metrics: Registry, supervisor: Pick<Supervisor, 'crashes' | 'lastCrash'> | null): void {
  const crashes: Counter = new Counter({
    name: 'vouch_crashes_total',
    help: 'Crashes since the start of vouch serve after which the server was restarted.',
    registers: [metrics],
    collect() {
      crashes.reset();
      crashes.inc(supervisor?.crashes() ?? 0);
    },
  });
  const last: Gauge = new Gauge({
    name: 'vouch_last_crash_timestamp_seconds',
    help: 'Time of the last crash, in seconds since 1970; 0 without a crash since the start of vouch serve.',
    registers: [metrics],
    collect() {
      const { at } = supervisor?.lastCrash() ?? {};
      last.set(at === undefined ? 0 : Date.parse(at) / 1_000);
    },
  });
}
