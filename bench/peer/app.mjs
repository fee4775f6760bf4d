// The same work in Fastify 5 over better-sqlite3, tuned by hand: what a small team would write instead.
// DB=file PORT=n WORKERS=2 node app.mjs, in a folder with both packages.
import cluster from 'node:cluster'
import { createHash, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'

const require = createRequire(process.cwd() + '/')
const Fastify = require('fastify')
const Database = require('better-sqlite3')
const workers = Number(process.env.WORKERS ?? 1)
const port = Number(process.env.PORT)

if (workers > 1 && cluster.isPrimary) {
  for (let i = 0; i < workers; i++) cluster.fork()
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM')
    process.exit(0)
  })
} else await serve()

async function serve() {
  const db = new Database(process.env.DB, { timeout: 30_000 })
  for (const pragma of ['journal_mode=WAL', 'synchronous=FULL', 'cache_size=-65536', 'temp_store=MEMORY']) db.pragma(pragma)
  const columns = 'id, company_id, first_name, last_name, email, phone, status, vip, tags, notes, balance_cents, created_at, updated_at'
  const sql = {
    token: db.prepare('SELECT company_id, scopes, expires_at FROM api_tokens WHERE digest = ?'),
    get: db.prepare(`SELECT ${columns} FROM clients WHERE company_id = ? AND id = ?`),
    list: db.prepare(`SELECT ${columns} FROM clients WHERE company_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`),
    count: db.prepare('SELECT COUNT(*) n FROM clients WHERE company_id = ?'),
    answered: db.prepare('SELECT status, body, req_hash FROM idempotency WHERE company_id = ? AND key = ?'),
    update: db.prepare(`UPDATE clients SET first_name = COALESCE(?, first_name), last_name = COALESCE(?, last_name), updated_at = ? WHERE company_id = ? AND id = ? RETURNING ${columns}`),
    answer: db.prepare('INSERT INTO idempotency (company_id, key, status, body, created_at, req_hash) VALUES (?,?,?,?,?,?)'),
    audit: db.prepare('INSERT INTO audit (id, company_id, actor, action, entity, entity_id, diff, at) VALUES (?,?,?,?,?,?,?,?)'),
    outbox: db.prepare('INSERT INTO outbox (id, company_id, topic, payload, at, sent) VALUES (?,?,?,?,?,0)'),
  }
  let sequence = 0
  const newId = () => (BigInt(Date.now()) << 21n) | (BigInt(process.pid & 31) << 16n) | BigInt((sequence = (sequence + 1) & 0xffff))
  const time = at => new Date(at).toISOString()
  const shown = row => ({ ...row, vip: !!row.vip, tags: JSON.parse(row.tags), created_at: time(row.created_at), updated_at: time(row.updated_at) })
  const problem = (statusCode, key) => Object.assign(new Error(key), { statusCode, key })
  const windows = new Map()
  const limit = 1e9
  const count = digest => {
    const second = Math.floor(Date.now() / 1000)
    const minute = Math.floor(second / 60)
    let window = windows.get(digest)
    if (!window) windows.set(digest, (window = { minute, n: 0 }))
    if (window.minute !== minute) Object.assign(window, { minute, n: 0 })
    if (++window.n > limit) throw problem(429, 'rate_limit.exceeded')
    return { limit, remaining: limit - window.n, resetSeconds: 60 - (second % 60) }
  }

  const string = { type: 'string' }
  const integer = { type: 'integer' }
  const nullable = { type: ['string', 'null'] }
  const object = properties => ({ type: 'object', properties })
  const client = object({
    id: integer, company_id: integer, first_name: string, last_name: string, email: string, phone: nullable, status: string,
    vip: { type: 'boolean' }, tags: { type: 'array', items: string }, notes: nullable, balance_cents: integer, created_at: string, updated_at: string,
  })
  const meta = object({
    requestId: string,
    rateLimit: object({ limit: integer, remaining: integer, resetSeconds: integer }),
    idempotency: object({ replayed: { type: 'boolean' } }),
  })
  const envelope = data => ({ 200: object({ data, meta }) })
  const params = { ...object({ id: integer }), required: ['id'] }

  const app = Fastify({ logger: false })
  app.decorateRequest('caller', null)
  app.setErrorHandler((error, _request, reply) => {
    const key = error.key ?? (error.validation ? 'request.invalid' : 'internal')
    reply.code(error.statusCode ?? 500).send({ error: { key }, meta: { requestId: randomUUID() } })
  })
  const auth = scope => async request => {
    const header = request.headers.authorization
    if (!header?.startsWith('Bearer ')) throw problem(401, 'auth.missing_bearer')
    const digest = createHash('sha256').update(header.slice(7)).digest('hex')
    const token = sql.token.get(digest)
    if (!token || token.expires_at < Date.now()) throw problem(401, 'auth.invalid_token')
    if (!token.scopes.split(' ').includes(scope)) throw problem(403, 'scopes.insufficient')
    request.caller = { company: token.company_id, actor: 'token:' + digest.slice(0, 8), meta: { requestId: randomUUID(), rateLimit: count(digest) } }
  }
  app.get('/constant', async () => ({ data: { ok: true } }))
  app.get('/clients/:id', { onRequest: auth('clients:read'), schema: { params, response: envelope(client) } }, async request => {
    const row = sql.get.get(request.caller.company, request.params.id)
    if (!row) throw problem(404, 'resource.not_found')
    return { data: shown(row), meta: request.caller.meta }
  })
  const querystring = object({ page: { ...integer, minimum: 1, default: 1 }, pageSize: { ...integer, minimum: 1, maximum: 100, default: 20 } })
  const page = object({ items: { type: 'array', items: client }, total: integer, page: integer, pageSize: integer })
  app.get('/clients', { onRequest: auth('clients:read'), schema: { querystring, response: envelope(page) } }, async request => {
    const { page, pageSize } = request.query
    const { company, meta } = request.caller
    const items = sql.list.all(company, pageSize, (page - 1) * pageSize).map(shown)
    return { data: { items, total: sql.count.get(company).n, page, pageSize }, meta }
  })
  const write = db.transaction((caller, id, body, key) => {
    const hash = createHash('sha256').update(`PATCH /clients/${id}\n${JSON.stringify(body)}`).digest('hex')
    const before = sql.answered.get(caller.company, key)
    if (before && before.req_hash !== hash) throw problem(409, 'idempotency.conflict')
    if (before) return { text: before.body, replayed: true }
    const at = Date.now()
    const row = sql.update.get(body.first_name ?? null, body.last_name ?? null, at, caller.company, id)
    if (!row) throw problem(404, 'resource.not_found')
    const text = JSON.stringify(shown(row))
    sql.answer.run(caller.company, key, 200, text, at, hash)
    sql.audit.run(newId(), caller.company, caller.actor, 'update', 'client', id, JSON.stringify(body), at)
    sql.outbox.run(newId(), caller.company, 'client.updated', text, at)
    return { text, replayed: false }
  })
  const name = { ...string, minLength: 1, maxLength: 100 }
  const body = { ...object({ first_name: name, last_name: name }), additionalProperties: false }
  const headers = { ...object({ 'idempotency-key': { ...string, minLength: 1, maxLength: 200 } }), required: ['idempotency-key'] }
  app.patch('/clients/:id', { onRequest: auth('clients:write'), schema: { params, body, headers } }, async (request, reply) => {
    const { caller } = request
    const { text, replayed } = write.immediate(caller, request.params.id, request.body, request.headers['idempotency-key'])
    caller.meta.idempotency = { replayed }
    reply.type('application/json')
    return reply.send(`{"data":${text},"meta":${JSON.stringify(caller.meta)}}`)
  })
  await app.listen({ port, host: '127.0.0.1', backlog: 1024 })
  process.on('SIGTERM', () => process.exit(0))
}
