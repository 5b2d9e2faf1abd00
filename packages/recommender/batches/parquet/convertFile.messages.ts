import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const conversion = Type.Object({
  /** Name for the locations of faults. */
  fileName: Type.String(),
  /** Empty folder for the files of this conversion. */
  folder: Type.String(),
  /** File to write. */
  parquetPath: Type.String(),
  maximumBytes: Type.Integer(),
  maximumRows: Type.Integer(),
});

const fault = Type.Object({
  location: Type.String(),
  detail: Type.String(),
  column: Type.Optional(Type.String()),
  row: Type.Optional(Type.Integer()),
  line: Type.Optional(Type.Integer()),
  value: Type.Optional(Type.String()),
});

const conversionResult = Type.Union([
  Type.Object({
    outcome: Type.Literal('converted'),
    kind: Type.Union([Type.Literal('entity'), Type.Literal('interaction')]),
    rows: Type.Integer(),
    /** Bytes of CSV after decompression. */
    bytes: Type.Integer(),
  }),
  Type.Object({ outcome: Type.Literal('faults'), faults: Type.Array(fault) }),
  Type.Object({ outcome: Type.Literal('too-large'), detail: Type.String() }),
  Type.Object({ outcome: Type.Literal('storage-full') }),
]);

/** What the parent asks of the child that reads one uploaded file from its standard input. */
export type Conversion = Static<typeof conversion>;

/** How the child answers. */
export type ConversionResult = Static<typeof conversionResult>;

const conversionReader = Compile(conversion);
const resultReader = Compile(conversionResult);

/** @throws Error where the message is not of this form */
export function parseConversion(message: unknown): Conversion {
  return conversionReader.Parse(message);
}

/** @throws Error where the message is not of this form */
export function parseConversionResult(message: unknown): ConversionResult {
  return resultReader.Parse(message);
}
