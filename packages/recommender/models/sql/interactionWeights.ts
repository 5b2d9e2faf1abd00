/** Weights of a training by interaction type. */
export type TypeWeights = Readonly<Record<string, number>>;

/** Largest absolute value of a weight; a larger weight is a mistake in its unit. */
export const largestWeight = 100;

/**
 * Weights of the types that mean a rejection, if a request sets none. The words are in lower case without blanks, `_`, `-` and `.`, in which form
 * types are compared: `Not Interested` and `not_interested` are the same word. All other types count 1.
 */
const usualWeights: TypeWeights = {
  dislike: -1, disliked: -1, downvote: -1, downvoted: -1, thumbsdown: -1, thumbdown: -1, hate: -1, notinterested: -1,
  block: -1, blocked: -1, hide: -1, hidden: -1, ban: -1, report: -1, reported: -1, complaint: -1,
  return: -1, returned: -1, refund: -1, refunded: -1, chargeback: -1,
  unsubscribe: -1, unsubscribed: -1, unfollow: -1, unfollowed: -1, uninstall: -1, uninstalled: -1,
  skip: -0.5, skipped: -0.5, dismiss: -0.5, dismissed: -0.5, unlike: -0.5, unliked: -0.5, removefromcart: -0.5, removedfromcart: -0.5,
};

/** Weight of an interaction type in queries, by the same rules as in a training: the weight of the request, the usual weight of the word, or 1. */
export function weightOf(type: string | null, given: TypeWeights): number {
  if (type === null) return 1;
  if (Object.hasOwn(given, type)) return given[type] ?? 1;
  const word = type.toLowerCase().replaceAll(/[ _.-]/g, '');
  return Object.hasOwn(usualWeights, word) ? (usualWeights[word] ?? 1) : 1;
}

/** The statement that returns the table `given_weights`: weights of exact types from a request, and the usual weights of words. */
export function weightRows(given: TypeWeights): string {
  const row = (word: string, weight: number, exact: boolean): string =>
    `SELECT ${sqlText(word)} AS word, CAST('${weight}' AS DOUBLE) AS weight, ${exact} AS exact`;
  return [
    ...Object.entries(usualWeights).map(([word, weight]) => row(word, weight, false)),
    ...Object.entries(given).map(([type, weight]) => row(type, weight, true)),
  ].join(' UNION ALL ');
}

/** A text in SQL. Quotes and backslashes are written as codes, because DuckDB and Spark escape them differently. */
function sqlText(text: string): string {
  const parts = text.split(/([\p{Cc}'"\\])/u).filter((part) => part !== '');
  const written = parts.map((part) => (/[\p{Cc}'"\\]/u.test(part) ? `chr(${part.codePointAt(0)})` : `'${part}'`));
  return `concat(${written.join(', ') || "''"})`;
}
