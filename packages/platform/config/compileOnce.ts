import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

/**
 * Returns a function that compiles a schema at its first call. Compiling the schemas of all routes would take a tenth of the time in which a command or a
 * server starts, and most starts use few of them.
 */
export function compileOnce<const Schema extends TSchema>(schema: Schema): () => Validator<Record<never, never>, Schema> {
  let validator: Validator<Record<never, never>, Schema> | null = null;
  return () => (validator ??= Compile(schema));
}
