/** Standard deviation of luma at both ends of a dissolve or fade, inside black bars, levels of grey. */
export interface ContrastOfEnds {
  before: number;
  after: number;
}

/** A transition from one shot to the next. All times are in seconds. */
export interface Transition {
  kind: 'cut' | 'dissolve' | 'fade';
  /** Presentation time of the first frame of the new shot for a cut, or of the first changing frame for a dissolve or fade. */
  start: number;
  /** Presentation time of the first frame that shows only the new shot; equals `start` for a cut. */
  end: number;
  /** Confidence of the detector, 0–1. */
  confidence: number;
  /** Absent for cuts and for fades through black whose two halves are joined. */
  contrast?: ContrastOfEnds;
  /** Set for a cut that is blended over one to four pictures: the change to the first picture after it is a part of it. */
  blended?: true;
}

/** Consecutive frames of one camera take, start ≤ time < end, seconds. Shots do not overlap; transitions lie between them. */
export interface Shot {
  start: number;
  end: number;
}
