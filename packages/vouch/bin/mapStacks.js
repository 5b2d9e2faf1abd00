import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Source maps by the URL of the compiled file; null for a file without a source map. */
const maps = new Map();

/**
 * Makes stack traces show the lines of the sources. Node's own `process.setSourceMapsEnabled` reads the source map of each module that is loaded,
 * which takes a tenth of the processor time of a start. This function reads source maps when a stack trace needs them.
 */
export function mapStacks() {
  Error.prepareStackTrace = (error, calls) => [describeError(error), ...calls.map((call) => `    at ${describeCall(call)}`)].join('\n');
}

function describeError(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function describeCall(call) {
  const file = call.getFileName();
  const [line, column] = [call.getLineNumber(), call.getColumnNumber()];
  if (!file?.startsWith('file:') || line === null || column === null) return call.toString();
  const { originalSource, originalLine, originalColumn } = findMap(file)?.findEntry(line - 1, column - 1) ?? {};
  if (originalSource === undefined) return call.toString();
  const source = fileURLToPath(new URL(originalSource, file));
  return call.toString().replace(`${file}:${line}:${column}`, () => `${source}:${originalLine + 1}:${originalColumn + 1}`);
}

function findMap(file) {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
  } catch {
    return null;
  }
}
