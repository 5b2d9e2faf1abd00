import { defineErrors } from './problem.ts';

/** Codes that any product may answer with. Retired codes are never used again. */
export const platformErrors = defineErrors({
  'malformed-request': {
    status: 400,
    title: 'The request cannot be read',
    cause: 'The body is not valid JSON, not valid multipart, or ended before its announced length; or the header Host is missing, is there twice or names no host.',
    remedy: 'Compare the request with the example in /docs and send it again.',
  },
  'missing-filter': {
    status: 400,
    title: 'A filter is required',
    cause: 'A request that deletes needs to say what; deleting everything by leaving the filter out is not offered.',
    remedy: 'List first with GET, then delete by identifier or by tags.',
  },
  'missing-key': {
    status: 401,
    title: 'An API key is required',
    cause: 'The request has no `apikey` header.',
    remedy: 'Send the key in the header `apikey`. `vouch keys create --scope …` makes one.',
  },
  'unknown-key': {
    status: 401,
    title: 'The API key is not valid',
    cause: 'The key is not known here, was revoked, or has expired.',
    remedy: 'Check that the whole key was sent. `vouch keys list` shows the keys that are valid, `vouch keys create --scope …` makes a new one.',
  },
  'missing-scope': {
    status: 403,
    title: 'The API key may not do this',
    cause: 'The key is valid, but does not have the scope that this route needs.',
    remedy: 'Use a key with the scope named in the answer, or make one with `vouch keys create --scope`.',
  },
  'not-found': {
    status: 404,
    title: 'Nothing is at this address',
    cause: 'No route has this path and method, or the identifier is unknown to the organization of the key.',
    remedy: 'Compare the path with /docs. Identifiers of other organizations look like unknown ones.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path exists, the method does not',
    cause: 'The path is known, but not with this HTTP method.',
    remedy: 'Use one of the methods in the `Allow` header of the answer.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request did not arrive in time',
    cause: 'The client opened a request and did not finish sending it: headers within 15 seconds, a JSON body within 30, an upload without a silence of 30.',
    remedy: 'Send the request again; check the connection between client and server.',
  },
  'idempotency-conflict': {
    status: 409,
    title: 'The idempotency key was used for another request',
    cause: 'The same `Idempotency-Key` came with other parameters within 24 hours, or its first request is still being worked on.',
    remedy: 'Use a new key for a new request; repeat a request with exactly the same parameters.',
  },
  'too-large': {
    status: 413,
    title: 'The request is too large',
    cause: 'The body, or one part of it, is over its limit.',
    remedy: 'Split the data over several requests, or raise the limit in the configuration.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The content type is not supported',
    cause: 'The route does not read bodies of this `Content-Type` or `Content-Encoding`.',
    remedy: 'Send the content type that /docs shows for this route.',
  },
  'invalid-parameter': {
    status: 422,
    title: 'A parameter has a value that cannot be used',
    cause: 'The request can be read, but a parameter or field is out of its range or of the wrong type.',
    remedy: 'Each entry of `errors` names the parameter, its value and what it may be.',
  },
  'unknown-parameter': {
    status: 422,
    title: 'A parameter is not known',
    cause: 'The request names a parameter or field that this route does not have, which is most often a typing error.',
    remedy: 'Each entry of `errors` names the nearest known parameter.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    cause: 'The organization sent more requests than its limit allows.',
    remedy: 'Wait as long as `Retry-After` says.',
  },
  'too-many-wrong-keys': {
    status: 429,
    title: 'Too many wrong API keys',
    cause: 'The key is not valid, and one IP address sent more than 100 such keys, of which it gets one back each second. Behind a reverse proxy all clients have its IP address until VOUCH_TRUSTED_PROXIES names it.',
    remedy: 'Correct the key. Valid keys are answered as ever, also from the same IP address.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The request line and headers are too large',
    cause: 'Address and headers together are over 64 KB, most often because of a very long list of identifiers.',
    remedy: 'Ask for fewer identifiers at once, or for all of them without a list.',
  },
  internal: {
    status: 500,
    title: 'The server made a mistake',
    cause: 'An unexpected failure. The log line with the same request id has the details.',
    remedy: 'Look up the request id in the log, run `vouch doctor`, and report it.',
  },
  overloaded: {
    status: 503,
    title: 'The server is overloaded',
    cause: 'The server has more work than it can answer in time.',
    remedy: 'Repeat the request after the time in `Retry-After`.',
  },
  draining: {
    status: 503,
    title: 'The server is shutting down',
    cause: 'The server is finishing its open requests and takes no new ones.',
    remedy: 'Repeat the request after the time in `Retry-After`, or send it to another server.',
  },
  'database-unavailable': {
    status: 503,
    title: 'The database cannot be reached',
    cause: 'PostgreSQL does not answer. Nothing of the request was done.',
    remedy: 'Repeat the request; `vouch doctor` says what is wrong with the database.',
  },
  'storage-unavailable': {
    status: 503,
    title: 'The object store cannot be used',
    cause: 'The S3-compatible store of VOUCH_S3_BUCKET does not answer, refuses what it is asked, or, like a data folder may, lacks a file that the database names. Nothing of the request was done.',
    remedy: 'Repeat the request after the time in `Retry-After`; `vouch doctor` says what is wrong with the store.',
  },
  'storage-full': {
    status: 507,
    title: 'The disk is full',
    cause: 'The data could not be written completely; nothing of it was kept.',
    remedy: 'Free space in the data folder or move it to a larger disk, then repeat the request.',
  },
  'address-refused': {
    status: 422,
    title: 'The address may not be called',
    cause: 'The address is private, local or reserved, or its scheme is not http or https.',
    remedy: 'Use a public http(s) address, or allow the host and port in VOUCH_ALLOW_PRIVATE_ADDRESSES.',
  },
  'job-abandoned': {
    status: 500,
    title: 'The job was given up',
    cause: 'The job itself failed three times by something unexpected, its worker crashed three times in a row while the job was in one and the same stage, or its worker or the database went away twenty times in a row while the job was in the same stage. Other deaths of workers and those of PostgreSQL do not count as failures.',
    remedy: 'The log of the workers has the reason under the id of the job; for workers that went away, read the log of the system around these times, e.g. for processes ended because memory ran out. Run `vouch doctor`, and start the job again.',
  },
});
