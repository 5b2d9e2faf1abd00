import type { GivenHistory } from './givenHistory.ts';

/** An item with a trend that recent interactions raised. */
export interface RaisedItem {
  item: number;
  trend: number;
}

/** What happened since a model was trained. The engine asks at each query, so answers include changes at once. */
export interface RecentChanges {
  /**
   * Returns the history of an entity with newer interactions.
   * @param node node of the entity; -1 if the model does not know the entity
   * @returns null if there are no newer interactions
   */
  historyOf(id: string, node: number): GivenHistory | null;
  /** Why an entity may be unknown to the model, as a sentence; null if nothing is known about the reason. */
  unknownCause(id: string): string | null;
  /** Whether no list and no reason may name the entity. */
  isHidden(id: string): boolean;
  /** Returns 1 for each item that no list may contain; null if there is none. */
  hidden(): Uint8Array | null;
  /** Returns the items of a type that newer interactions raised, by descending trend. @param type type index, -1 for items without a type */
  raised(type: number): readonly RaisedItem[];
}
