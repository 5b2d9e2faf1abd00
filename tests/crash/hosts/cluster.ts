import { networkNames, type Machine } from '../harness/networks.ts';
import { makePlace, removePlace, runVouch, startWorker, stopService } from '../harness/place.ts';
import { processTree } from '../harness/processTree.ts';
import type { Service } from '../harness/service.ts';
import { untilReady, type VouchPlace } from '../harness/vouchSubjects.ts';

const readyTimeoutMs = 240_000;
const port = 8_080;

/** A machine that runs `vouch serve --no-worker` or `vouch worker`. */
export interface Host {
  role: 'serve' | 'worker';
  machine: Machine;
  place: VouchPlace;
  service: Service;
}

/** Starts the service of a host, also again: the data folder stays, as on a machine that restarts. */
export async function startHost({ role, machine, place }: Pick<Host, 'role' | 'machine' | 'place'>, environment: Readonly<Record<string, string>>): Promise<Host> {
  if (role === 'worker') return { role, machine, place, service: await startWorker(place, environment, machine.prefix) };
  for (;;) {
    const service = await runVouch(place, ['serve', '--no-worker'], environment, machine.prefix);
    const ended = service.ended.then(() => true);
    const isOver = await Promise.race([ended, untilReady(place, AbortSignal.timeout(readyTimeoutMs)).then(() => false)]);
    // A server that finds no database exits with an explanation, so the test starts it again, as an operator would.
    if (!isOver) return { role, machine, place, service };
  }
}

/** Creates the place of a host. */
export async function makeHost(role: Host['role'], machine: Machine): Promise<Pick<Host, 'role' | 'machine' | 'place'>> {
  return { role, machine, place: { ...(await makePlace()), host: machine.address('web'), port } };
}

/** Unplugs all cables, so that no peer learns that connections close, and ends all processes. */
export async function loseHost({ machine }: Host): Promise<void> {
  await machine.cut(...networkNames);
  await machine.kill();
}

export async function removeHost(host: Host): Promise<void> {
  await host.machine.kill();
  await host.service.ended;
  await removePlace(host.place);
}

/** Sends SIGTERM and starts the service again, as an update does. */
export async function updateHost(host: Host, environment: Readonly<Record<string, string>>): Promise<Host> {
  await stopService(host.service);
  return startHost(host, environment);
}

/** Whether a worker runs the engine of a video run now. */
export function hasVideoRun({ service }: Host): boolean {
  return processTree(service.processId).some(({ command }) => command.includes('engine.child'));
}
