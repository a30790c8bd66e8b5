import { expect, test } from 'vitest';
import { openTestDesk } from '../../test/open-test-desk.ts';

async function get(url: string) {
  const answer = await fetch(url);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test('serves the page with a policy that runs no inline script and no eval', async () => {
  await using open = await openTestDesk();
  const { headers } = await get(open.desk.url);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'self'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]+';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('tells its page what sends the updates, and has no outbox to show where there is none', async () => {
  await using open = await openTestDesk();
  expect((await get(open.desk.url)).text).toContain('<meta name="sends-through" content="client"');
  expect((await get(`${open.desk.url}/api/outbox`)).status).toBe(404);
});

test('gives each view of the page a nonce of its own', async () => {
  await using open = await openTestDesk();
  const views = await Promise.all([get(open.desk.url), get(open.desk.url)]);
  const nonces = views.map(({ text, headers }) => {
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '') ?? [];
    expect(text).toContain(`nonce="${nonce}"`);
    expect(text).not.toContain('NONCE');
    expect(headers.get('cache-control')).toBe('no-store');
    return nonce;
  });
  expect(new Set(nonces).size).toBe(2);
});

test('serves the page at the address of each of its views, and at no other', async () => {
  await using open = await openTestDesk();
  const status = async (path: string) => (await get(open.desk.url + path)).status;
  for (const path of ['/orders/a%2Fb', '/decisions', '/bulk', '/bulk/1', '/switchboard', '/outbox'])
    expect(await status(path), path).toBe(200);
  for (const path of ['/orders', '/other', '/bulk/1/2', '/index.html'])
    expect(await status(path), path).toBe(404);
});

test('serves the files of the page for good, packed, and no others', async () => {
  await using open = await openTestDesk();
  const { text } = await get(open.desk.url);
  const [script = ''] = /\/assets\/[\w-]+\.js/.exec(text) ?? [];
  const { status, headers } = await get(open.desk.url + script);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('javascript');
  expect(headers.get('content-encoding')).toBe('gzip');
  expect(headers.get('cache-control')).toContain('immutable');
  expect((await get(`${open.desk.url}/assets/..%2f..%2fmain.js`)).status).toBe(404);
  expect((await get(`${open.desk.url}/main.js`)).status).toBe(404);
});
