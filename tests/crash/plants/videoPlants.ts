import type { PlantedCrash } from './plantedCrash.ts';

const runs = 'packages/video/runs';

/** Faults of the summarization of videos. */
export const videoPlants: readonly PlantedCrash[] = [
  { name: 'the files of a run are recorded outside of the transaction that completes it', operation: 'video', near: /after INSERT INTO video_outputs/, file: `${runs}/summarization.ts`,
    replace: 'await insertOutputs(transaction, this.run.runId, outputs);', by: 'await insertOutputs(this.platform.database, this.run.runId, outputs);' },
  { name: 'a run is recorded outside of the transaction of its job', operation: 'video', near: /after INSERT INTO (?:jobs|video_runs)/, file: `${runs}/create.route.ts`,
    replace: 'await insertRun(transaction, organizationId,', by: 'await insertRun(platform.database, organizationId,' },
  { name: 'the kernel does not end the engine with the program', operation: 'video', hidden: 'the guard in its process group ends it too, and without both, it ends when its pipes close', near: /after spawn of engine/, file: 'packages/platform/process/spawnGroup.ts',
    replace: `? ['setpriv', '--pdeathsig', 'KILL', '--', path]`, by: '? [path]' },
  { name: 'a process is started that nothing ends with the program', operation: 'video', near: /after spawn of engine/, file: 'packages/platform/process/spawnGroup.ts',
    replace: "const child = spawn('/bin/sh',", by: "spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });\n  const child = spawn('/bin/sh'," },
];
