/**
 * Replaces each `$ref` of an OpenAPI document by the object to which it points, and each choice of a named schema and null by a schema that may be
 * null. The schemas of Vouch are not recursive.
 * @returns a copy without references
 */
export function resolveReferences<Document extends object>(document: Document): Document {
  const resolve = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref: reference } = node as { $ref?: string };
    if (reference !== undefined) return resolve(reference.slice(2).split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document));
    const { anyOf: [named, none] = [], ...others } = node as { anyOf?: { $ref?: string; type?: string }[] };
    if (named?.$ref !== undefined && none?.type === 'null' && Object.keys(others).length === 0) {
      const whole = resolve(named) as { type?: string };
      return { ...whole, type: [whole.type, 'null'] };
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
  };
  return resolve(document) as Document;
}
