import type { Ended, InHouse, ReceivedCall } from '@vouch/platform/conformance/context';
import type { Answered, Asked, Wrong } from './wrongServer.ts';

/** Building blocks of wrong servers. */

const refusals = [400, 401, 403, 404, 405, 409, 415, 422];

/** Accepts requests that should be refused. */
export const accepts: Wrong = {
  name: 'accepts what should be refused',
  answer(answered) {
    if (!refusals.includes(answered.status)) return false;
    answered.status = 200;
    return true;
  },
};

/** Refuses requests that should be accepted. */
export function refuses(status = 422): Wrong {
  return {
    name: `refuses with ${status} what should be accepted`,
    answer(answered) {
      if (answered.status >= 300) return false;
      answered.status = status;
      return true;
    },
  };
}

export function ignores(...names: readonly string[]): Wrong {
  return {
    name: `ignores ${names.join(' and ')} of a query`,
    request({ query }) {
      const there = names.filter((name) => query.has(name));
      for (const name of there) query.delete(name);
      return there.length > 0;
    },
  };
}

/** Uses a different default for a query parameter. */
export function defaults(name: string, value: string): Wrong {
  return {
    name: `has ${name}=${value} by default`,
    request({ query }) {
      if (query.has(name)) return false;
      query.set(name, value);
      return true;
    },
  };
}

/** Uses only the first of several comma-separated values. */
export function takesFirst(name: string): Wrong {
  return {
    name: `takes the first member of ${name} only`,
    request({ query }) {
      const [first = '', ...rest] = query.get(name)?.split(',') ?? [];
      if (rest.length > 0) query.set(name, first);
      return rest.length > 0;
    },
  };
}

/** Ignores a field of JSON bodies. */
export function ignoresField(name: string): Wrong {
  return {
    name: `ignores the field ${name}`,
    request(asked) {
      const body = asJson(asked.body) as Record<string, unknown> | null;
      if (body === null || !(name in body)) return false;
      delete body[name];
      asked.body = Buffer.from(JSON.stringify(body));
      return true;
    },
  };
}

/** Changes the value of a field in every object of a JSON response; `undefined` removes the field. */
export function writes(name: string, value: unknown | (() => unknown), method?: string): Wrong {
  const shown = typeof value === 'function' ? 'something else each time' : (JSON.stringify(value) ?? 'nothing');
  return {
    name: `writes ${shown} into ${name}`,
    answer(answered, asked) {
      if (method !== undefined && asked.method !== method) return false;
      const body = asJson(answered.body);
      let found = false;
      const visit = (part: unknown): void => {
        if (typeof part !== 'object' || part === null) return;
        if (!Array.isArray(part) && name in part) {
          found = true;
          const written: unknown = typeof value === 'function' ? (value as () => unknown)() : value;
          if (written === undefined) delete (part as Record<string, unknown>)[name];
          else (part as Record<string, unknown>)[name] = written;
        }
        Object.values(part).forEach(visit);
      };
      visit(body);
      if (found) answered.body = Buffer.from(JSON.stringify(body));
      return found;
    },
  };
}

/** Adds a field to every object of a list. */
export const addsField: Wrong = {
  name: 'adds a field to each record',
  answer(answered) {
    const body = asJson(answered.body);
    if (!Array.isArray(body)) return false;
    answered.body = Buffer.from(JSON.stringify(body.map((each) => ({ ...(each as object), rows: [] }))));
    return true;
  },
};

/** Shortens lists in JSON or CSV responses to the first `length` elements. */
export function cutsLists(length: number): Wrong {
  return {
    name: `cuts lists after ${length}`,
    answer(answered) {
      if (answered.status !== 200 && answered.status !== 201) return false;
      if (String(answered.headers['content-type']).startsWith('text/csv')) {
        answered.body = Buffer.from(`${answered.body.toString().split('\n').slice(0, length + 1).join('\n')}\n`);
        return true;
      }
      const body = asJson(answered.body);
      if (Array.isArray(body)) answered.body = Buffer.from(JSON.stringify(body.slice(0, length)));
      else if (body !== null && 'recommendations' in body) {
        answered.body = Buffer.from(JSON.stringify({ ...body, recommendations: (body.recommendations as unknown[]).slice(0, length) }));
      } else return false;
      return true;
    },
  };
}

export function replacesText(path: RegExp, from: string, to: string): Wrong {
  return {
    name: `writes ${to} for ${from}`,
    answer(answered, asked) {
      if (!path.test(asked.path) || !answered.body.includes(from)) return false;
      answered.body = Buffer.from(answered.body.toString().replaceAll(from, to));
      return true;
    },
  };
}

/** Handles requests to one path as requests to a different path. */
export function takesPath(from: RegExp, to: string): Wrong {
  return {
    name: `takes ${from.source} for ${to}`,
    request(asked) {
      if (!from.test(asked.path)) return false;
      asked.path = asked.path.replace(from, to);
      return true;
    },
  };
}

/** Responds to a DELETE with the list of what it would delete, and deletes nothing. */
export const deletesNothing: Wrong = {
  name: 'deletes nothing',
  request(asked) {
    if (asked.method !== 'DELETE') return false;
    asked.method = 'GET';
    return true;
  },
};

/** Ignores API keys. */
export function knowsEverybody(apiKey: string): Wrong {
  return {
    name: 'does not look at keys',
    request(asked) {
      if (asked.headers['apikey'] === apiKey) return false;
      asked.headers['apikey'] = apiKey;
      return true;
    },
  };
}

/** Does not require the headers of messages. */
export const needsNoHeaders: Wrong = {
  name: 'does without headers',
  request({ headers }) {
    const missing = ['origin', 'user-agent', 'x-app-id'].filter((name) => (headers[name] ?? '') === '');
    for (const name of missing) headers[name] = 'filled in';
    return missing.length > 0;
  },
};

/** Responds that it accepted a message, with the id of a confirmed message, and does nothing. */
export function swallows(requestId: () => Promise<string>): Wrong {
  let id = '';
  void requestId().then((found) => (id = found), () => undefined);
  return {
    name: 'accepts messages and does nothing',
    instead({ method, path }: Asked): Answered | null {
      if (method !== 'POST' || !path.includes('/send_tx_')) return null;
      const body = Buffer.from(JSON.stringify({ code: 0, msg: 'ok', data: { request_id: id, status: 'verified', tx_hash: null } }));
      return { status: 200, headers: { 'content-type': 'application/json', location: `/gateway/requests/${id}` }, body };
    },
  };
}

/** Changes the callbacks. */
export function callsBack(name: string, change: (call: ReceivedCall) => readonly ReceivedCall[]): Wrong {
  return {
    name,
    inHouse: (inHouse, changed) => ({
      ...inHouse,
      receiver: {
        url: inHouse.receiver.url,
        get received() {
          changed();
          return inHouse.receiver.received.flatMap(change);
        },
      },
    }),
  };
}

/** Changes the files in the repository. */
export function hasFiles(change: (text: string) => string): Wrong {
  return {
    name: 'has other files',
    inHouse: (inHouse, changed) => ({ ...inHouse, readFile: async (path) => (changed(), change(await inHouse.readFile(path))) }),
  };
}

/** A wrong verifier node: changes the arguments of the program or its result. */
export function node(name: string, words: (given: readonly string[]) => readonly string[], ended: (real: Ended) => Ended = (real) => real): Wrong {
  return {
    name,
    inHouse: (inHouse, changed): InHouse => ({
      ...inHouse,
      node: {
        ...inHouse.node,
        async run(given, input) {
          const real = await inHouse.node.run(words(given), input);
          changed();
          return ended(real);
        },
      },
    }),
  };
}

export function nodeIgnoresFlag(flag: string): Wrong {
  return node(`ignores ${flag}`, (given) => {
    const at = given.indexOf(flag);
    return at < 0 ? given : given.toSpliced(at, flag === '-generate-keystore' ? 1 : 2);
  });
}

function asJson(body: Buffer): Record<string, unknown> | unknown[] | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' ? (value as Record<string, unknown> | unknown[] | null) : null;
  } catch {
    return null;
  }
}
