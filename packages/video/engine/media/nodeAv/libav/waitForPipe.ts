const never = new Int32Array(new SharedArrayBuffer(4));

/** Retries a call on a pipe every millisecond while the pipe is full or empty, because Node's pipes are non-blocking. */
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
