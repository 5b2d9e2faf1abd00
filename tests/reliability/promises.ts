import { heavyCommand } from './results.ts';

/** What is done to break a promise. */
export interface Trial {
  /** A noun phrase, or a sentence without its full stop. */
  trial: string;
  /** A test that runs at every change. */
  test?: string;
  /** A test that runs on demand; its last result is in `bench/results/reliability.json` under this name. */
  onDemand?: { name: string; command: string };
  /** A benchmark: the table `bench/results/<table>.md`, and the beginnings of the column and of the rows that show the result. */
  bench?: { table: string; column: string; rows: readonly string[] };
}

export interface ReliabilityPromise {
  promise: string;
  /** The guide that explains the promise, relative to docs/. */
  guide: string;
  trials: readonly Trial[];
  /** What no test shows yet. */
  untested?: string;
}

const heavy = (name: string): { name: string; command: string } => ({ name, command: heavyCommand(name) });

/** The promises of Vouch with the tests that try to break them. `npm run docs` makes docs/reliability.md of them. */
export const promises: readonly ReliabilityPromise[] = [
  {
    promise: 'Each message that the gateway accepts is carried out once, or ends with a reason',
    guide: 'guides/gateway.md',
    trials: [
      { trial: '`kill -9` at each numbered point of the pipeline, from the check of a message to the note of its receipt; PostgreSQL is killed too in a third of the rounds. Responses are compared with the events of the chain, gas budgets with receipts', test: 'tests/crash/gateway.test.ts', onDemand: { name: 'gatewayRounds', command: 'npm run test:crash' } },
      { trial: '`kill -9` before and after each change of the database, answer and sent transaction, from the request with a message to its answer', onDemand: heavy('crash-intake') },
      { trial: 'The same for a batch of messages, from their claim to the note that their block is confirmed', onDemand: heavy('crash-sending') },
      { trial: 'The same for a transaction whose offer falls below the base fee, from its replacement to the note that the block is confirmed', onDemand: heavy('crash-replacing') },
      { trial: 'The same for messages whose block a reorganization has removed, until they are confirmed in another', onDemand: heavy('crash-reorganizing') },
      { trial: 'Two gateways on one database: the writer hangs at a point of its pipeline', test: 'tests/crash/standby.test.ts' },
      { trial: 'Two gateways on one database: the writer hangs, is killed, loses its machine, or is cut off from the database or the chain', onDemand: heavy('standby') },
      { trial: 'Two gateways on one database are replaced with another release one after the other, and back, while messages are sent: no request is repeated', onDemand: heavy('rollingGateways') },
      { trial: 'An RPC that loses answers, contradicts itself, forgets transactions, or reorganizes the chain', test: 'packages/gateway/sending/faults.integration.test.ts' },
      { trial: 'Simulated gateways, RPC endpoints and chain, with reorganizations, lost and repeated requests, lagging endpoints, deaths, lost connections and clock steps from a seed: each promise is checked after each commit', test: 'tests/simulation/simulation.test.ts' },
      { trial: '10,000 messages of one signer beside a quota', onDemand: heavy('signer-quota') },
    ],
  },
  {
    promise: 'A verifier node reports in time, and knows how each attestation ended',
    guide: 'guides/verifier.md',
    trials: [
      { trial: 'A node loses its endpoint, its folder, its blocks to a reorganization, and eight hours', test: 'packages/verifier/node/survival.integration.test.ts' },
      { trial: 'Simulated nodes, one with a twin that has the same key, with a gateway that loses and refuses messages, a collateral service that fails, lags and lies, collateral that ends, lagging endpoints, reorganizations, deaths and clock steps from a seed: each report for which there was time is on the chain with the right verdict, and each node agrees with the chain at the end', test: 'tests/simulation/simulation.test.ts' },
      { trial: 'Simulated midnights of the contract, with gateways and nodes that report days, reorganizations that remove reports, and endpoints that are behind: each day is credited or stated as lost, counts agree with the contract, and a status agrees with one block, to the smallest unit of an expected reward', test: 'tests/simulation/simulation.test.ts' },
      { trial: 'Many calls to the simulated contract and to the real one, which agree on days and rewards after each', test: 'tests/simulation/chain/dayModel.test.ts' },
    ],
  },
  {
    promise: 'What was acknowledged is on disk',
    guide: 'guides/operation.md',
    trials: [
      { trial: 'System calls are traced: the content, its folder and the commit are synced before the response', test: 'tests/crash/durability.test.ts' },
      { trial: '`kill -9` of the server, of PostgreSQL or of both while files are uploaded', test: 'tests/crash/upload.test.ts' },
      { trial: '`kill -9` before and after each change by an upload of the database, of a file, and by an HTTP request or answer: the upload is stored whole or not at all, and can be repeated', onDemand: heavy('crash-upload') },
      { trial: 'The same for interactions that are sent with ids and with an idempotency key: what was acknowledged is stored once and counts in lists, and can be repeated', onDemand: heavy('crash-events') },
      { trial: 'The same for each change by the job that folds events into batches: each event is in one batch', onDemand: heavy('crash-folding') },
      { trial: '`kill -9` of the processes that read an uploaded file, at each message, change of a file and DuckDB statement of theirs, while the server lives: the upload is stored whole, or refused with `upload-interrupted` and not stored, and its rows count in lists', onDemand: heavy('children-reading') },
      { trial: 'A loss of power after each change by an upload: the disk keeps only what was synced, once without and once with the unsynced entries of folders', onDemand: heavy('power-upload') },
      { trial: 'The same for each change by the job that folds events into batches', onDemand: heavy('power-folding') },
      { trial: '`kill -9` while events are sent and folded into batches: each event is there exactly once', test: 'tests/crash/events.test.ts', bench: { table: 'events-crash', column: 'count', rows: ['`kill -9`', 'acknowledged', 'lost', 'doubled', 'incomplete'] } },
      { trial: 'Simulated servers that store, remember, fold and delete events, with lost answers, lost connections, clock steps and deaths from a seed: each answered event is stored once, and lists leave out what is hidden', test: 'tests/simulation/simulation.test.ts' },
      { trial: 'Faults that show only if the program dies or the power fails, for example an answer before its commit or a missing sync, are planted in uploads, events, trainings, video runs, messages, backups and restores. The program dies at the points near each, and the check of the operation must find it', onDemand: heavy('crash-plants') },
      { trial: 'The disk is full: content that cannot be stored fails with `storage-full`, and what was stored before can be read', test: 'packages/platform/blobs/folderBlobs.integration.test.ts' },
      { trial: 'The disk is full during an upload', onDemand: heavy('fullDiskUpload') },
      { trial: 'The disk is full during a training', onDemand: heavy('fullDiskTraining') },
      { trial: 'The disk is full during the download of media', onDemand: heavy('fullDiskVideo') },
    ],
    untested: 'A loss of power of the machine of PostgreSQL, whose syncs are traced instead. Deaths during the start.',
  },
  {
    promise: 'A training or a video run ends in a true state, whatever dies',
    guide: 'guides/scale.md',
    trials: [
      { trial: '`kill -9` before and after each change by a training, from the request to the published version: it completes once, and its version answers as one of an undisturbed training', onDemand: heavy('crash-training') },
      { trial: 'The same for a video run, from the request to the stored files of the preview: it completes once, with the segments of an undisturbed run, and no process of it lives on', onDemand: heavy('crash-video') },
      { trial: '`kill -9` of the process of a training, at each message, change of a file and DuckDB statement of it, while the server lives: the training completes in the same server, its version answers as one of an undisturbed training, and no file, process or lease is left', onDemand: heavy('children-training') },
      { trial: 'The same for the engine of a video run and its decoders and encoders, also at each use of a pipe and of a call of libav that writes: the run completes in the same server, with the segments, the warnings and the files of an undisturbed run', onDemand: heavy('children-video') },
      { trial: 'A loss of power after each change by a training', onDemand: heavy('power-training') },
      { trial: 'A loss of power after each change by a video run', onDemand: heavy('power-video') },
      { trial: '`kill -9` of the server, the training, the worker, PostgreSQL; another process continues at the last finished stage, and the previous version answers meanwhile', test: 'tests/crash/training.test.ts' },
      { trial: '`kill -9` of the engine or the server during a run and during an upload of media', test: 'tests/crash/summarization.test.ts' },
      { trial: 'Two workers: one is killed or told to stop', test: 'tests/crash/workers.test.ts' },
      { trial: 'Three servers behind a balancer, three workers, PostgreSQL with a standby and an S3 store, each with an address of its own, under uploads, trainings, video runs, cancels and reads: machines are lost, updated and cut off from the database, the store and the clients, PostgreSQL fails over, and the store answers 503', onDemand: heavy('hosts') },
      { trial: 'Three servers behind a balancer and two workers are replaced with another release one after the other, and back, under uploads, trainings, video runs, cancels and reads: no request is repeated', onDemand: heavy('rollingUpdate') },
      { trial: 'Simulated processes on a simulated network and clock, with lost answers, lost connections, clock steps and deaths from a seed: leases are exclusive, and the end of a job takes effect once', test: 'tests/simulation/simulation.test.ts' },
    ],
  },
  {
    promise: 'No content with a name in the database is ever removed',
    guide: 'guides/operation.md',
    trials: [
      { trial: 'The collector runs beside uploads of the same content, and is killed at any moment', test: 'packages/platform/blobs/collectKilled.integration.test.ts' },
      { trial: 'All orders of a collection and of a use of its content', test: 'packages/vouch/wiring/collectUnnamedBlobs.integration.test.ts' },
    ],
  },
  {
    promise: 'A backup restores the same answers',
    guide: 'guides/operation.md',
    trials: [
      { trial: 'A backup beside a running server, restored elsewhere: responses are compared byte for byte', test: 'tests/e2e/backup.test.ts' },
      { trial: '`kill -9` before and after each change by a backup: a restore refuses the folder, or the backup is complete, and another backup is not hindered', onDemand: heavy('crash-backup') },
      { trial: '`kill -9` before and after each change by a restore: another restore completes, or refuses because all is there', onDemand: heavy('crash-restore') },
      { trial: 'A loss of power after each change by a backup', onDemand: heavy('power-backup') },
      { trial: 'A loss of power after each change by a restore', onDemand: heavy('power-restore') },
      { trial: 'A running experiment with its rules and outcomes', test: 'tests/e2e/experimentBackup.test.ts' },
    ],
  },
  {
    promise: 'No input ends the process or gets a response 5xx; each refusal has a code and a reason',
    guide: 'errors/README.md',
    trials: [
      { trial: 'Generated requests and changed messages', test: 'tests/fuzz/http.test.ts', onDemand: heavy('fuzzedRequests') },
      { trial: 'Requests that Schemathesis generates from the OpenAPI description, in sequences', onDemand: heavy('schemathesis') },
      { trial: 'Mutated media files', test: 'tests/fuzz/media.test.ts', onDemand: heavy('mutatedMedia') },
      { trial: 'Mutated attestations, signed anew, beside another implementation of quote verification', test: 'tests/fuzz/attestation.test.ts', onDemand: heavy('mutatedAttestations') },
      { trial: 'A file of 1 GB and 1 byte', onDemand: heavy('tooManyBytes') },
      { trial: 'A file of 10,000,001 rows', onDemand: heavy('tooManyRows') },
      { trial: 'An unbalanced quote in row 4,000,000', onDemand: heavy('lateQuote') },
    ],
  },
  {
    promise: 'Media, callbacks and subtitles never lead to addresses inside your network',
    guide: 'guides/video.md',
    trials: [
      { trial: 'Private addresses in every notation, redirects, names that change their address', test: 'packages/platform/outbound/createOutbound.integration.test.ts' },
      { trial: 'Servers that close, reset, lie about lengths, send without end, or wait', onDemand: heavy('hostile-downloads') },
      { trial: 'System calls of the engine are traced: it reaches neither the network nor a file outside its run', onDemand: heavy('tracedMedia') },
    ],
  },
  {
    promise: 'Clients that hold connections do not stop the others',
    guide: 'guides/deployment.md',
    trials: [
      { trial: '1,500 connections that send nothing, half of their headers, or one byte at a time; p99 of others as a ratio', test: 'packages/platform/http/slowClients.integration.test.ts', bench: { table: 'attack', column: 'other IP address', rows: ['nothing sent', 'half of the headers', '200 pipelined', 'an upload'] } },
      { trial: 'Twice the requests that the server can answer (the goals: 80 %, 0, all, 10 s)', bench: { table: 'overload', column: 'result', rows: ['answered with 200', 'requests without', 'refusals', 'seconds until'] } },
      { trial: 'One organization sends 50 times the requests of another, 1.5 times what the server can answer: answers to the other while a request waits, median and p99', test: 'packages/platform/http/turns.test.ts', bench: { table: 'fairness', column: 'answers to the other', rows: ['lists', 'lists with a filter', 'recommend', 'events', 'status'] } },
    ],
    untested: 'Hours of overload.',
  },
  {
    promise: 'Memory and open descriptors of a server do not grow with time',
    guide: 'guides/operation.md',
    trials: [{ trial: 'Ten minutes of mixed requests, failures, broken streams and trainings; the slope with its 95 % interval (`VOUCH_TEST_STEADY_MINUTES=60` for an hour)', onDemand: heavy('steady') }],
  },
  {
    promise: 'Each reason of a recommendation is true',
    guide: 'guides/recommendations.md',
    trials: [
      { trial: 'The kernels that compute lists and reasons are compiled again and compared byte for byte with the ones in use', onDemand: heavy('kernelCompilation') },
      { trial: 'Explanations of 10,000 random pairs are compared with the served lists', onDemand: heavy('explainedPairs'), bench: { table: 'why-not', column: 'pairs', rows: ['unknown'] } },
    ],
  },
  {
    promise: 'The edit lists of a preview describe the preview',
    guide: 'guides/video.md',
    trials: [
      { trial: 'OpenTimelineIO and its readers of EDL and FCPXML, which are not part of Vouch, read the three lists of one preview: segments, crossfades and reasons are the same in all', onDemand: heavy('editLists') },
    ],
  },
  {
    promise: 'The contracts keep their invariants',
    guide: 'guides/contracts.md',
    trials: [
      { trial: 'Random histories of calls beside an account that is kept from events alone', onDemand: heavy('contract-histories') },
      { trial: 'Faults that are planted in the contracts: a test must catch each', onDemand: heavy('contract-mutations') },
      { trial: 'A deployment that is killed at each of its transactions', test: 'tests/crash/contracts.test.ts', onDemand: heavy('killed-deployment') },
    ],
  },
  {
    promise: 'Keys and passwords are in no log, process list, URL or error',
    guide: 'guides/relayer-keys.md',
    trials: [
      { trial: 'Commands of the node with keys and passwords, whether they succeed or not', test: 'tests/e2e/verifier/secrets.test.ts' },
      { trial: 'Secrets are planted in settings, crash records and failed jobs: `vouch support-bundle` contains none', test: 'packages/vouch/commands/support/collectSupport.integration.test.ts' },
      { trial: 'API keys are used in right and wrong places of requests; then log, data folder, database files, a backup, process lists and the memory of child processes are searched', onDemand: heavy('plantedSecrets') },
      { trial: 'Settings with faults in and around secrets', test: 'packages/platform/config/loadConfiguration.test.ts' },
    ],
    untested: 'A core dump of the server itself contains the keys of its requests; nobody has searched it for other secrets.',
  },
  {
    promise: 'A key of one organization neither shows nor changes data of another organization',
    guide: 'guides/deployment.md',
    trials: [{ trial: 'Every route of the OpenAPI description with every scope, with ids of another organization, and with the key of another organization', test: 'tests/e2e/organizations.test.ts' }],
  },
];
