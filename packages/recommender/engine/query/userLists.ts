import { runTask } from '../kernels/workerPool.ts';
import { workspaceOf } from '../kernels/workspace.ts';
import type { SectionContent, SectionFile } from '../modelFile/sectionFile.ts';
import { shareModel } from '../modelFile/sharedModel.ts';
import { storedListLength } from '../modelFile/storedLists.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import { listUsers, type SharedLists } from './listUsers.ts';
import { defaultTypes } from './listOptions.ts';

/** Users whose lists are in memory at the same time: 7 MB. Threads compute the lists of a group, then the lists are written. */
const groupUsers = 4096;

/**
 * The section of the users' stored lists, 1600 bytes per user. All threads of the pool compute the lists from the other
 * sections, which are already written, in the same way as a query would. Only one group of lists is in memory at a time.
 * @param degree number of users that have each item among the latest of their history
 */
export function encodeUserLists(model: TrainedModel, degree: Int32Array): SectionContent {
  const listed = Int32Array.from(model.userNode.keys()).filter((user) => (model.nodeItem[model.userNode[user] ?? 0] ?? -1) < 0);
  const length = listed.length * 2 * storedListLength(model.itemNode.length);
  return { type: 'int32', length, pieces: (written) => (length === 0 ? [] : listGroups(model, degree, listed, written)) };
}

function* listGroups(model: TrainedModel, degree: Int32Array, listed: Int32Array, written: SectionFile): Generator<Uint8Array> {
  const workspace = workspaceOf(model.vectors);
  const mark = workspace?.mark() ?? 0;
  const parts = shareModel(model, degree, written, workspace);
  // Users exist only if there are interactions, so the default types are the types of interaction targets.
  const types = defaultTypes({ facts: { types: [...model.types], targetTypes: [...model.targetTypes] } }, null);
  const length = storedListLength(model.itemNode.length);
  const room = new Int32Array(new SharedArrayBuffer(4 * Math.min(groupUsers, listed.length) * 2 * length));
  try {
    for (let first = 0; first < listed.length; first += groupUsers) {
      const users = listed.slice(first, first + groupUsers);
      const rows = room.subarray(0, users.length * 2 * length);
      const taken = new Int32Array(new SharedArrayBuffer(4));
      const content: SharedLists = { model: parts, types, users, rows, length, taken };
      runTask({ kind: 'lists', content }, () => listUsers(content), () => {}, taken);
      yield new Uint8Array(rows.buffer, 0, rows.byteLength);
    }
  } finally {
    workspace?.release(mark);
  }
}
