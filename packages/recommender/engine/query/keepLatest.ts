/** Sets an entry of a map with at most `limit` entries, as its latest; removes the entry that was set first. */
export function keepLatest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}
