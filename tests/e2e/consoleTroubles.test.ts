import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openBrowser } from './harness/openBrowser.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

const hostile = '<img src=x onerror="document.title=1">';
const opened = await openBrowser();
if (typeof opened === 'string') console.warn(`The tests of the console in trouble are skipped: ${opened}`);

describe.skipIf(typeof opened === 'string')('the console', () => {
  const browser = opened as Browser;
  let vouch: RunningVouch;
  let context: BrowserContext;
  let page: Page;
  /** A server of videos that never end. */
  let endless: Server;
  const faults: string[] = [];

  beforeAll(async () => {
    endless = createServer((_request, response) => { response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '100000000' }).write('x'.repeat(1_000)); });
    await new Promise<void>((resolve) => { endless.listen(0, '127.0.0.1', resolve); });
    vouch = await startVouch({ environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: `127.0.0.1:${(endless.address() as AddressInfo).port}` } });
    const films = Array.from({ length: 8 }, (_, n) => `f${n}`);
    const quoted = hostile.replaceAll('"', '""');
    await vouch.client.upload([
      `id,type,name,metadata,media_url\n${films.map((film) => `${film},"${quoted}","${quoted} ${film}",,`).join('\n')}\n" m/6 ",bolt,Bolt M6,,\nm-6,bolt,Bolt M6,,`,
      `type,source_id,target_id,timestamp,metadata\n${films.flatMap((film, at) => [0, 1, 2].map((user) => `view,u${(at + user) % 8},${film},,`)).join('\n')}`,
    ]);
    expect((await vouch.client.trainToEnd({ model_id: 'films' })).status).toBe('completed');
    context = await browser.newContext();
    page = await openTab(context);
    await signIn(page, vouch.key);
  });

  afterAll(async () => {
    await browser.close();
    endless.closeAllConnections();
    endless.close();
    await vouch.stop();
  });

  async function openTab(of: BrowserContext): Promise<Page> {
    const tab = await of.newPage();
    tab.setDefaultTimeout(120_000);
    tab.on('pageerror', (error) => faults.push(error.message));
    return tab;
  }

  async function signIn(tab: Page, key: string): Promise<void> {
    await tab.goto(`${vouch.url}/console`);
    await enter(tab, key);
    await title(tab, 'Overview').waitFor();
  }

  async function enter(tab: Page, key: string): Promise<void> {
    await tab.getByLabel('API key').fill(key);
    await tab.keyboard.press('Enter');
  }

  const title = (tab: Page, name: string) => tab.getByRole('heading', { level: 1, name });

  async function open(path: string, heading: string): Promise<void> {
    await page.goto(`${vouch.url}/console${path}`);
    await title(page, heading).waitFor();
  }

  /** Slows the network of the page. @returns a function that makes the network fast again */
  async function slowDown(bytesPerSecond: number): Promise<() => Promise<void>> {
    const debuggerOf = await context.newCDPSession(page);
    const set = (latency: number, bytes: number) => debuggerOf.send('Network.emulateNetworkConditions', { offline: false, latency, downloadThroughput: bytes, uploadThroughput: bytes });
    await debuggerOf.send('Network.enable');
    await set(600, bytesPerSecond);
    return async () => {
      await set(0, -1);
      await debuggerOf.detach();
    };
  }

  it('says without JavaScript that it needs JavaScript, and where the same data is', async () => {
    const bare = await browser.newContext({ javaScriptEnabled: false });
    const tab = await bare.newPage();
    await tab.goto(`${vouch.url}/console`);
    // Elements inside of noscript exist only for a browser without JavaScript. The driver's emulation parses them but does not draw them.
    expect(await tab.locator('noscript p').textContent()).toContain('The console needs JavaScript');
    expect((await tab.goto(`${vouch.url}${await tab.locator('noscript a').getAttribute('href')}`))?.status()).toBe(200);
    await bare.close();
  });

  it('shows names with markup as text, in lists, reasons and searches', async () => {
    await open('/try?model=films&entity=f1', 'Try it');
    await page.locator('.item').first().getByText(hostile).first().waitFor();
    await page.locator('.reasons').first().waitFor();
    await page.getByRole('searchbox', { name: 'Recommend for' }).fill('<img');
    await page.getByRole('list', { name: 'Found entities' }).getByText(hostile).first().waitFor();
    await page.getByLabel('Why is an item not in this list?').fill('<img');
    await page.getByRole('list', { name: 'Found items' }).getByText(hostile).first().waitFor();
    expect(await page.locator('#app img').count()).toBe(0);
    expect(await page.title()).toBe('Try it · Vouch');
  });

  it('tells items of one name apart by their ids, also an id with blanks at its ends', async () => {
    await open('/try?model=films', 'Try it');
    await page.getByRole('searchbox', { name: 'Recommend for' }).fill('bolt');
    const found = page.getByRole('list', { name: 'Found entities' }).getByRole('button', { name: 'Bolt M6' });
    await found.nth(1).waitFor();
    expect((await found.locator('small').allTextContents()).filter((text) => /^ ?m.6 ?$/.test(text)).toSorted()).toEqual([' m/6 ', 'm-6']);
    await found.filter({ hasText: 'm/6' }).click();
    await page.waitForURL(/entity=/);
    await page.getByRole('heading', { name: 'Recommended for' }).waitFor();
    await page.locator('#app').getByText('Model films, version 1').waitFor();
  });

  exhaustiveTest('shows on a slow network that it loads, and sends one request for two clicks', async () => {
    await open('/keys', 'Keys');
    const fast = await slowDown(200_000);
    await page.getByRole('link', { name: 'Models' }).click();
    await title(page, 'Models').waitFor();
    await page.locator('[aria-busy="true"]').waitFor();
    await page.getByRole('rowheader', { name: 'films' }).waitFor();
    const sent: string[] = [];
    const count = (request: { method(): string; url(): string }): void => { if (request.method() === 'POST') sent.push(new URL(request.url()).pathname); };
    page.on('request', count);
    await page.getByLabel('Model', { exact: true }).fill('twice');
    await page.getByRole('button', { name: 'Train' }).dblclick();
    await title(page, 'twice').waitFor();
    page.off('request', count);
    expect(sent).toEqual(['/v1/recommender/train']);
    await fast();
  });

  it('shows the progress of an upload on a slow network; the back button ends the upload, which the next page says, and nothing is stored', async () => {
    const stored = async (): Promise<number> => (await vouch.client.get('/v1/recommender/data_batch')).json<object[]>().length;
    const before = await stored();
    await open('/models', 'Models');
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await title(page, 'Data').waitFor();
    const fast = await slowDown(40_000);
    const rows = Array.from({ length: 40_000 }, (_, at) => `view,user-${at},f1,,`).join('\n');
    await page.setInputFiles('#files', { name: 'views.csv', mimeType: 'text/csv', buffer: Buffer.from(`type,source_id,target_id,timestamp,metadata\n${rows}\n`) });
    await page.getByRole('button', { name: 'Upload the file' }).click();
    await expect.poll(async () => Number(await page.getByRole('progressbar', { name: 'Upload' }).getAttribute('aria-valuenow')), { timeout: 60_000 }).toBeGreaterThan(0);
    expect(Number(await page.getByRole('progressbar', { name: 'Upload' }).getAttribute('aria-valuenow'))).toBeLessThan(100);
    await page.goBack();
    await title(page, 'Models').waitFor();
    await page.getByText('The upload was cancelled, because you left its page').waitFor();
    await fast();
    await page.goForward();
    await title(page, 'Data').waitFor();
    expect(await page.getByText('The upload was cancelled').count()).toBe(0);
    expect(await stored()).toBe(before);
  });

  it.each([
    ['before the server has answered', async () => undefined],
    ['while bytes are sent', async () => expect.poll(async () => Number(await page.getByRole('progressbar', { name: 'Upload' }).getAttribute('aria-valuenow')), { timeout: 60_000 }).toBeGreaterThan(0)],
  ])('ends the upload of a video when its page is left %s, and the server removes what it received', async (_when, until) => {
    await open('/models', 'Models');
    await page.getByRole('link', { name: 'Videos' }).click();
    await title(page, 'Videos').waitFor();
    const fast = await slowDown(40_000);
    await page.setInputFiles('#video-file', { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(2_000_000, 1) });
    await page.getByRole('progressbar', { name: 'Upload' }).waitFor();
    const uploads = async (): Promise<number> => Number((await vouch.database?.query<{ count: string }>('SELECT count(*) FROM video_uploads'))?.rows[0]?.count);
    await expect.poll(uploads, { timeout: 60_000 }).toBe(1);
    await until();
    await page.goBack();
    await page.getByText('The upload was cancelled, because you left its page').waitFor();
    await fast();
    await expect.poll(uploads, { timeout: 60_000 }).toBe(0);
  });

  exhaustiveTest('draws 10,000 batches and 10,000 models page by page', async () => {
    await vouch.database?.query(`INSERT INTO batches (batch_id, organization_id, kind, blob, tags, row_count, csv_bytes, created_at)
      SELECT gen_random_uuid(), organization_id, kind, blob, ARRAY['many'], row_count, csv_bytes, created_at FROM batches, generate_series(1, 10000) WHERE sequence = 1`);
    await vouch.database?.query(`WITH one AS (SELECT t.*, row_number() OVER () AS n FROM (SELECT * FROM trainings WHERE model_id = 'films' LIMIT 1) t),
      ids AS MATERIALIZED (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 10000) n),
      copied AS (INSERT INTO jobs SELECT copy.* FROM one JOIN jobs j ON j.id = one.job_id CROSS JOIN ids
        CROSS JOIN LATERAL jsonb_populate_record(NULL::jobs, to_jsonb(j) || jsonb_build_object('id', ids.id, 'number', 1000000 + ids.n, 'idempotency_key', NULL)) AS copy RETURNING id),
      trained AS (INSERT INTO trainings (job_id, organization_id, model_id, parameters, metrics) SELECT ids.id, organization_id, 'many-' || ids.n, parameters, metrics FROM one, ids RETURNING job_id, organization_id, model_id)
      INSERT INTO models (organization_id, model_id, latest_training) SELECT organization_id, model_id, job_id FROM trained`);
    for (const [path, heading, region] of [['/data', 'Data', 'Batches'], ['/models', 'Models', 'Models']] as const) {
      await open(path, heading);
      const rows = page.getByRole('region', { name: region }).getByRole('row');
      await rows.nth(100).waitFor();
      expect(await rows.count(), heading).toBe(101);
      expect(await page.evaluate<number>('document.querySelectorAll("*").length'), heading).toBeLessThan(4_000);
      const firstName = (): Promise<string> => rows.nth(1).locator('code, th').first().innerText();
      const first = await firstName();
      await page.getByRole('link', { name: 'Next page' }).click();
      await page.getByRole('link', { name: 'First page' }).waitFor();
      await expect.poll(firstName).not.toBe(first);
      expect(await rows.count(), heading).toBe(101);
      await page.goBack();
      await page.getByRole('link', { name: 'First page' }).waitFor({ state: 'detached' });
      await expect.poll(firstName).toBe(first);
    }
    await open('/try', 'Try it');
    // The model that answers is older than the models of the list.
    await page.getByLabel('Model', { exact: true }).fill('films');
    await page.keyboard.press('Enter');
    await page.locator('.item').first().waitFor();
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(4_000);
  });

  it('says that the server does not answer, continues by itself, and does not repeat a change whose answer is missing', async () => {
    await open('/keys', 'Keys');
    await page.getByLabel('Name').fill('lost');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('alert').getByText('does not know whether the server made the change').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await context.setOffline(false);
    await page.getByRole('region', { name: 'Served' }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    const names = (await vouch.client.get('/v1/keys')).json<{ name: string }[]>().map(({ name }) => name);
    expect(names).not.toContain('lost');
  });

  it('says after a minute that the server does not answer where a request is lost without a word, and continues by itself', async () => {
    const tab = await openTab(context);
    await tab.clock.install();
    const lost: Route[] = [];
    await tab.route('**/v1/keys*', (route) => { lost.push(route); });
    await tab.goto(`${vouch.url}/console/keys`);
    await title(tab, 'Keys').waitFor();
    await expect.poll(() => lost.length).toBe(1);
    await tab.clock.fastForward(61_000);
    await tab.getByRole('alert').getByText('The server does not answer').waitFor();
    await tab.unroute('**/v1/keys*');
    await tab.clock.fastForward(20_000);
    await tab.getByRole('alert').waitFor({ state: 'detached' });
    await tab.getByRole('table').getByText('admin').first().waitFor();
    await tab.close();
  });

  it('explains a model that never completed, and what can be asked of it', async () => {
    expect((await vouch.client.trainToEnd({ model_id: 'never', data_tags: 'no-such-tag' })).status).toBe('error');
    await open('/models/never', 'never');
    const failure = page.getByRole('alert', { name: 'The last training failed' });
    await failure.getByText('The model has no version that answers queries.').waitFor();
    await failure.getByRole('link', { name: 'What to do: no-usable-data' }).waitFor();
    await page.getByRole('region', { name: 'Trainings' }).getByText('error').first().waitFor();
    await open('/try?model=never', 'Try it');
    await page.getByRole('alert').getByRole('link', { name: 'model-not-ready' }).first().waitFor();
  });

  it('says of a run that was deleted under its page that the run is unknown', async () => {
    const { run_id: id } = (await vouch.client.send('POST', '/v1video-summarization/create', { body: { media_url: `http://127.0.0.1:${(endless.address() as AddressInfo).port}/film.mp4` } })).json<{ run_id: string }>();
    await open(`/videos/${id}`, 'film.mp4');
    await page.getByText('download').first().waitFor();
    await vouch.database?.query('DELETE FROM video_runs WHERE run_id = $1', [id]);
    await page.getByRole('alert').getByRole('link', { name: 'unknown-run' }).waitFor();
    await page.getByRole('link', { name: 'Videos' }).click();
    await title(page, 'Videos').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('asks for a sign-in in both tabs when one signs out; a sign-in in one tab continues the other where it was', async () => {
    const other = await openTab(context);
    await other.goto(`${vouch.url}/console/keys`);
    await title(other, 'Keys').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await other.getByLabel('Name').fill('second tab');
    await other.getByRole('button', { name: 'Create a key' }).click();
    await other.getByText('Your session has ended').waitFor();
    await enter(page, vouch.key);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await other.evaluate('dispatchEvent(new Event("focus"))');
    await title(other, 'Keys').waitFor();
    expect(other.url()).toBe(`${vouch.url}/console/keys`);
    await other.close();
  });

  exhaustiveTest('ends the session of a key that is revoked while a page is open, without a click, and continues on that page with another key', async () => {
    const { id, key } = JSON.parse(await vouch.run('keys', 'create', '--name', 'short', '--scope', 'admin', '--json')) as { id: string; key: string };
    const apart = await browser.newContext();
    const tab = await openTab(apart);
    await signIn(tab, key);
    await tab.getByRole('region', { name: 'Served' }).waitFor();
    await vouch.run('keys', 'revoke', id);
    await tab.getByText('Your session has ended').waitFor();
    await enter(tab, vouch.key);
    await tab.getByRole('region', { name: 'Served' }).waitFor();
    await apart.close();
    expect(faults).toEqual([]);
  });
});
