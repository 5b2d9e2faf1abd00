/**
 * Default weights of the terms of the importance. They are in a separate file because the schema loads TypeBox, which takes
 * 0.5 s and which the engine process does not need.
 */
export const defaultWeights = { motion: 1, sound: 1, speech: 0.5 } as const;
