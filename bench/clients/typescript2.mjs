import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { address, walk } from './provider.mjs';

await walk((authProvider) => ({
  client: new Client({ name: 'typescript-2', version: '1' }),
  whole: true,
  transport: new StreamableHTTPClientTransport(new URL(address), { authProvider }),
}), 'TypeScript SDK 2');
