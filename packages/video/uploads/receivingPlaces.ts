import { platformErrors } from '@vouch/platform/errors/platformErrors';

/** Bodies that one process receives at the same time; each holds one piece in memory. */
const maxBodies = 16;
/** Bodies of one organization, so that its slow senders cannot take every place. */
const maxBodiesPerOwner = 4;

/** Counts the bodies that this process receives, in total and by organization. */
export class ReceivingPlaces {
  readonly #owners = new Map<string, number>();

  /** Takes a place; `leave` gives it back. @throws Problem `overloaded` */
  enter(owner: string): void {
    const own = this.#owners.get(owner) ?? 0;
    if (own >= maxBodiesPerOwner) throw overloaded(`The server receives ${own} parts of uploads of the organization, the limit`);
    const all = [...this.#owners.values()].reduce((sum, count) => sum + count, 0);
    if (all >= maxBodies) throw overloaded(`The server receives ${all} parts of uploads, its limit`);
    this.#owners.set(owner, own + 1);
  }

  leave(owner: string): void {
    const own = this.#owners.get(owner) ?? 0;
    if (own > 1) this.#owners.set(owner, own - 1);
    else this.#owners.delete(owner);
  }
}

function overloaded(what: string): Error {
  return platformErrors.problem('overloaded', `${what}. Repeat the request after a second.`, { headers: { 'retry-after': '1' } });
}
