import { bundleSimulation } from './bundle.ts';
import type { PlantedFault } from './plants/plantedFault.ts';
import type { Said } from './program.ts';
import { startProgram } from './startProgram.ts';

/** How a planted fault was found. */
export interface Finding {
  plant: PlantedFault;
  /** Number of seeds until a promise was broken; null if none was. */
  seeds: number | null;
  promise: string | null;
  simulatedHours: number;
}

/** Runs the simulation with one planted fault, until a promise is broken. */
export async function findPlant(plant: PlantedFault, order: { url: string; firstSeed: number; seeds: number; hours: number | null }): Promise<Finding> {
  const bundle = await bundleSimulation(plant.name.replaceAll(' ', '-'), plant);
  const finding: Finding = { plant, seeds: null, promise: null, simulatedHours: 0 };
  await startProgram(bundle, { ...order, scenario: plant.scenario, shrinkTries: 0 }, ({ run }: Said) => {
    finding.simulatedHours += run.simulatedMs / 3_600_000;
    if (run.broken === null) return;
    finding.seeds = run.seed - order.firstSeed + 1;
    finding.promise = run.broken.promise;
  });
  return finding;
}
