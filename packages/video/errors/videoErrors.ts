import { defineErrors } from '@vouch/platform/errors/problem';
import { mediaErrors } from '../engine/mediaErrors.ts';

/** Error codes of the video API. Removed codes are never reused. */
export const videoErrors = defineErrors({
  ...mediaErrors.entries,
  'unknown-run': {
    status: 404,
    title: 'The run does not exist',
    cause: 'The organization has no run with this id.',
    remedy: 'Use the `run_id` in the answer of POST /v1video-summarization/create.',
  },
  'unknown-upload': {
    status: 404,
    title: 'The upload does not exist',
    cause: 'The organization has no upload with this id: the id is wrong, or the upload was deleted or has expired.',
    remedy: 'Start a new upload with POST /v1/uploads. An upload expires 24 hours after its last change.',
  },
  'upload-offset': {
    status: 409,
    title: 'The offset of the upload is different',
    cause: '`Upload-Offset` is not the number of bytes that the server has, for example because another request wrote at the same time.',
    remedy: 'Ask for the offset with HEAD /v1/uploads/{upload_id} and continue there.',
  },
  'upload-unfinished': {
    status: 409,
    title: 'The upload is not complete',
    cause: 'A run can only start when all bytes of the upload have arrived.',
    remedy: 'Send the remaining bytes with PATCH /v1/uploads/{upload_id}, then start the run.',
  },
  'too-many-uploads': {
    status: 429,
    title: 'Too many unfinished uploads',
    cause: 'The organization has 50 unfinished uploads.',
    remedy: 'Finish uploads, or delete them with DELETE /v1/uploads/{upload_id}.',
  },
  'uploads-full': {
    status: 413,
    title: 'The uploads of the organization are too large together',
    cause: 'The uploads of the organization that have not expired, finished and unfinished, and the new upload have more bytes together than the setting VOUCH_VIDEO_UPLOADS_MAX_BYTES.',
    remedy: 'Delete uploads with DELETE /v1/uploads/{upload_id}, or wait until uploads expire: 24 hours after their last change, or VOUCH_VIDEO_CACHE_HOURS after their last run. Otherwise raise VOUCH_VIDEO_UPLOADS_MAX_BYTES.',
  },
  'tus-version': {
    status: 412,
    title: 'The version of the tus protocol is not supported',
    cause: 'The header `Tus-Resumable` is missing or has another version than 1.0.0.',
    remedy: 'Send the header `Tus-Resumable: 1.0.0`, or use a client of the tus protocol.',
  },
  'contradictory-options': {
    status: 422,
    title: 'The options contradict each other',
    cause: 'Two options exclude each other, or an option does not fit the length of the video.',
    remedy: 'Each entry of `errors` names the options that contradict each other. Remove or change one of them.',
  },
  'unknown-output': {
    status: 404,
    title: 'The file does not exist',
    cause: 'The link is valid, but the run or its file was removed.',
    remedy: 'Start the run again.',
  },
  'link-invalid': {
    status: 403,
    title: 'The link is not valid',
    cause: 'The link has no signature, or the signature does not match: the link was truncated, changed, or created by another server.',
    remedy: 'Use the complete link from the record of the run. GET /v1/status/{run_id} returns fresh links.',
  },
  'link-expired': {
    status: 410,
    title: 'The link has expired',
    cause: 'Links to files are valid for a day, links in callbacks for a week.',
    remedy: 'GET /v1/status/{run_id} returns fresh links.',
  },
  'range-unsatisfiable': {
    status: 416,
    title: 'The range is outside the file',
    cause: 'The `Range` header starts after the end of the file.',
    remedy: 'Request a range within the size in `Content-Range`.',
  },
  'media-not-found': {
    status: 422,
    title: 'There is no media at the URL',
    cause: 'The server of `media_url` answered 404 or 410.',
    remedy: 'Check the URL: open it in a browser without signing in.',
  },
  'media-forbidden': {
    status: 422,
    title: 'The media server denied access',
    cause: 'The server of `media_url` answered 401, 403, 407 or 451.',
    remedy: 'Use a URL that works without a session, for example a signed link.',
  },
  'media-refused': {
    status: 422,
    title: 'The media server answered with an error',
    cause: 'The server of `media_url` answered with a status other than success.',
    remedy: 'The error detail has the status. Try again later, or ask the operator of the media server.',
  },
  'media-unreachable': {
    status: 422,
    title: 'The media server cannot be reached',
    cause: 'The host name cannot be resolved (DNS), no server accepts the connection, or the connection failed.',
    remedy: 'The error detail states the cause. Check the URL.',
  },
  'media-certificate': {
    status: 422,
    title: 'The certificate of the media server is not valid',
    cause: 'The TLS certificate is expired, self-signed or issued for another name, or its chain is incomplete.',
    remedy: 'Correct the certificate of the media server, or use another server.',
  },
  'media-redirects': {
    status: 422,
    title: 'The URL redirects too often',
    cause: 'The server of `media_url` sent more than five redirects.',
    remedy: 'Use the URL at the end of the redirects.',
  },
  'media-too-large': {
    status: 422,
    title: 'The media file is too large',
    cause: 'The media has more bytes than VOUCH_VIDEO_MAX_BYTES, by its `Content-Length` or as counted during the download.',
    remedy: 'Use a smaller file, or ask the operator to raise the setting.',
  },
  'media-too-slow': {
    status: 422,
    title: 'The media arrives too slowly',
    cause: 'For 30 seconds, the server of `media_url` sent nothing or less than the minimum throughput.',
    remedy: 'Serve the media from a faster server and try again.',
  },
  'media-incomplete': {
    status: 422,
    title: 'The media is incomplete',
    cause: 'The server of `media_url` sent fewer or more bytes than `Content-Length` announced.',
    remedy: 'Try again. If the error persists, the server announces a wrong length.',
  },
});
