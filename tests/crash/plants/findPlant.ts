import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildChanged } from '../../../scripts/build/build.js';
import { replaceOnce } from '../../simulation/bundle.ts';
import { childOperations, operations } from '../points/operations.ts';
import type { PlantedCrash } from './plantedCrash.ts';

/** Below the checkout, so that the program finds the installed packages. */
const builds = resolve(dirname(fileURLToPath(import.meta.url)), '../../../node_modules/.cache/vouch-plants');

/** How a planted fault was looked for. */
export interface Finding {
  /** Points at which the program died. */
  kills: number;
  /** The first fault that the check of the operation reported; null if it reported none. */
  fault: string | null;
}

/** Builds the program with a planted fault, and kills it at the points near the fault until the check of the operation reports a fault. */
export async function findPlant(plant: PlantedCrash, print: (line: string) => void): Promise<Finding> {
  const operation = [...operations, ...childOperations].find(({ name }) => name === plant.operation);
  if (operation === undefined) throw new Error(`there is no operation ${plant.operation}`);
  const folder = join(builds, plant.name.replaceAll(/\W+/g, '-'));
  try {
    const program = await buildChanged(folder, (path, text) => (path === plant.file ? replaceOnce(text, plant) : text));
    const { kills, faults } = await operation.crash(print, { program, near: plant.near, death: plant.death ?? 'kill', untilFault: true });
    return { kills, fault: faults[0] ?? null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
