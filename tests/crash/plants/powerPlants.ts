import type { PlantedCrash } from './plantedCrash.ts';

const blobs = 'packages/platform/blobs';
const answered = /after answer to POST/;
const finished = /after rename .*manifest/;

/** Syncs that are forgotten. Only the loss of power shows these. */
export const powerPlants: readonly PlantedCrash[] = [
  { name: 'the content of a blob is not synced', operation: 'upload', death: 'power', near: answered, file: `${blobs}/receiveContent.ts`, replace: 'await file.sync();', by: '' },
  { name: 'the folder of a blob is not synced', operation: 'upload', death: 'power', near: answered, file: `${blobs}/folderBlobs.ts`,
    replace: '        await syncPath(dirname(path));\n        await syncPath(dirname(dirname(path)));\n', by: '        await syncPath(dirname(dirname(path)));\n' },
  { name: 'the parent folder of a new folder of blobs is not synced', operation: 'upload', death: 'power', near: answered, file: `${blobs}/folderBlobs.ts`,
    replace: '        await syncPath(dirname(dirname(path)));\n', by: '' },
  { name: 'the folder of a new blob store is not synced', operation: 'restore', death: 'power', near: /after COMMIT of INSERT INTO "models"/, file: `${blobs}/folderBlobs.ts`,
    replace: '    await syncFolder(dirname(this.#root));\n', by: '' },
  { name: 'the file of a stage is not synced', operation: 'training', death: 'powerKeepsNames', near: /after UPDATE jobs SET checkpoints/, file: `${blobs}/folderBlobs.ts`, replace: '      await syncPath(path);\n', by: '' },
  { name: 'the manifest is not synced', operation: 'backup', death: 'powerKeepsNames', near: finished, file: 'packages/platform/process/writeFileAtomically.ts', replace: '      await file.sync();\n', by: '' },
  { name: 'the tables of a backup are not synced', operation: 'backup', death: 'powerKeepsNames', near: finished, file: 'packages/platform/database/backup/dumpTables.ts', replace: '    await file.sync();\n', by: '' },
  { name: 'the blobs of a backup are not synced', operation: 'backup', death: 'powerKeepsNames', near: finished, file: 'packages/vouch/backup/writeBackup.ts', replace: "mode: 0o600, flush: true }", by: 'mode: 0o600 }' },
  { name: 'the folders of a backup are not synced', operation: 'backup', death: 'power', near: /after sync backup-\*$/, file: 'packages/vouch/backup/writeBackup.ts', replace: "[...parts, '.', '..']", by: "['.', '..']" },
];
