interface Waiting {
  mb: number;
  grant(): void;
}

/**
 * Divides the memory of a worker process among its trainings. Requests are granted in their order, so that small trainings cannot delay a large
 * training forever.
 */
export class MemoryBudget {
  private readonly totalMb: number;
  private freeMb: number;
  private readonly queue: Waiting[] = [];

  /** @param totalMb memory that all trainings share */
  constructor(totalMb: number) {
    this.totalMb = totalMb;
    this.freeMb = totalMb;
  }

  /** Returns whether `reserve` would grant this request at once. */
  hasRoom(mb: number): boolean {
    return this.queue.length === 0 && Math.min(mb, this.totalMb) <= this.freeMb;
  }

  /**
   * Waits until the memory is free. A request above the total counts as the total: this training then runs alone.
   * @returns a function that gives the memory back
   * @throws the reason of the signal if it aborts during the wait
   */
  async reserve(wantedMb: number, signal: AbortSignal): Promise<() => void> {
    const mb = Math.min(wantedMb, this.totalMb);
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const request = { mb, grant: resolve };
      this.queue.push(request);
      signal.addEventListener('abort', () => {
        this.withdraw(request);
        reject(signal.reason);
      }, { once: true });
      this.grantNext();
    });
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.freeMb += mb;
      this.grantNext();
    };
  }

  private withdraw(request: Waiting): void {
    const at = this.queue.indexOf(request);
    if (at < 0) return;
    this.queue.splice(at, 1);
    this.grantNext();
  }

  private grantNext(): void {
    for (let first = this.queue[0]; first !== undefined && first.mb <= this.freeMb; first = this.queue[0]) {
      this.queue.shift();
      this.freeMb -= first.mb;
      first.grant();
    }
  }
}
