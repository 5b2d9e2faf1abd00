/** An item of a list that is being arranged: its reported score, and its ranking value, which reasons need. */
export interface Entry {
  item: number;
  score: number;
  value: number;
}
