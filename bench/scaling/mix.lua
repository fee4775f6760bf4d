-- Requests of one kind, or a mix of them: of ten, five read a client, two list clients, one lists bookings, one changes a client, and
-- one creates one.
local thread_count = 0
function setup(thread) thread:set("id", thread_count); thread_count = thread_count + 1 end
local n = 0
local began = os.time()
local kind = os.getenv("KIND")
local mix = {"read", "read", "read", "read", "read", "list", "list", "bookings", "change", "create"}
local salt
function init() math.randomseed(id + os.time()); salt = math.random(1000000000) end
local function write(method, path, body)
  return wrk.format(method, path, {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json",
    ["Idempotency-Key"] = "scaling-" .. began .. "-" .. salt .. "-" .. id .. "-" .. n}, body)
end
local function read(path) return wrk.format("GET", path, {["Authorization"] = "Bearer " .. token}) end
function request()
  n = n + 1
  local what = kind == "mix" and mix[math.random(#mix)] or kind
  local path = paths[math.random(#paths)]
  if what == "read" then return read(path) end
  if what == "list" then return read("/public/v1/clients?limit=20") end
  if what == "search" then return read("/public/v1/clients?limit=20&search=zoe.bakker7@") end
  if what == "report" then return read("/public/v1/reports/attendance?from=2026-01-01&to=2026-03-31&groupBy=week") end
  if what == "bookings" then return read("/public/v1/bookings?limit=20&clientId=" .. path:match("[^/]+$")) end
  if what == "change" then return write("PATCH", path, '{"lastName":"Name' .. n .. '"}') end
  return write("POST", "/public/v1/clients", '{"firstName":"Ann","lastName":"Scaling"}')
end
