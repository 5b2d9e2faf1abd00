import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exhaustive, exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { bundleSimulation } from './bundle.ts';
import { findPlant } from './findPlants.ts';
import { jobsPlants } from './plants/jobsPlants.ts';
import type { Said } from './program.ts';
import { startProgram } from './startProgram.ts';

const url = process.env['VOUCH_TEST_DATABASE_URL'] as string;
/** Simulated hours of one seed. Faults come every 8 s, so a tenth of an hour has about 45 of them. */
const hours = 0.1;

async function simulate(bundle: string, order: { firstSeed: number; seeds: number; hours: number; shrinkTries?: number }): Promise<Said[]> {
  const said: Said[] = [];
  await startProgram(bundle, { url, scenario: 'jobs', shrinkTries: 0, ...order }, (each) => said.push(each));
  return said;
}

describe('simulated jobs', () => {
  it('keep their promises under faults, and one seed gives one story', async () => {
    const bundle = await bundleSimulation('test', null);
    const order = { firstSeed: 20, seeds: 1, hours: exhaustive ? hours / 2 : hours / 8 };
    const [first, second] = [await simulate(bundle, order), await simulate(bundle, order)];
    expect(first.map(({ run }) => run.broken)).toEqual([null]);
    expect(second).toEqual(first);
    expect(first[0]!.run.figures!.counts['completed']).toBeGreaterThan(0);
  });

  exhaustiveTest('keep their promises with more seeds', async () => {
    const said = await simulate(await bundleSimulation('test', null), { firstSeed: 100, seeds: 5, hours });
    expect(said.filter(({ run }) => run.broken !== null).map(({ run }) => `seed ${run.seed}: ${run.broken!.observed}`)).toEqual([]);
    expect(said).toHaveLength(5);
  });
});

describe('a planted fault', () => {
  // Few seeds suffice for these; `npm run sim -- --plants --seeds 40` looks for all.
  const soon = jobsPlants.filter(({ seed }) => seed === 1);
  it.each(sampleOf(soon, 1))('is found: $name', async (plant) => {
    const finding = await findPlant(plant, { url, firstSeed: 1, seeds: 20, hours });
    expect(finding.promise, `${plant.name} was not found in 20 seeds`).not.toBeNull();
  });

  exhaustiveTest('gives a story that is shorter than that of its seed, and breaks the same promise', async () => {
    const plant = jobsPlants.find(({ name }) => name === 'finished stages are repeated')!;
    const bundle = await bundleSimulation('test-planted', plant);
    const said = await simulate(bundle, { firstSeed: 1, seeds: 20, hours, shrinkTries: 8 });
    const [failing, shrunk] = said.slice(-2);
    expect(shrunk).toMatchObject({ said: 'shrunk', run: { broken: { promise: failing!.run.broken!.promise } } });
    expect(shrunk!.run.story!.length).toBeLessThan(failing!.run.story!.length);
    await rm(bundle);
  });

  it('must occur exactly once in the source', async () => {
    const plant = { file: 'packages/platform/jobs/worker.ts', replace: 'no such text', by: '' };
    await expect(bundleSimulation('test-absent', plant)).rejects.toThrow('contains 0 times, instead of once: no such text');
    await expect(bundleSimulation('test-absent', { ...plant, file: 'packages/video/product.ts' })).rejects.toThrow('the simulation does not contain packages/video/product.ts');
  });
});
