import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { address, walk } from './provider.mjs';

await walk((authProvider) => ({
  client: new Client({ name: 'typescript-1', version: '1' }),
  transport: new StreamableHTTPClientTransport(new URL(address), { authProvider }),
}), 'TypeScript SDK 1');
