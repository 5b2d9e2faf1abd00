// Used by pointPreload.mjs: a folder as a disk without power would keep it. It keeps the content of a file as of its last sync, and the entries of a
// folder as of the folder's last sync.
import { fstatSync, linkSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose content no promise is about: each start empties the first, and the second belongs to PostgreSQL. */
const apart = ['scratch', 'postgres'];

/**
 * Begins with all that the folder contains as synced.
 * @param {string} root
 * @param {string} kept folder for links to the synced files, on the same file system
 */
export function watchPower(root, kept) {
  /** Entries at the last sync of each folder, by its inode. */
  const listings = new Map();
  /** Size at the last sync of each file, by its inode. */
  const sizes = new Map();
  const inodeOf = (path) => lstatSync(path).ino;

  function list(folder) {
    const entries = new Map();
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (folder === root && apart.includes(entry.name)) continue;
      const path = join(folder, entry.name);
      const inode = inodeOf(path);
      entries.set(entry.name, { inode, isFolder: entry.isDirectory() });
      // A removed file keeps its inode while the link exists, so no new file gets it.
      if (!entry.isDirectory()) keep(path, inode);
    }
    listings.set(inodeOf(folder), entries);
    return entries;
  }

  function keep(path, inode) {
    try {
      linkSync(path, join(kept, String(inode)));
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }

  function begin(folder) {
    for (const [name, { inode, isFolder }] of list(folder)) {
      const path = join(folder, name);
      if (isFolder) begin(path);
      else sizes.set(inode, lstatSync(path).size);
    }
  }

  /** Gives a folder the entries that it had at its last sync. */
  function revert(folder, inode) {
    const durable = listings.get(inode) ?? new Map();
    for (const name of readdirSync(folder)) {
      if (folder === root && apart.includes(name)) continue;
      if (durable.get(name)?.inode !== inodeOf(join(folder, name))) rmSync(join(folder, name), { recursive: true, force: true });
    }
    const present = new Set(readdirSync(folder));
    for (const [name, entry] of durable) {
      const path = join(folder, name);
      if (!present.has(name) && entry.isFolder) mkdirSync(path);
      else if (!present.has(name)) linkSync(join(kept, String(entry.inode)), path);
      if (entry.isFolder) revert(path, entry.inode);
    }
  }

  function cut(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (folder === root && apart.includes(entry.name)) continue;
      if (entry.isDirectory()) cut(path);
      else if (entry.isFile()) {
        const { ino, size } = lstatSync(path);
        const synced = sizes.get(ino) ?? 0;
        if (size > synced) truncateSync(path, synced);
      }
    }
  }

  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept, { recursive: true });
  begin(root);

  return {
    /** Call after a file or folder was opened that may be new: its inode may have been that of a synced file. */
    opened(descriptor) {
      const { ino, size } = fstatSync(descriptor);
      if (size === 0) sizes.delete(ino);
    },
    /** Call after the sync of an open file or folder. */
    synced(descriptor, path) {
      const found = fstatSync(descriptor);
      if (!found.isDirectory()) sizes.set(found.ino, found.size);
      else if (statSync(path).ino === found.ino) list(path);
    },
    /** Call after a file was written and synced in one step. */
    written(path) {
      const { ino, size } = statSync(path);
      sizes.set(ino, size);
    },
    /** Takes away what was not synced: with `names`, the content of files, else also the entries of folders. */
    lose({ names }) {
      if (!names) revert(root, inodeOf(root));
      cut(root);
    },
  };
}
