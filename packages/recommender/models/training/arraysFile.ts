import { loadSectionFile } from '../../engine/modelFile/loadSectionFile.ts';
import { writeSectionFile, type SectionArray, type SectionContent } from '../../engine/modelFile/sectionFile.ts';
import { encodeStrings } from '../../engine/modelFile/stringTable.ts';
import type { TrainingData } from '../../engine/data/trainingData.ts';

const format = 'vouch training arrays';
/** Version 2 has weights and dislikes; files without either are written as version 1. */
const newestVersion = 2;

/** Writes the arrays of a training, so that another attempt can continue after this stage. */
export async function writeArrays(path: string, data: TrainingData): Promise<void> {
  const { nodes, pairs, dislikes } = data;
  const sections: Record<string, SectionContent> = {
    'node.type': nodes.type,
    'pair.source': pairs.source,
    'pair.target': pairs.target,
    'pair.time': pairs.time,
    ...(pairs.weight === undefined ? {} : { 'pair.weight': pairs.weight }),
    ...(dislikes === undefined
      ? {}
      : { 'dislike.source': dislikes.source, 'dislike.target': dislikes.target, 'dislike.weight': dislikes.weight }),
  };
  const version = pairs.weight === undefined && dislikes === undefined ? 1 : newestVersion;
  const texts = { 'node.id': nodes.ids, 'node.name': nodes.names, 'node.media': nodes.mediaUrls, 'node.metadata': nodes.metadata };
  for (const [name, strings] of Object.entries(texts)) {
    const { offsets, text } = encodeStrings(strings);
    sections[`${name}.offsets`] = offsets;
    sections[`${name}.text`] = text;
  }
  await writeSectionFile(path, { format, version, facts: { types: data.types }, sections });
}

/**
 * Reads the arrays that `writeArrays` wrote.
 * @throws Problem `model-file-unreadable`
 */
export async function loadArrays(path: string): Promise<TrainingData> {
  const { facts, sections } = await loadSectionFile(path, { format, newestVersion });
  const ids = decodeStrings(sections, 'node.id');
  const source = int32(sections['pair.source']);
  return {
    types: facts['types'] as string[],
    nodes: {
      count: ids.length,
      ids,
      type: int32(sections['node.type']),
      names: decodeStrings(sections, 'node.name'),
      mediaUrls: decodeStrings(sections, 'node.media'),
      metadata: decodeStrings(sections, 'node.metadata'),
    },
    pairs: {
      count: source.length,
      source,
      target: int32(sections['pair.target']),
      time: float64(sections['pair.time']),
      ...(sections['pair.weight'] === undefined ? {} : { weight: float32(sections['pair.weight']) }),
    },
    ...dislikesIn(sections),
  };
}

function dislikesIn(sections: Record<string, SectionArray>): Pick<TrainingData, 'dislikes'> {
  if (sections['dislike.weight'] === undefined) return {};
  const weight = float32(sections['dislike.weight']);
  return { dislikes: { count: weight.length, source: int32(sections['dislike.source']), target: int32(sections['dislike.target']), weight } };
}

function decodeStrings(sections: Record<string, SectionArray>, name: string): string[] {
  const offsets = float64(sections[`${name}.offsets`]);
  const bytes = sections[`${name}.text`];
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`the section ${name}.text is missing`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: offsets.length - 1 }, (_, at) => text.toString('utf8', offsets[at], offsets[at + 1]));
}

function int32(section: SectionArray | undefined): Int32Array {
  if (!(section instanceof Int32Array)) throw new TypeError('a section of 32-bit integers is missing');
  return section;
}

function float64(section: SectionArray | undefined): Float64Array {
  if (!(section instanceof Float64Array)) throw new TypeError('a section of 64-bit floats is missing');
  return section;
}

function float32(section: SectionArray | undefined): Float32Array {
  if (!(section instanceof Float32Array)) throw new TypeError('a section of 32-bit floats is missing');
  return section;
}
