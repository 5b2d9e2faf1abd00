import { openSectionFile, loadSection, type SectionArray } from './sectionFile.ts';

/** Reads every section of a file written by `writeSectionFile`, e.g. the checkpoint of a training stage. */
export async function loadSectionFile(
  path: string,
  expected: { format: string; newestVersion: number },
): Promise<{ facts: Record<string, unknown>; version: number; sections: Record<string, SectionArray> }> {
  const file = await openSectionFile(path, expected);
  try {
    const sections: Record<string, SectionArray> = {};
    for (const { name, type } of file.header.sections) sections[name] = await loadSection(file, name, type);
    return { facts: file.header.facts, version: file.header.version, sections };
  } finally {
    await file.handle.close();
  }
}
