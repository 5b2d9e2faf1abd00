import { defineFindings } from '@vouch/platform/product/findings';

/** Findings about the decoder and the disk space of runs. */
export const videoFindings = defineFindings({
  'decoder-unavailable': {
    status: 'fault', title: 'No video decoder works', cause: 'Neither an installed `ffmpeg` 5.1 or newer nor the npm package `node-av` can be used. Every run fails with `decoder-missing`.',
    remedy: 'Install ffmpeg 5.1 or newer (apt-get install ffmpeg), or run `npm ci` again without --omit=optional.',
  },
  'transcription-unavailable': {
    status: 'warning', title: 'The transcription service does not answer', cause: 'The service of `VOUCH_VIDEO_TRANSCRIPTION_URL` did not transcribe a second of silence. Runs complete without titles and text, with the warning `transcription-unavailable`.',
    remedy: 'Start the service, or correct VOUCH_VIDEO_TRANSCRIPTION_URL, VOUCH_VIDEO_TRANSCRIPTION_MODEL and VOUCH_VIDEO_TRANSCRIPTION_KEY. Remove the URL to use no transcription.',
  },
  'video-disk-low': {
    status: 'warning', title: 'The disk has no space for the largest video', cause: 'Less space is free than twice `VOUCH_VIDEO_MAX_BYTES`, for the download and its copy in the store.',
    remedy: 'A run that fills the disk fails with storage-full. Free space, or lower VOUCH_VIDEO_MAX_BYTES.',
  },
});
