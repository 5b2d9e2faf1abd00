/** Resolves after the events that wait in this process, such as other requests. Long queries await it between their steps. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
