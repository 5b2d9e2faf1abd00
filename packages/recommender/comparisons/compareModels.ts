import { seededRandom } from '@vouch/platform/process/seededRandom';
import { compareLists } from '../rules/compareLists.ts';
import { rounded, type ComparedModel } from './comparedModel.ts';
import type { ComparisonResult } from './comparison.schema.ts';

const shownLists = 10;
const shownItems = 5;

interface Options {
  length: number;
  /** Maximum number of users, and of items. */
  sample: number;
  seed: number;
  /** Whether nobody waits for the result any more; the rest of it is then missing. */
  isGone(): boolean;
  /** Resolves when the next list may be computed; other requests are served before. */
  nextTurn(): Promise<void>;
}

type Lists = ComparisonResult['users'];

/** Compares the lists of sampled users and items of two versions. Other requests are served between two lists. */
export async function compareModels(a: ComparedModel, b: ComparedModel, { length, sample, seed, isGone, nextTurn }: Options): Promise<Pick<ComparisonResult, 'users' | 'items' | 'risen' | 'fallen'>> {
  const compare = async (nodes: Int32Array, salt: number, count: boolean): Promise<Lists> => {
    const summary = new ListSummary();
    for (const at of sampleIndexes(nodes.length, sample, seed + salt)) {
      await nextTurn();
      if (isGone()) break;
      const node = nodes[at] ?? -1;
      const id = a.model.ids.get(node);
      const other = b.model.findNode(id);
      if (other < 0) {
        summary.unknown += 1;
        continue;
      }
      const lists = { a: a.list(node, length), b: b.list(other, length) };
      if (count) {
        a.count(lists.a);
        b.count(lists.b);
      }
      summary.add(id, a.nameOf(node), lists.a.map((item) => a.idOf(item)), lists.b.map((item) => b.idOf(item)));
    }
    return summary.toResult();
  };
  const users = await compare(a.model.userNode, 0, true);
  const items = await compare(a.model.itemNode, 1, false);
  return { users, items, ...shiftsOf(a, b) };
}

/** Distinct numbers below `count`: all of them, or `sample` random ones. */
function sampleIndexes(count: number, sample: number, seed: number): Iterable<number> {
  if (count <= sample) return Array.from({ length: count }, (_, at) => at);
  const random = seededRandom(seed);
  const chosen = new Set<number>();
  while (chosen.size < sample) chosen.add(random.below(count));
  return chosen;
}

class ListSummary {
  unknown = 0;
  private compared = 0;
  private overlap = 0;
  private identical = 0;
  private changed: Lists['most_changed'] = [];

  add(id: string, name: string | null, a: readonly string[], b: readonly string[]): void {
    const { overlap, removed, added, moved } = compareLists(a, b);
    this.compared += 1;
    this.overlap += overlap;
    if (removed.length + added.length + moved === 0) {
      this.identical += 1;
      return;
    }
    const last = this.changed.at(-1);
    if (this.changed.length === shownLists && last !== undefined && last.overlap <= overlap) return;
    this.changed.push({ id, name, overlap: rounded(overlap), a: a.slice(0, shownItems), b: b.slice(0, shownItems) });
    this.changed = this.changed.sort((one, other) => one.overlap - other.overlap).slice(0, shownLists);
  }

  toResult(): Lists {
    return {
      compared: this.compared, unknown_to_b: this.unknown, mean_overlap: this.compared === 0 ? null : rounded(this.overlap / this.compared),
      identical: this.identical, most_changed: this.changed,
    };
  }
}

/** The items that occur in more, and in fewer, lists of users in b. */
function shiftsOf(a: ComparedModel, b: ComparedModel): Pick<ComparisonResult, 'risen' | 'fallen'> {
  const ids = new Set([...[...a.listed.keys()].map((item) => a.idOf(item)), ...[...b.listed.keys()].map((item) => b.idOf(item))]);
  const shifts = [...ids].map((id) => ({ id, a: a.timesListed(id), b: b.timesListed(id) })).sort((one, other) => other.b - other.a - (one.b - one.a) || (one.id < other.id ? -1 : 1));
  const named = ({ id, ...counts }: (typeof shifts)[number]) => {
    const known = a.model.findNode(id);
    return { id, name: known < 0 ? b.nameOf(b.model.findNode(id)) : a.nameOf(known), ...counts };
  };
  return {
    risen: shifts.filter((shift) => shift.b > shift.a).slice(0, shownLists).map(named),
    fallen: shifts.filter((shift) => shift.b < shift.a).toReversed().slice(0, shownLists).map(named),
  };
}
