/**
 * Default weights of the terms of the importance. In a file of their own: the schema loads TypeBox, which takes 0.5 s and
 * which the process of the engine does not need.
 */
export const defaultWeights = { motion: 1, sound: 1, speech: 0.5 } as const;
