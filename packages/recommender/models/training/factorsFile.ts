import type { Factors } from '../../engine/factors/factorise.ts';
import { loadSectionFile } from '../../engine/modelFile/loadSectionFile.ts';
import { writeSectionFile } from '../../engine/modelFile/sectionFile.ts';

const format = 'vouch training factors';
const version = 1;

/** Writes the factors of a training, so that another attempt can continue after this stage. */
export async function writeFactors(path: string, factors: Factors): Promise<void> {
  const { rank, largestEigenvalue, vectors, eigenvalues } = factors;
  await writeSectionFile(path, { format, version, facts: { rank, largestEigenvalue }, sections: { vectors, eigenvalues } });
}

/**
 * Reads the factors that `writeFactors` wrote.
 * @throws Problem `model-file-unreadable`
 */
export async function loadFactors(path: string): Promise<Factors> {
  const { facts, sections } = await loadSectionFile(path, { format, newestVersion: version });
  const { vectors, eigenvalues } = sections;
  if (!(vectors instanceof Float32Array) || !(eigenvalues instanceof Float64Array)) {
    throw new TypeError('the file of factors lacks a section');
  }
  return { rank: Number(facts['rank']), largestEigenvalue: Number(facts['largestEigenvalue']), vectors, eigenvalues };
}
