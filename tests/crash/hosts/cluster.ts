import { vouchProgram } from '../../../bench/harness/serveVouch.ts';
import { networkNames, type Machine } from '../gateway/networks.ts';
import { makePlace, removePlace, stopService, waitUntil } from '../harness/place.ts';
import { processTree } from '../harness/processTree.ts';
import { startService, type Service } from '../harness/service.ts';
import { placeEnvironment, untilReady, type VouchPlace } from '../harness/vouchSubjects.ts';

export const leaseSeconds = 4;
const readyTimeoutMs = 240_000;
const port = 8_080;

/** A machine that runs `vouch serve --no-worker` or `vouch worker`. */
export interface Host {
  role: 'serve' | 'worker';
  machine: Machine;
  place: VouchPlace;
  service: Service;
}

/** Starts the service of a host again. The data folder stays, as on a machine that restarts. */
export async function startHost(host: Pick<Host, 'role' | 'machine' | 'place'>, environment: Readonly<Record<string, string>>): Promise<Host> {
  const { role, machine, place } = host;
  const [first = '', ...words] = [...machine.prefix, process.execPath, vouchProgram, ...(role === 'serve' ? ['serve', '--no-worker'] : ['worker'])];
  for (;;) {
    const service = await startService({
      program: first, arguments: words, folder: place.folder,
      environment: { ...placeEnvironment(place), VOUCH_LOG_LEVEL: 'warn', VOUCH_JOB_LEASE_SECONDS: String(leaseSeconds), VOUCH_TRAIN_NICENESS: '0', VOUCH_VIDEO_NICENESS: '0', ...environment },
    });
    let over = false;
    void service.ended.then(() => { over = true; });
    if (role === 'serve') await Promise.race([untilReady(place, AbortSignal.timeout(readyTimeoutMs)), service.ended]);
    else await waitUntil('the worker works', async () => over || service.output().includes('Working on'));
    // A program that finds no database ends with an explanation; an operator's supervisor starts it again.
    if (!over) return { role, machine, place, service };
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
