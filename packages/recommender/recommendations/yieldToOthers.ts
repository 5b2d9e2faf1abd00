/** Resolves after the events that wait in this process, such as other requests. Work that belongs to no request awaits it between its steps; requests await `nextTurn`. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
