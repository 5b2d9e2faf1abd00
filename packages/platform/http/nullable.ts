import { Type } from 'typebox';

/** Schema of a value that may be null. */
export const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) => Type.Union([schema, Type.Null()]);
