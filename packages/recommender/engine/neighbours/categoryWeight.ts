/**
 * Weight of shared categories in the order of related items. Measured with weights 0, 2, 3 and 4: recall@20 of held-out
 * MovieLens pairs (in parentheses: weighted by d_j^-1/2) is .071 (.032), .060 (.030), .056 (.028) and .054 (.027); item-kNN
 * has .049 (.025). The ranks of "Toy Story 2" and "A Bug's Life" in the list of "Toy Story" are 28 and 75, 2 and 11, 2 and 9,
 * 2 and 8.
 */
export const categoryWeight = 3;
