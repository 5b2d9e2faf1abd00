/** What the metadata of an interaction states about its weight. */
export interface StatedWeight {
  weight: number | null;
  /** Whether there is a rating. What a rating counts is known only to a training, which sees all ratings. */
  rated: boolean;
}

/** The condition in SQL that metadata has a field which `statedWeight` reads, perhaps in a nested object. */
export const mayStateWeight = `(metadata LIKE '%"weight"%' OR metadata LIKE '%"rating"%' OR metadata LIKE '%"stars"%')`;

/** @param metadata JSON text of an object, or null */
export function statedWeight(metadata: string | null): StatedWeight {
  if (metadata === null || !/"(weight|rating|stars)"/.test(metadata)) return { weight: null, rated: false };
  const { weight, rating, stars } = JSON.parse(metadata) as Record<string, unknown>;
  return { weight: typeof weight === 'number' ? weight : null, rated: typeof (rating ?? stars) === 'number' };
}
