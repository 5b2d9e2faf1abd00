import type { Plant } from '../../simulation/bundle.ts';
import type { Death } from '../points/pointWorld.ts';

/** A planted fault that shows only if the program dies at some points. */
export interface PlantedCrash extends Plant {
  name: string;
  /** Name of the operation whose check must find the fault. */
  operation: string;
  /** Matches the points near the fault; the program dies at these only. */
  near: RegExp;
  /** How the program dies. Default: `kill`. */
  death?: Death;
  /** Why no check of the operation finds the fault. */
  hidden?: string;
}
