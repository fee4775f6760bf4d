// Waits for a program to print an address to be opened, and does what a person does there.
import { spawn } from 'node:child_process';
import { consent } from './consent.mjs';

const [email, password, subject, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, BROWSER: 'true', DISPLAY: '' } });
let text = '', opened = false;
const hear = (chunk) => {
  text += chunk;
  process.stdout.write(chunk);
  const address = /https?:\/\/\S+\/mcp\/v1\/oauth\/authorize\?\S+/.exec(text)?.[0];
  if (address && !opened && text.slice(text.indexOf(address)).includes('\n')) {
    opened = true;
    consent(address, { email, password, subject }).then((target) => fetch(target)).catch((error) => {
      console.error(error);
      child.kill();
    });
  }
};
child.stdout.on('data', hear);
child.stderr.on('data', hear);
process.stdin.pipe(child.stdin);
child.on('exit', (code) => process.exit(code ?? 1));
