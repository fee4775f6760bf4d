// What both generations of the TypeScript SDK ask of whoever keeps credentials.
import { consent } from './consent.mjs';

export class Provider {
  constructor(person) { this.person = person; this.redirects = 0; }
  // Where the assistant's metadata document is, if it is known by one.
  get clientMetadataUrl() { return process.env.CLIENT_METADATA_URL; }
  get redirectUrl() { return 'http://127.0.0.1:45999/callback'; }
  get clientMetadata() {
    return { client_name: 'SDK test', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'], token_endpoint_auth_method: 'none' };
  }
  state() { return 'state-of-the-sdk'; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  async redirectToAuthorization(url) { this.redirects += 1; this.target = new URL(await consent(url.toString(), this.person)); }
  invalidateCredentials() { this.kept = undefined; }
}

export const [address, email, password, subject = 'coach'] = process.argv.slice(2);
export const person = { email, password, subject };

export async function walk(make, version) {
  const provider = new Provider(person);
  const first = make(provider);
  try { await first.client.connect(first.transport); throw new Error('was let in without consent'); }
  catch (error) { if (!/Unauthorized/i.test(error?.name + error?.message + error?.constructor?.name)) throw error; }
  const code = provider.target.searchParams.get('code');
  await first.transport.finishAuth(first.whole ? provider.target.searchParams : code);
  const second = make(provider);
  await second.client.connect(second.transport);
  const { tools } = await second.client.listTools();
  const name = tools.find((tool) => tool.name === 'list_clients') ? 'list_clients' : 'get_client';
  const told = await second.client.callTool({ name, arguments: {} });
  if (told.isError || !told.structuredContent) throw new Error(JSON.stringify(told));
  await second.client.close();
  const before = provider.kept;
  provider.kept = { ...before, access_token: 'fsct_expired' };
  const third = make(provider);
  await third.client.connect(third.transport);
  await third.client.callTool({ name, arguments: {} });
  await third.client.close();
  if (provider.kept.refresh_token === before.refresh_token) throw new Error('was not refreshed');
  if (provider.redirects !== 1) throw new Error('asked for consent again');
  const known = provider.client?.client_id ?? '';
  if (process.env.CLIENT_METADATA_URL && known !== process.env.CLIENT_METADATA_URL) throw new Error(`is known as ${known}`);
  if (process.env.CLIENT_METADATA_URL) version += ', by its document';
  console.log(`ok ${version}: ${tools.length} tools, ${name} called, token refreshed`);
}
