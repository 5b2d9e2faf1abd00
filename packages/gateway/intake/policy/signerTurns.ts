/** Runs the tasks of one signer in sequence, in order of arrival; tasks of different signers run concurrently. */
export class SignerTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(signer: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(signer) ?? Promise.resolve();
    const result = before.then(work, work);
    const settled = result.catch(() => {});
    this.#last.set(signer, settled);
    try {
      return await result;
    } finally {
      if (this.#last.get(signer) === settled) this.#last.delete(signer);
    }
  }
}
