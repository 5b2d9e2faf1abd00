import type { Blobs } from './blobs.ts';

/** Returns the store as a plain object whose functions do not use `this`, so that a wrapper can copy the object and replace some functions. */
export function plainBlobs(store: Blobs): Blobs {
  const { kind, place } = store;
  return {
    kind,
    place,
    putFile: (path) => store.putFile(path),
    adoptFile: (path, blob) => store.adoptFile(path, blob),
    putStream: (content) => store.putStream(content),
    read: (name, range) => store.read(name, range),
    stat: (name) => store.stat(name),
    localPath: (name) => store.localPath(name),
    remove: (name, storedBefore) => store.remove(name, storedBefore),
    list: () => store.list(),
    owner: () => store.owner(),
    setOwner: (mark, seen) => store.setOwner(mark, seen),
    check: () => store.check(),
    ...(store.clockDifferenceMs === undefined ? {} : { clockDifferenceMs: () => store.clockDifferenceMs?.() ?? null }),
  };
}
