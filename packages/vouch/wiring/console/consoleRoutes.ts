import { readFileSync, existsSync } from 'node:fs';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { compressAnswers } from '@vouch/platform/http/compressAnswers';
import { typed } from '@vouch/platform/http/request';
import { pageHeaders } from '@vouch/platform/http/securityHeaders';
import { generateSample, type Sample } from '@vouch/recommender/sample/generateSample';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/** The console as the build writes it: names, media types and contents of its files. */
const built = new URL('../../../console/built/console.json', import.meta.url);
const sampleSeed = 7;

/**
 * Scripts and styles of this server only. Pictures and videos come from anywhere, because media_url names pictures of the user.
 */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src * data: blob:; media-src * blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Asset {
  /** Media type. */
  type: string;
  content: Buffer;
}

const Index = Type.Object({
  name: Type.String(),
  version: Type.String(),
  console: Type.String({ description: 'URL of the web console.' }),
  documentation: Type.String({ description: 'URL of the documentation.' }),
  openapi: Type.String({ description: 'URL of the OpenAPI description.' }),
}, {
  title: 'Index',
  examples: [{ name: 'Vouch', version: '0.1.0', console: 'https://vouch.example/console', documentation: 'https://vouch.example/docs', openapi: 'https://vouch.example/openapi.json' }],
});

interface ConsoleParts {
  publicUrl: string;
  version: string;
  /** Current time in ms since the Unix epoch. */
  now(): number;
}

/** Adds the web console at `/console`, and `/`, which leads browsers there and answers programs with a short index. */
export async function addConsole(server: FastifyInstance, { publicUrl, version, now }: ConsoleParts): Promise<void> {
  const open = { scope: null };
  const hidden = { hide: true };
  const { page, assets } = readConsole();
  // Made once: anybody may request the sample, and 40,000 rows take the event loop a moment.
  let sample: Sample | undefined;

  server.get('/', {
    config: open,
    exposeHeadRoute: true,
    schema: { operationId: 'getIndex', summary: 'Where the console and the documentation are', tags: ['service'], description: 'A browser is redirected to the console.', response: { 200: Index } },
  }, async (request, reply) => {
    reply.header('vary', 'accept');
    if (request.headers.accept?.includes('text/html') === true) return reply.redirect('/console', 303);
    return { name: 'Vouch', version, console: `${publicUrl}/console`, documentation: `${publicUrl}/docs`, openapi: `${publicUrl}/openapi.json` };
  });

  const sendPage = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (page === null) throw platformErrors.problem('not-found', 'This build has no console. `npm run build` builds the console.');
    return reply.headers({ ...pageHeaders, 'content-security-policy': policy, 'cache-control': 'no-cache' }).type(page.type).send(page.content);
  };
  await server.register(async (scope) => {
    compressAnswers(scope);
    scope.get('/console', { config: open, schema: hidden }, sendPage);
    // A reload of any page of the console loads the same document; its script shows the page of the address.
    scope.get('/console/*', { config: open, schema: hidden }, sendPage);

    typed(scope).get('/console/assets/:name', { config: open, schema: { ...hidden, params: Type.Object({ name: Type.String() }) } }, async (request, reply) => {
      const asset = assets.get(request.params.name);
      if (asset === undefined) throw platformErrors.problem('not-found', 'The console has no such file. Reload the page: the server was updated.');
      // The names contain hashes of the contents.
      return reply.header('cache-control', 'public, max-age=31536000, immutable').type(asset.type).send(asset.content);
    });
  });

  typed(server).get('/console/sample/:name', { config: open, schema: { ...hidden, params: Type.Object({ name: Type.String() }) } }, async (request, reply) => {
    sample ??= generateSample({ seed: sampleSeed, nowMs: now() });
    const text = new Map([['entities.csv', sample.entitiesCsv], ['interactions.csv', sample.interactionsCsv]]).get(request.params.name);
    if (text === undefined) throw platformErrors.problem('not-found', 'The sample has the files entities.csv and interactions.csv.');
    return reply.type('text/csv; charset=utf-8').send(text);
  });
}

function readConsole(): { page: Asset | null; assets: ReadonlyMap<string, Asset> } {
  if (!existsSync(built)) return { page: null, assets: new Map() };
  const files = JSON.parse(readFileSync(built, 'utf8')) as Record<string, { type: string; text: string }>;
  const assets = new Map(Object.entries(files).map(([name, { type, text }]) => [name, { type, content: Buffer.from(text) }]));
  return { page: assets.get('page.html') ?? null, assets };
}
