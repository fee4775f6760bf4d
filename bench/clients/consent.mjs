// Does what a person does in a browser: opens the address, signs in, and allows.
// Returns the address that the browser is sent to in the end, which has the code.
export async function consent(address, { email, password, subject }) {
  const go = (url, options = {}) => fetch(url, { redirect: 'manual', ...options });
  const start = await go(address);
  const page = new URL(start.headers.get('location') ?? '', address);
  if (start.status !== 303 || !page.pathname.endsWith('/consent')) {
    throw new Error(`no consent page: ${start.status} ${page} ${await start.text()}`);
  }
  const request = page.searchParams.get('request');
  const form = (fields) => ({ method: 'POST', body: new URLSearchParams(fields) });
  const signIn = await go(new URL('/mcp/v1/oauth/consent/sign-in', page),
    form([['request', request], ['email', email], ['password', password], ['subject', subject]]));
  const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0];
  const shown = await (await go(page, { headers: { cookie } })).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(shown)?.[1];
  if (!csrf) throw new Error(`nothing to decide: ${signIn.status} ${shown}`);
  const modules = [...shown.matchAll(/name="module" value="([^"]+)"/g)].map((match) => ['module', match[1]]);
  const done = await go(new URL('/mcp/v1/oauth/consent/decide', page), {
    ...form([['request', request], ['csrf', csrf], ...modules, ['decision', 'approve']]), headers: { cookie },
  });
  const target = done.headers.get('location');
  if (done.status !== 303 || !target) throw new Error(`not allowed: ${done.status} ${await done.text()}`);
  return target;
}
