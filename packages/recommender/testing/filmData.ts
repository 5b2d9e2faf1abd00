import { defaultSetting } from '../engine/data/defaultSetting.ts';
import { createRandom } from '../engine/linear/random.ts';
import { train } from './train.ts';
import type { TrainedModel } from '../engine/data/trainedModel.ts';
import type { TrainingData } from '../engine/data/trainingData.ts';

/**
 * Films of four genres in turn, the last ten without interactions, and users who prefer one genre each, by user number; for
 * tests.
 * @param without interactions to omit, as "user film"
 */
export function filmData(films: number, users: number, seed: number, without: ReadonlySet<string> = new Set()): TrainingData {
  const random = createRandom(seed);
  const ids = [
    ...Array.from({ length: films }, (_, film) => `film ${String(film).padStart(3, '0')}`),
    ...Array.from({ length: users }, (_, user) => `user ${String(user).padStart(3, '0')}`),
  ];
  const source: number[] = [];
  const target: number[] = [];
  for (let user = 0; user < users; user += 1) {
    for (let film = 0; film < films - 10; film += 1) {
      const liked = random.uniform() < (film % 4 === user % 4 ? 0.4 : 0.03);
      if (!liked || without.has(`${ids[films + user]} ${ids[film]}`)) continue;
      source.push(films + user);
      target.push(film);
    }
  }
  const isFilm = (node: number) => node < films;
  return {
    types: ['film'],
    nodes: {
      count: ids.length,
      ids,
      type: Int32Array.from(ids, (_, node) => (isFilm(node) ? 0 : -1)),
      names: ids.map(() => ''),
      mediaUrls: ids.map(() => ''),
      metadata: ids.map((_, node) => (isFilm(node) ? JSON.stringify({ genre: `genre ${node % 4}`, shelf: `${node % 3}` }) : '')),
    },
    pairs: {
      count: source.length,
      source: Int32Array.from(source),
      target: Int32Array.from(target),
      time: new Float64Array(source.length).fill(Number.NaN),
    },
  };
}

export function trainOn(data: TrainingData): TrainedModel {
  return train(data, { setting: defaultSetting, seed: 1 }, () => undefined);
}
