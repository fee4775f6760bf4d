// Passes requests on with a credential, for tools that cannot be given one.
import http from 'node:http';

const [port, target, credential] = process.argv.slice(2);
const { hostname, port: targetPort } = new URL(target);
http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${credential}` };
  const onward = http.request({ hostname, port: targetPort, path: request.url, method: request.method, headers }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
}).listen(Number(port), '127.0.0.1');
