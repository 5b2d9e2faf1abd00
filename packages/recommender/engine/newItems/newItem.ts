/** An entity that a model was not trained with. */
export interface NewItem {
  id: string;
  /** Index of a type of the model; -1 for an entity without a type. */
  type: number;
  name: string;
  mediaUrl: string;
  /** JSON object text; empty if there is none. */
  metadata: string;
}
