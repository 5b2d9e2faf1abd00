import { parseObject } from '../../data/parseObject.ts';
import type { AttributeReceiver } from './attributeSink.ts';
import { readWords } from './readWords.ts';

/** Values up to this many characters are compared as a whole, longer values word by word. */
const wholeValueLength = 64;
const maxDepth = 8;
const maxPathLength = 128;
/** Maximum number of characters of a text in which words are read. */
const readLength = 10_000;

/**
 * Adds the attributes of one item: the words of its name and the members of its metadata. Nested members have dotted paths;
 * each element of a list counts as a value of the list's path.
 * @param metadata JSON object text; any other text adds nothing
 */
export function parseMetadata(sink: AttributeReceiver, name: string, metadata: string): void {
  addWords(sink, 'name', name);
  const parsed = parseObject(metadata);
  if (parsed !== null) addMember(sink, '', parsed, 0);
}

function addMember(sink: AttributeReceiver, path: string, value: unknown, depth: number): void {
  if (depth > maxDepth || path.length > maxPathLength) return;
  if (typeof value === 'string') addText(sink, path, value.trim());
  else if (typeof value === 'number') addFinite(sink, path, value);
  else if (typeof value === 'boolean') sink.add('value', path, String(value));
  else if (Array.isArray(value)) for (const member of value) addMember(sink, path, member, depth + 1);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      addMember(sink, path === '' ? key : `${path}.${key}`, member, depth + 1);
    }
  }
}

function addFinite(sink: AttributeReceiver, path: string, value: number): void {
  if (Number.isFinite(value)) sink.addNumber(path, value);
}

function addText(sink: AttributeReceiver, path: string, text: string): void {
  if (text === '') return;
  if (text.length <= wholeValueLength) sink.add('value', path, text);
  else addWords(sink, path, text);
}

function addWords(sink: AttributeReceiver, field: string, text: string): void {
  for (const word of readWords(text.slice(0, readLength))) sink.add('word', field, word);
}
