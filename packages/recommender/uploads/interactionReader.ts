import { startNodeChild, type NodeChild } from '@vouch/platform/process/nodeChild';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { nextPage, parsePage, type FileInteraction, type InteractionPage, type ReadRequest } from './readInteractions.messages.ts';

const memoryBytes = 600_000_000;

/** Reads interactions of uploaded files, one file after the other, in one child process, which starts with the first file. */
export class InteractionReader {
  private readonly timers: Timers;
  private readonly niceness: number;
  private child: NodeChild | null = null;
  private answer: ((page: InteractionPage) => void) | null = null;

  /** @param niceness priority of the child: from 0 to 19, the lowest */
  constructor(timers: Timers, niceness: number) {
    this.timers = timers;
    this.niceness = niceness;
  }

  /**
   * Reads one file. Only one file may be read at a time.
   * @param visit called with each page; the next page is read after the promise resolves. If it rejects, the rest of the file is not read
   * @param signal aborting ends the child
   * @throws ChildFailed if the child ends before the whole file is read
   */
  async read(request: ReadRequest, visit: (page: readonly FileInteraction[]) => Promise<void> | void, signal?: AbortSignal): Promise<void> {
    const child = this.child ??= this.start();
    const cancel = (): void => child.stop({ kind: 'cancelled' });
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for (let message: unknown = request, isLast = false; !isLast; message = nextPage) {
        const page = await this.ask(child, message);
        await visit(page.interactions);
        ({ isLast } = page);
      }
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Ends the child. Resolves when no process of the child is left. */
  async end(): Promise<void> {
    const { child } = this;
    this.child = null;
    child?.stop({ kind: 'cancelled' });
    await child?.done.catch(() => {});
  }

  private start(): NodeChild {
    const child = startNodeChild({
      name: 'the reader of uploaded interactions',
      file: new URL('./readInteractions.child.ts', import.meta.url),
      limits: { memoryBytes },
      niceness: this.niceness,
      parse: parsePage,
      received: (page) => this.answer?.(page),
    }, this.timers);
    // If no file is being read, the next read reports the end.
    child.done.catch(() => {});
    return child;
  }

  private async ask(child: NodeChild, message: unknown): Promise<InteractionPage> {
    const answered = new Promise<InteractionPage>((resolve) => { this.answer = resolve; });
    // A failed send means that the child has ended; `done` contains the reason.
    child.send(message).catch(() => {});
    const page = await Promise.race([answered, child.done]);
    if (page === undefined) throw new Error('the reader of uploaded interactions ended before the end of the file');
    return page;
  }
}
