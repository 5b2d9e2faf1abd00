import { ArmAnswers } from '../experiments/answerExperiment.ts';
import { countOutcomes } from '../experiments/countOutcomes.ts';
import { ExperimentBook } from '../experiments/experimentBook.ts';
import { experimentRoutes } from '../experiments/experiments.route.ts';
import { ExposureRecorder } from '../experiments/exposureRecorder.ts';
import { eventRoutes } from '../events/eventRoutes.ts';
import { versionRoutes } from '../models/versions.route.ts';
import { similarUsersRoute } from '../recommendations/similarUsers.route.ts';
import { scheduleRoutes } from '../schedules/schedules.route.ts';
import { RuleServers, type RuleReply } from './ruleServers.ts';

/** Servers with the routes of lists, rules, events, experiments, schedules and versions. The test decides when users are stored and outcomes are counted. */
export class ExperimentServers {
  readonly lists: RuleServers;
  private readonly books: ExperimentBook[];
  private readonly recorders: ExposureRecorder[];

  private constructor(lists: RuleServers, books: ExperimentBook[], recorders: ExposureRecorder[]) {
    this.lists = lists;
    this.books = books;
    this.recorders = recorders;
  }

  static async start(count: number): Promise<ExperimentServers> {
    const books: ExperimentBook[] = [];
    const recorders: ExposureRecorder[] = [];
    const lists = await RuleServers.start(count, (server, platform, serving) => {
      const book = new ExperimentBook(platform);
      const recorder = new ExposureRecorder(platform);
      books.push(book);
      recorders.push(recorder);
      eventRoutes(server, platform, serving.recent);
      experimentRoutes(server, platform, { models: serving.models, book });
      const arms = new ArmAnswers({ platform, serving, rules: serving.book, book, recorder });
      scheduleRoutes(server, platform, {});
      versionRoutes(server, platform, serving.models);
      similarUsersRoute(server, platform, serving.models, arms);
      return arms;
    });
    return new ExperimentServers(lists, books, recorders);
  }

  close(): Promise<void> {
    return this.lists.close();
  }

  call<Body>(method: string, path: string, body?: object, options?: { server?: number; organization?: string }): Promise<RuleReply<Body>> {
    return this.lists.call(method, path, body, options);
  }

  /** Makes an experiment that all servers know. */
  async put<Body>(id: string, body: object): Promise<RuleReply<Body>> {
    const reply = await this.call<Body>('PUT', `experiments/${id}`, body);
    await Promise.all(this.books.map((book) => book.refresh()));
    return reply;
  }

  passSeconds(seconds: number): void {
    this.lists.now += seconds * 1000;
  }

  /** Stores the users of all servers, lets 31 s pass, and counts all events of more than `lagSeconds` ago, by two processes at once. */
  async count(lagSeconds = 30): Promise<void> {
    for (const recorder of this.recorders) await recorder.flush();
    this.passSeconds(31);
    await Promise.all([countOutcomes(this.lists.platform, 1_000 * lagSeconds), countOutcomes(this.lists.platform, 1_000 * lagSeconds)]);
  }
}
