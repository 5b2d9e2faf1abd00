const never = new Int32Array(new SharedArrayBuffer(4));

/** Node makes its pipes non-blocking; a full or empty one is tried again every millisecond. */
export function waitForPipe<Result>(attempt: () => Result): Result {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(never, 0, 0, 1);
    }
  }
}
