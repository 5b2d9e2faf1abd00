/** Exponent of the candidate's popularity in the neighbour half of the order of related items. */
export const popularityExponent = 0.3;
