import type { Picture } from '../media/mediaBackend.ts';

/** A part of a group of pictures, from ≤ time < to, seconds. */
export interface GroupPart {
  from: number;
  to: number;
}

interface KeptGroup {
  part: GroupPart;
  pictures: Picture[];
}

/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-5;

/**
 * Keeps decoded pictures, at most one part of each group of pictures. At most 12,000 pictures of the analysis size are kept, 93 MB:
 * the groups around 40 boundaries at 25 pictures per second with a key frame each 250 pictures. Where they are more, the groups that
 * were not used for the longest time are dropped.
 */
export class KeptPictures {
  static readonly most = 12_000;
  /** From the group that was not used for the longest time to the last used group. */
  private readonly groups = new Map<number, KeptGroup>();
  private count = 0;
  private refused: GroupPart | null = null;
  private readonly most: number;

  constructor(most = KeptPictures.most) {
    this.most = most;
  }

  /** The kept pictures of a part of a group; null if not all of them are kept. */
  find(group: number, { from, to }: GroupPart): readonly Picture[] | null {
    const found = this.groups.get(group);
    if (found === undefined || from < found.part.from - sameFrame || to > found.part.to + sameFrame) return null;
    this.groups.delete(group);
    this.groups.set(group, found);
    return found.pictures.filter(({ time }) => time >= from - sameFrame && time < to - sameFrame);
  }

  /**
   * Keeps the next picture of a part that is being decoded. The part replaces an earlier part of the group. A part that does not fit
   * beside the groups in use is not kept.
   * @param part the same object for all pictures of the part
   * @param busy groups that must stay
   */
  add(group: number, part: GroupPart, picture: Picture, busy: ReadonlySet<number>): void {
    if (this.refused === part) return;
    let kept = this.groups.get(group);
    if (kept?.part !== part) {
      this.drop(group);
      kept = { part, pictures: [] };
      this.groups.set(group, kept);
    }
    if (this.count === this.most && !this.makeRoom(busy)) {
      this.drop(group);
      this.refused = part;
      return;
    }
    kept.pictures.push(picture);
    this.count += 1;
  }

  private makeRoom(busy: ReadonlySet<number>): boolean {
    for (const group of this.groups.keys()) {
      if (busy.has(group)) continue;
      this.drop(group);
      return true;
    }
    return false;
  }

  private drop(group: number): void {
    this.count -= this.groups.get(group)?.pictures.length ?? 0;
    this.groups.delete(group);
  }
}
