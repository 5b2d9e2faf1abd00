/** `traceparent` of W3C Trace Context: version, trace id, parent id, flags. Later versions than 00 may append fields. */
const pattern = /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?)$/;

/** Returns the trace id of the header `traceparent`, or null if the header is absent or invalid. Ids of zeros only are invalid. */
export function traceIdOf(header: string | readonly string[] | undefined): string | null {
  const [, first, firstParent, later, laterParent] = typeof header === 'string' ? pattern.exec(header) ?? [] : [];
  const [id, parent] = [first ?? later ?? '', firstParent ?? laterParent ?? ''];
  return /[^0]/.test(id) && /[^0]/.test(parent) ? id : null;
}
