const artifact = (name: string) => `https://vouch.example.org/v1/artifacts/0d3e4b6a-9c0f-4e2d-8f6a-1c7b5e2d3f6a/${name}?expires=1772530200&signature=c2lnbmF0dXJl`;

/** A completed run, for the API description. */
export const runExample = {
  run_id: '0d3e4b6a-9c0f-4e2d-8f6a-1c7b5e2d3f6a',
  status: 'completed' as const,
  stage: null,
  progress: 1,
  eta_seconds: null,
  runs_ahead: null,
  waiting: null,
  media_url: 'https://example.org/film.mp4',
  options: { duration: 30 },
  cache: { id: null, hit: null },
  source: {
    container: 'mp4', bytes: 48_211_034, duration: 596.5, width: 1280, height: 720, fps: 24, codec: 'h264', rotation: 0, variable_frame_rate: false,
    bit_depth: 8, high_dynamic_range: false, audio: { codec: 'aac', sample_rate: 48_000, channels: 2 },
  },
  engine: { backend: 'node-av' as const, version: '8.0', analysis: 'balanced' as const },
  segments: [
    { start: 41.2, end: 47.9, score: 0.83, reasons: [{ kind: 'motion', share: 0.61 }, { kind: 'sound', share: 0.39 }], title: null, text: null },
  ],
  shots_count: 133,
  outputs: [
    { kind: 'mp4', url: artifact('preview.mp4'), name: 'preview.mp4', bytes: 3_811_022, content_type: 'video/mp4', width: 1280, height: 720, duration: 30 },
    { kind: 'poster', url: artifact('poster.jpg'), name: 'poster.jpg', bytes: 88_120, content_type: 'image/jpeg', width: 1280, height: 720, time: 44.1 },
  ],
  warnings: [],
  timings: { download: 1.4, probe: 0.2, analyse: 21.7, select: 0.1, render: 6.3 },
  error: null,
  created_at: '2026-03-02T09:30:00.000Z',
  started_at: '2026-03-02T09:30:00.090Z',
  completed_at: '2026-03-02T09:30:30.400Z',
};
