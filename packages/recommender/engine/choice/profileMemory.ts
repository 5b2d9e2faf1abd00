import type { Reached } from './historySpread.ts';

/** What a history gives with one pa, for all T, pb and b. */
export interface ProfilePart {
  pa: number;
  allPairs: boolean;
  /** The best items that the history reaches, with all pairs without the compared items. */
  items: Int32Array;
  reached: Reached;
  /** `sum_i w_i d_i^(pa+1/2) V_i`. */
  projection: Float32Array;
  /** Plain spectral sums of `items`; null if not known. */
  low: Float32Array | null;
  /** Damped spectral sums of the compared items, if all pairs are compared, and of `items`. */
  high: { T: number; sums: Float32Array }[];
}

/** What is known of a history. */
export interface Profile {
  parts: ProfilePart[];
  /** Plain spectral sums of the compared items; null if not known. */
  lowOfCompared: Float32Array | null;
}

/** Maximum size in bytes, in which about half of the deciding users of a sparse shop fit; and bytes of a user. */
export const profileBytes = { most: 64e6, perUser: 80e3 } as const;

/** Keeps what a search needs again: it measures the same users with about ten groups of settings, which have four or five pa. */
export class ProfileMemory {
  private readonly profiles = new Map<number, Profile>();
  private bytes = 0;
  private isLast = false;

  /**
   * @param key number of the history
   * @param isLast whether nothing of the history is needed again
   */
  of(key: number, isLast: boolean): Profile {
    this.isLast = isLast;
    return this.profiles.get(key) ?? this.add(key);
  }

  /** Keeps a part unless the memory is full, with copies of what it reaches. */
  keep(profile: Profile, part: ProfilePart): void {
    const { reached, items, projection } = part;
    // The plain sums come later and are as long as the items.
    const shared = profile.parts.some((other) => other.reached === reached);
    const bytes = 2 * items.byteLength + projection.byteLength + (shared ? 0 : reached.items.byteLength + reached.sums.byteLength);
    if (!this.hasRoom(bytes)) return;
    part.items = items.slice();
    if (!shared) part.reached = { best: reached.best, items: reached.items.slice(), sums: reached.sums.slice(), work: reached.work };
    profile.parts.push(part);
  }

  /** Keeps a copy of the damped spectral sums unless the memory is full. */
  keepHigh(part: ProfilePart, T: number, sums: Float32Array): void {
    if (this.hasRoom(sums.byteLength)) part.high.push({ T, sums: sums.slice() });
  }

  /** Keeps a copy of the plain spectral sums of the compared items unless the memory is full. */
  keepLow(profile: Profile, sums: Float32Array): void {
    if (this.hasRoom(sums.byteLength)) profile.lowOfCompared = sums.slice();
  }

  /** Keeps nothing of the histories until now. */
  forget(): void {
    this.profiles.clear();
    this.bytes = 0;
  }

  private hasRoom(bytes: number): boolean {
    if (this.isLast || this.bytes + bytes > profileBytes.most) return false;
    this.bytes += bytes;
    return true;
  }

  private add(key: number): Profile {
    const profile: Profile = { parts: [], lowOfCompared: null };
    if (!this.isLast) this.profiles.set(key, profile);
    return profile;
  }
}
