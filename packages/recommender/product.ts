import type { Product } from '@vouch/platform/product/product';
import { batchRoutes } from './batches/batchRoutes.ts';
import { duckdbCheck } from './batches/parquet/duckdbCheck.ts';
import { recommendFilms } from './demo/recommendFilms.ts';
import { eventRoutes } from './events/eventRoutes.ts';
import { foldTagged } from './events/foldEvents.ts';
import { compareRoute } from './comparisons/compare.route.ts';
import { foldJob, startFolding } from './events/fold.job.ts';
import { followEvents } from './events/followEvents.ts';
import { followUploads, measureUploads } from './events/followUploads.ts';
import { RecentUploads } from './events/recentUploads.ts';
import { uploadsCheck } from './events/uploadsCheck.ts';
import { recordAnswers } from './answers/answerRecorder.ts';
import { ArmAnswers } from './experiments/answerExperiment.ts';
import { startCounting } from './experiments/countOutcomes.ts';
import { ExperimentBook, followExperiments } from './experiments/experimentBook.ts';
import { experimentRoutes } from './experiments/experiments.route.ts';
import { ExposureRecorder, recordExposures } from './experiments/exposureRecorder.ts';
import { followRules } from './rules/inForce/ruleBook.ts';
import { measureRules } from './rules/measureRules.ts';
import { previewRoute } from './rules/preview.route.ts';
import { ruleRoutes } from './rules/rules.route.ts';
import { rulesCheck } from './rules/rulesCheck.ts';
import { recommenderFindings } from './errors/recommenderFindings.ts';
import { recommenderErrors } from './errors/recommenderErrors.ts';
import { modelListRoutes } from './models/lists/modelLists.route.ts';
import { sparkCheck } from './models/spark/sparkCheck.ts';
import { trainJob } from './models/train.job.ts';
import { trainRoute } from './models/train.route.ts';
import { trainingsCheck } from './models/trainingsCheck.ts';
import { trainingStatusRoutes } from './models/trainingStatus.route.ts';
import { entitiesRoute } from './recommendations/entities.route.ts';
import { versionRoutes } from './models/versions.route.ts';
import { explainRoute } from './recommendations/explain.route.ts';
import { recommendRoute } from './recommendations/recommend.route.ts';
import { relatedItemsRoute } from './recommendations/relatedItems.route.ts';
import { similarUsersRoute } from './recommendations/similarUsers.route.ts';
import { startServing } from './recommendations/serving.ts';
import { trendingItemsRoute } from './recommendations/trendingItems.route.ts';
import { scheduleRoutes } from './schedules/schedules.route.ts';
import { startSchedules } from './schedules/startDueTrainings.ts';
import { recommenderSettings, type RecommenderSettings } from './config/recommenderSettings.ts';

/** The recommender product: stores uploaded CSV batches, trains models, and serves related and trending items. */
export const recommender: Product = {
  name: 'recommender',
  configuration: recommenderSettings,
  errors: recommenderErrors,
  findings: recommenderFindings,
  migrations: new URL('./migrations/', import.meta.url),
  blobReferences: `
    SELECT blob FROM batches
    UNION SELECT blob FROM model_versions
    UNION SELECT serving_blob FROM models WHERE serving_blob IS NOT NULL`,
  build(platform, given) {
    // The platform has already validated the settings against `configuration`.
    const settings = given as RecommenderSettings;
    const serving = startServing(platform, settings.recorded_answers);
    const experiments = new ExperimentBook(platform);
    const recorder = new ExposureRecorder(platform);
    const arms = new ArmAnswers({ platform, serving, rules: serving.book, book: experiments, recorder });
    const uploads = new RecentUploads(platform, serving.recent);
    const background: { stop(): Promise<void> }[] = [];
    return {
      routes(server) {
        batchRoutes(server, platform, settings, (organizationId, tags) => foldTagged(platform, organizationId, tags));
        eventRoutes(server, platform, serving.recent, serving.models);
        trainRoute(server, platform, settings);
        trainingStatusRoutes(server, platform, serving.models);
        modelListRoutes(server, platform);
        entitiesRoute(server, platform, serving.models);
        versionRoutes(server, platform, serving.models);
        scheduleRoutes(server, platform, settings);
        ruleRoutes(server, platform, serving);
        previewRoute(server, platform, serving);
        relatedItemsRoute(server, platform, serving, arms);
        trendingItemsRoute(server, platform, serving, arms);
        experimentRoutes(server, platform, { models: serving.models, book: experiments });
        recommendRoute(server, platform, serving, arms);
        explainRoute(server, platform, serving, arms);
        compareRoute(server, platform, serving.models);
        similarUsersRoute(server, platform, serving.models, arms);
      },
      jobs: [trainJob(platform, settings), foldJob(platform)],
      checks: [duckdbCheck(), trainingsCheck(platform), rulesCheck(platform), uploadsCheck(platform), ...(settings.spark_submit === undefined ? [] : [sparkCheck(settings.spark_submit, platform.timers)])],
      start() {
        measureRules(platform.metrics, serving.book);
        measureUploads(platform.metrics, uploads);
        background.push(startFolding(platform), startSchedules(platform), followEvents(platform, serving.follower), followUploads(platform, uploads), followRules(platform, serving.book), recordAnswers(platform, serving.answers));
        background.push(followExperiments(platform, experiments), recordExposures(platform, recorder), startCounting(platform, 1_000 * settings.experiment_lag_seconds));
      },
      async close() {
        await Promise.all(background.map((each) => each.stop()));
        await serving.close();
      },
    };
  },
  demo: [recommendFilms],
};
