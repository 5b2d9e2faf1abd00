import { blobsPlants } from './blobsPlants.ts';
import { daysPlants } from './daysPlants.ts';
import { eventsPlants } from './eventsPlants.ts';
import { gatewayPlants } from './gatewayPlants.ts';
import { jobsPlants } from './jobsPlants.ts';
import { nodesPlants } from './nodesPlants.ts';
import type { PlantedFault } from './plantedFault.ts';
import { webhooksPlants } from './webhooksPlants.ts';

/** All planted faults. */
export const plants: readonly PlantedFault[] = [...jobsPlants, ...gatewayPlants, ...webhooksPlants, ...blobsPlants, ...eventsPlants, ...nodesPlants, ...daysPlants];
