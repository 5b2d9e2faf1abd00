/**
 * Parts of the importance and how much each counts, unless the request says otherwise. Apart from the schema, since that
 * loads 0.5 s worth of TypeBox, which the engine's process has no use for.
 */
export const defaultWeights = { motion: 1, sound: 1, speech: 0.5 } as const;
