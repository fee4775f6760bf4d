-- Requests of both sides, from the environment: METHOD, URLPATH, BODY, and IDEM=1 for a fresh Idempotency-Key each.
-- {id} is a line of the file IDS or, without one, {client} a client of {company}; {n} is a number. TOKEN may name {company}.
local env = os.getenv
local method, body = env("METHOD") or "GET", env("BODY") or ""
local random, format, concat = math.random, string.format, table.concat

-- A template as pieces, made once: the load must cost less than what it measures.
local function pieces(text)
  local out, position = {}, 1
  while true do
    local first, last, name = text:find("{(%l+)}", position)
    if not first then
      out[#out + 1] = text:sub(position)
      return out
    end
    out[#out + 1] = text:sub(position, first - 1)
    out[#out + 1] = { name }
    position = last + 1
  end
end

local function filled(template, values)
  local out = {}
  for i = 1, #template do
    local piece = template[i]
    out[i] = type(piece) == "string" and piece or values[piece[1]]
  end
  return concat(out)
end

local ids
if env("IDS") then
  ids = {}
  for line in io.lines(env("IDS")) do ids[#ids + 1] = line end
end
local tokens = {}
for company = 1, 40 do
  tokens[company] = "Bearer " .. env("TOKEN"):gsub("{company}", format("%02d", company))
end
local path, content, values = pieces(env("URLPATH")), pieces(body), {}
local headers = {}
if body ~= "" then headers["Content-Type"] = "application/json" end

function init()
  math.randomseed(os.time() * 1000 + math.floor(os.clock() * 1e6))
  for _ = 1, 5 do random() end
end

function request()
  local company = random(1, 40)
  values.client, values.n = random(1, 5000), random(1, 1e9)
  values.id = ids and ids[random(1, #ids)]
  headers["Authorization"] = tokens[company]
  if env("IDEM") == "1" then
    headers["Idempotency-Key"] = format("%08x%08x%08x", random(0, 0x7fffffff), random(0, 0x7fffffff), random(0, 0x7fffffff))
  end
  return wrk.format(method, filled(path, values), headers, body ~= "" and filled(content, values) or nil)
end
