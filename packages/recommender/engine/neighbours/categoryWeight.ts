/**
 * How much the same categories count in the order of related items. Recall@20 of held-out MovieLens pairs (and weighted by
 * d_j^-1/2) for 0, 2, 3, 4: .071 (.032), .060 (.030), .056 (.028), .054 (.027), item-kNN .049 (.025); places of "Toy
 * Story 2" and "A Bug's Life" in the list of "Toy Story": 28 and 75, 2 and 11, 2 and 9, 2 and 8.
 */
export const categoryWeight = 3;
