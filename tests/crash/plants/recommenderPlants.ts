import type { PlantedCrash } from './plantedCrash.ts';

const recommender = 'packages/recommender';
/** Between two steps, the program must have the time to die, and the client to read its answer. */
const pause = 'await new Promise((resume) => { setTimeout(resume, 300); });';

/** Faults of uploads, events, their folding, and trainings. */
export const recommenderPlants: readonly PlantedCrash[] = [
  { name: 'an upload is answered before its commit', operation: 'upload', near: /after answer to POST/, file: 'packages/platform/http/idempotency.ts',
    replace: '        return { status, headers, text };\n      });\n      send(reply, answer.status, answer.headers, answer.text);',
    by: `send(reply, status, headers, text); ${pause} return { status, headers, text }; }); void answer;` },
  { name: 'a key is recorded before its effect, in a transaction of its own', operation: 'upload', near: /after .*INTO idempotency_keys/, file: 'packages/platform/http/idempotency.ts',
    replace: 'await this.#claim(transaction, organizationId, key, hash);', by: 'await this.#claim(this.#database, organizationId, key, hash);' },
  { name: 'the files of an upload are recorded one by one', operation: 'upload', near: /after .*INSERT INTO batches/, file: `${recommender}/batches/uploadBatch.route.ts`,
    replace: 'body: await insertBatches(transaction, owner, { batches, tags, at: new Date(platform.clock.now()) }),',
    by: 'body: (await Promise.all([0, 1].map((at) => insertBatches(platform.database, owner, { batches: batches.slice(at, at + 1), tags, at: new Date(platform.clock.now()) })))).flat(),' },
  { name: 'rows name blobs that are not stored yet', operation: 'upload', near: /after answer to POST/, file: `${recommender}/batches/uploadBatch.route.ts`,
    replace: `    const batches = await storeBlobs(platform, files);
    return await request.server.idempotency.answer(request, reply, hash, async (transaction) => ({
      status: 201,
      body: await insertBatches(transaction, owner, { batches, tags, at: new Date(platform.clock.now()) }),
    }));`,
    by: `const [{ measureContent }, { createReadStream }] = await Promise.all([import('@vouch/platform/blobs/receiveContent'), import('node:fs')]);
    const batches = [];
    for (const { kind, rows, bytes, parquetPath } of files) batches.push({ batchId: platform.random.uuid(), kind, blob: (await measureContent(createReadStream(parquetPath))).name, rows, csvBytes: bytes });
    const answer = await request.server.idempotency.answer(request, reply, hash, async (transaction) => ({
      status: 201,
      body: await insertBatches(transaction, owner, { batches, tags, at: new Date(platform.clock.now()) }),
    }));
    ${pause} await storeBlobs(platform, files); return answer;` },
  { name: 'events are acknowledged before their commit', operation: 'events', near: /after answer to POST/, file: `${recommender}/events/eventWriter.ts`,
    replace: `      const stored = await this.database.transaction((transaction) => insertEvents(transaction, events, new Date(this.clock.now())));
      this.recent.showStored(stored.changes);
      for (const each of group) each.resolve(answerOf(each.events, stored));`,
    by: `await this.database.transaction(async (transaction) => {
        const stored = await insertEvents(transaction, events, new Date(this.clock.now()));
        for (const each of group) each.resolve(answerOf(each.events, stored));
        ${pause}
      });` },
  { name: 'events with a key are stored outside of its transaction', operation: 'events', near: /after (?:COMMIT of )?(?:WITH stored|NOTIFY)/, file: `${recommender}/events/eventWriter.ts`,
    replace: 'const stored = await insertEvents(transaction, events, new Date(this.clock.now()));\n    return', by: 'const stored = await this.database.transaction((own) => insertEvents(own, events, new Date(this.clock.now())));\n    return' },
  { name: 'the mark of folded events advances before their batches', operation: 'folding', near: /after .*INTO event_folds/, file: `${recommender}/events/foldEvents.ts`,
    replace: 'advanceFold(transaction, organizationId, from, through)', by: 'advanceFold(database, organizationId, from, through)' },
  { name: 'folded events are in batches before their mark advances', operation: 'folding', near: /after .*INSERT INTO batches/, file: `${recommender}/events/foldEvents.ts`,
    replace: 'await insertBatches(transaction, organizationId', by: 'await insertBatches(database, organizationId' },
  { name: 'a training completes before its version is published', operation: 'training', near: /after COMMIT of (?:UPDATE|WITH).*jobs/, file: `${recommender}/models/train.job.ts`,
    replace: 'await publishVersion(transaction, job.organizationId, { jobId: job.id, modelId, blob, parameters, metrics, data }, settings.kept_versions);',
    by: 'setTimeout(() => void publishVersion(platform.database, job.organizationId, { jobId: job.id, modelId, blob, parameters, metrics, data }, settings.kept_versions), 200);' },
  { name: 'a finished stage is recorded before its file is stored', operation: 'training', near: /before link /, file: 'packages/platform/blobs/folderBlobs.ts',
    replace: 'await this.#publish(path, blob);\n    } catch (error) {\n      // EXDEV', by: 'setTimeout(() => void this.#publish(path, blob).catch(() => undefined), 200);\n    } catch (error) {\n      // EXDEV' },
];
