/** A change from one shot to the next. */
export interface Transition {
  kind: 'cut' | 'dissolve' | 'fade';
  /** Presentation time of the first frame of the new shot (cut), or of the first changing frame. */
  start: number;
  /** Presentation time of the first frame that belongs to the new shot alone; equals `start` for a cut. */
  end: number;
  /** 0–1. */
  confidence: number;
}

/** A run of frames from one camera take, start ≤ time < end, seconds. Shots do not overlap; transitions lie between them. */
export interface Shot {
  start: number;
  end: number;
}
