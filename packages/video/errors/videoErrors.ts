import { defineErrors } from '@vouch/platform/errors/problem';
import { mediaErrors } from '../engine/mediaErrors.ts';

/** Codes of the video interface. Retired codes are never used again. */
export const videoErrors = defineErrors({
  ...mediaErrors.entries,
  'unknown-run': {
    status: 404,
    title: 'The run is not known',
    cause: 'No run of the organization has this id.',
    remedy: 'Use the `run_id` that POST /v1video-summarization/create answered.',
  },
  'contradictory-options': {
    status: 422,
    title: 'The options contradict each other',
    cause: 'Two options cannot both hold, or one of them does not suit the length of the video.',
    remedy: 'Each entry of `errors` names the option and what it contradicts; leave one of the two out.',
  },
  'unknown-output': {
    status: 404,
    title: 'The run has no such file',
    cause: 'The link is genuine, but the run or its file was removed since.',
    remedy: 'Start the run again.',
  },
  'link-invalid': {
    status: 403,
    title: 'The link is not valid',
    cause: 'The address has no signature, or its signature does not belong to it: it was shortened, changed, or made elsewhere.',
    remedy: 'Use the whole address as the record of the run holds it; GET /v1/status/{run_id} answers fresh ones.',
  },
  'link-expired': {
    status: 410,
    title: 'The link has expired',
    cause: 'Links to the files of a run work for a day, those in callbacks for a week.',
    remedy: 'GET /v1/status/{run_id} answers fresh ones.',
  },
  'range-unsatisfiable': {
    status: 416,
    title: 'The file has no such part',
    cause: 'The header Range begins behind the end of the file.',
    remedy: 'Ask for a part within the size that Content-Range names.',
  },
  'media-not-found': {
    status: 422,
    title: 'There is no media at the address',
    cause: 'The server of `media_url` answered 404 or 410.',
    remedy: 'Check the address; open it in a browser without being signed in.',
  },
  'media-forbidden': {
    status: 422,
    title: 'The server does not give the media away',
    cause: 'The server of `media_url` answered 401, 403 or 451.',
    remedy: 'Use an address that works without a session, for example a signed link.',
  },
  'media-refused': {
    status: 422,
    title: 'The server of the media gave no file',
    cause: 'It answered with a status that is not success.',
    remedy: 'The detail names the status. Try again later or ask whoever runs that server.',
  },
  'media-unreachable': {
    status: 422,
    title: 'The server of the media cannot be reached',
    cause: 'The name has no address, nothing accepts the connection, the certificate is not valid, or it redirects without an end.',
    remedy: 'The detail names which of them. Check the address.',
  },
  'media-certificate': {
    status: 422,
    title: 'The server of the media has no valid certificate',
    cause: 'The TLS certificate is expired, self-signed, for another name, or its chain is incomplete.',
    remedy: 'Mend the certificate of that server, or serve the media elsewhere.',
  },
  'media-redirects': {
    status: 422,
    title: 'The address redirects without an end',
    cause: 'There were more than five redirects.',
    remedy: 'Give the address at the end of the chain.',
  },
  'media-too-large': {
    status: 422,
    title: 'The media file is too large',
    cause: 'It has, or claims, more bytes than the setting VOUCH_VIDEO_MAX_BYTES; a body without an end is cut there too.',
    remedy: 'Use a smaller file, or let the operator raise the setting.',
  },
  'media-too-slow': {
    status: 422,
    title: 'The media arrives too slowly',
    cause: 'The server sent less than the minimum throughput for half a minute, or nothing at all.',
    remedy: 'Serve the media from a faster place and try again.',
  },
  'media-incomplete': {
    status: 422,
    title: 'The media ended early',
    cause: 'The connection closed before as many bytes had come as Content-Length announced, or more came.',
    remedy: 'Try again; if it happens again the server announces a wrong length.',
  },
});
