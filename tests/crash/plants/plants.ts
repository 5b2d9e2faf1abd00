import { backupPlants } from './backupPlants.ts';
import { childPlants } from './childPlants.ts';
import { gatewayPlants } from './gatewayPlants.ts';
import type { PlantedCrash } from './plantedCrash.ts';
import { powerPlants } from './powerPlants.ts';
import { recommenderPlants } from './recommenderPlants.ts';
import { videoPlants } from './videoPlants.ts';

/** All planted faults. */
export const plants: readonly PlantedCrash[] = [...recommenderPlants, ...videoPlants, ...gatewayPlants, ...backupPlants, ...powerPlants, ...childPlants];
