import type { Plant } from '../bundle.ts';

/** A planted fault: what it breaks, and the change of one place of the source. */
export interface PlantedFault extends Plant {
  name: string;
  /** The first seed that found the fault, from seed 1; null if none of the first seeds did (`tests/simulation/README.md`). */
  seed: number | null;
  scenario: string;
}
