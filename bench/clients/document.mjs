// An assistant's metadata document, at an https address of this machine.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [port, folder] = process.argv.slice(2);
const address = `https://localhost:${port}/assistant.json`;
const document = JSON.stringify({ client_id: address, client_name: 'Described assistant', token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] });
createServer({ key: readFileSync(`${folder}/own.key`), cert: readFileSync(`${folder}/own.pem`) }, (_, answer) => {
  answer.setHeader('content-type', 'application/json');
  answer.end(document);
}).listen(Number(port), 'localhost', () => console.log(address));
