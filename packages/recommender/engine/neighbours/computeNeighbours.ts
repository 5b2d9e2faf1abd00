import { readAttributes } from './attributes/readAttributes.ts';
import { numberItems } from '../catalogue/numberItems.ts';
import { attributeLift } from './attributes/attributeLift.ts';
import { contentVectors } from './attributes/contentVectors.ts';
import { collaborativeEmbedding, embedItems } from './attributes/embedItems.ts';
import { workspaceFor, workspaceOf } from '../kernels/workspace.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { transpose } from '../matrix/transpose.ts';
import { ProgressMeter } from '../progress/progressMeter.ts';
import { noTransitions, transitionRows } from '../time/transitionRows.ts';
import { computeTrend } from '../time/computeTrend.ts';
import { ContentIndex, idfWeights } from './contentIndex.ts';
import { contentRows } from './contentRows.ts';
import { prepareRelated } from './relatedParts.ts';
import { visitAllRows } from './visitAllRows.ts';
import type { StoredCandidates } from './candidateFile.ts';
import type { ListFile } from '../lists/listFile.ts';
import type { Attributes } from './attributes/readAttributes.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import type { TrainingData, TrainingOptions } from '../data/trainingData.ts';

type Lists = Pick<
  TrainedModel,
  | 'operator'
  | 'related'
  | 'relatedDivisor'
  | 'cosineScores'
  | 'contentScores'
  | 'rank'
  | 'vectors'
  | 'eigenvalues'
  | 'largestEigenvalue'
  | 'blended'
  | 'contentWeight'
  | 'attributes'
  | 'ridge'
> & {
  /**
   * Computes the embedding. A function, because the embedding takes as much memory as the factors and not every caller needs
   * the embedding.
   */
  embed: () => Float32Array;
};

/**
 * The second stage of training: computes every part of the model except the evaluation.
 * @param factors result of `computeFactors` for the same data and options
 * @param report receives fractions 0 to 1
 * @param candidates candidates that an external program computed for the same data and setting, used instead of the Gram
 * matrix
 * @param file file that holds the lists; must stay open until the model is written. Null keeps lists in memory
 * @example
 * const model = computeNeighbours(data, factors, { setting: defaultSetting, seed: 1 }, () => {});
 * await writeModel(model, 'model.bin');
 */
export function computeNeighbours(
  data: TrainingData,
  factors: Factors,
  options: TrainingOptions,
  report: (fraction: number) => void,
  candidates: StoredCandidates | null = null,
  file: ListFile | null = null,
): TrainedModel {
  const catalogue = numberItems(data);
  const history = buildHistory(data, catalogue);
  const items = catalogue.itemNode.length;
  const attributes = readAttributes(data.nodes, catalogue.itemNode);
  // If the factors are already in shared memory, the interactions use the same memory.
  const interactions = toInteractions(history, items, workspaceOf(factors.vectors) ?? workspaceFor(options.setting), candidates === null, options.historyCap);
  const { embed, ...lists } =
    data.pairs.count === 0
      ? listsOfContent(attributes, catalogue, report)
      : listsOfInteractions(attributes, catalogue, interactions, factors, options, candidates, report, file);
  const { count, ids, type, names, mediaUrls, metadata } = data.nodes;
  return {
    setting: options.setting,
    seed: options.seed,
    types: data.types,
    targetTypes: catalogue.targetTypes,
    nodes: { count, ids, type, names, mediaUrls, metadata },
    itemNode: catalogue.itemNode,
    nodeItem: catalogue.nodeItem,
    userNode: catalogue.userNode,
    nodeUser: catalogue.nodeUser,
    history,
    audience: transpose(history, items),
    historyCap: interactions.cap,
    ...lists,
    get embedding() {
      return embed();
    },
    transitions:
      (options.setting.transitions ?? 0) > 0
        ? transitionRows(history, catalogue.itemGroup, catalogue.targetTypes.length, { file })
        : noTransitions(items),
    ...computeTrend(history, items, options.trendHalfLifeDays),
    evaluation: null,
  };
}

function listsOfInteractions(
  attributes: Attributes,
  catalogue: Catalogue,
  interactions: Interactions,
  factors: Factors,
  options: TrainingOptions,
  candidates: StoredCandidates | null,
  report: (fraction: number) => void,
  file: ListFile | null,
): Lists {
  const { setting, seed } = options;
  const { rows: _, ...described } = attributes;
  const lift = attributeLift(attributes, interactions);
  // If there are attributes, their ridge regression takes about a tenth of the time of this step.
  const share = attributes.field.length === 0 ? 0 : 0.1;
  const embedded = embedItems(attributes, lift, factors, interactions, (fraction) => report(share * fraction));
  const groups = catalogue.targetTypes.length;
  const parts = prepareRelated(
    interactions, catalogue.itemGroup, groups, embedded.embedding, factors,
    { rows: attributes.rows, weighted: embedded.weighted, isCategory: attributes.isCategory, heldOut: embedded.heldOut }, seed,
  );
  const content = (setting.content ?? 0) === 0 ? null : contentVectors(attributes.rows, lift);
  const rows = visitAllRows(interactions, parts, groups, setting, candidates, (fraction) => report(share + (1 - share) * fraction), file, content);
  return {
    operator: rows.operator,
    related: rows.related,
    relatedDivisor: rows.divisor,
    cosineScores: rows.cosineScores,
    contentScores: rows.contentScores,
    ...factors,
    blended: embedded.embedding !== null,
    embed: () => embedded.embedding ?? collaborativeEmbedding(factors, interactions.items),
    contentWeight: embedded.contentWeight,
    ridge: embedded.ridge,
    attributes: { ...embedded.weighted, ...described, lift: Float32Array.from(lift) },
  };
}

function listsOfContent(attributes: Attributes, catalogue: Catalogue, report: (fraction: number) => void): Lists {
  const items = catalogue.itemNode.length;
  const columns = attributes.field.length;
  const weighted = idfWeights(attributes.rows, columns);
  const { rows: _, ...described } = attributes;
  const content = new ContentIndex(weighted, columns, catalogue.itemGroup);
  const related = contentRows(content, items, new ProgressMeter(items, report));
  const contentWeight = new Float32Array(items);
  for (let item = 0; item < items; item++) {
    contentWeight[item] = (weighted.pointer[item + 1] as number) > (weighted.pointer[item] as number) ? 1 : 0;
  }
  return {
    operator: {
      pointer: new Float64Array(items + 1),
      index: new Int32Array(0),
      value: new Float32Array(0),
      score: new Float32Array(0),
    },
    related,
    relatedDivisor: new Float32Array(items),
    rank: 0,
    vectors: new Float32Array(0),
    eigenvalues: new Float64Array(0),
    largestEigenvalue: 0,
    embed: () => new Float32Array(0),
    blended: false,
    contentWeight,
    ridge: new Float32Array(0),
    attributes: { ...weighted, ...described, lift: new Float32Array(columns) },
  };
}
