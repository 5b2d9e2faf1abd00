/** What one visitor did, oldest first, as `history` of POST /v1/recommender/recommend. */
export interface Visit {
  id: string;
  type: 'view' | 'purchase' | 'dislike';
}

const maxVisitors = 10_000;
const maxVisits = 50;

/** The sessions of anonymous visitors in the memory of the shop; the longest inactive visitor is forgotten first. */
export class Visitors {
  private readonly visits = new Map<string, Visit[]>();

  of(visitor: string): readonly Visit[] {
    return this.visits.get(visitor) ?? [];
  }

  add(visitor: string, visit: Visit): void {
    const own = [...this.of(visitor).slice(1 - maxVisits), visit];
    this.visits.delete(visitor);
    this.visits.set(visitor, own);
    const [oldest] = this.visits.keys();
    if (this.visits.size > maxVisitors && oldest !== undefined) this.visits.delete(oldest);
  }
}
