import { contractHistories } from './contractHistories.ts';
import { contractMutations } from './contractMutations.ts';
import { millionAttributes, millionInteractions } from './extremeTrainings.ts';
import { crashPlants } from './crashPlants.ts';
import { crashTests } from './crashPoints.ts';
import { editLists } from './editLists.ts';
import { explainedPairs } from './explainedPairs.ts';
import { fuzzedRequests } from './fuzzedRequests.ts';
import { fullDiskTraining, fullDiskUpload } from './fullDisk.ts';
import { fullDiskRender } from './fullDiskRender.ts';
import { fullDiskVideo } from './fullDiskVideo.ts';
import { hostileDownloads } from './hostileDownloads.ts';
import type { HeavyTest } from './heavyTest.ts';
import { hosts } from './hosts.ts';
import { kernelCompilation } from './kernelCompilation.ts';
import { killedDeployment } from './killedDeployment.ts';
import { killedEvents } from './killedEvents.ts';
import { lateQuote } from './lateQuote.ts';
import { mutatedAttestations } from './mutatedAttestations.ts';
import { mutatedMedia, tracedMedia } from './mutatedMedia.ts';
import { plantedSecrets } from './plantedSecrets.ts';
import { rollingGateways } from './rollingGateways.ts';
import { rollingUpdate } from './rollingUpdate.ts';
import { schemathesis } from './schemathesis.ts';
import { signerQuota } from './signerQuota.ts';
import { standby } from './standby.ts';
import { steady } from './steady.ts';
import { tooManyBytes } from './tooManyBytes.ts';
import { tooManyRows } from './tooManyRows.ts';
import { wrongServers } from './wrongServers.ts';

/** Tests that take minutes or gigabytes. */
export const heavyTests: readonly HeavyTest[] = [
  lateQuote, tooManyBytes, tooManyRows, fullDiskUpload, fullDiskTraining, fullDiskVideo, fullDiskRender, mutatedMedia,
  tracedMedia, hostileDownloads, mutatedAttestations, contractHistories, contractMutations, killedDeployment, killedEvents, kernelCompilation,
  millionInteractions, millionAttributes, schemathesis, standby, hosts, rollingUpdate, rollingGateways, signerQuota, fuzzedRequests, wrongServers, explainedPairs, editLists, steady, plantedSecrets,
  ...crashTests, crashPlants,
];
