# Sourced by the scripts here, in the project's folder: builds what is measured, and sets spotter, the program, and work, a folder
# that is removed at the end, as processes in pids are ended. BENCH_BUILT=1 takes the programs as they are.

if [ -z "${BENCH_BUILT:-}" ]; then
  # Apart, because together they share features, and the service would be another program than users have.
  cargo build --release --quiet -p spotter
  cargo build --release --quiet -p spotter-bench
fi
spotter=$PWD/target/release/spotter
work=$(mktemp -d)
pids=()
cleanup() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

# A PostgreSQL server in $work/pg, as an ordinary user because it refuses to run as root; with options of the server, where some
# are given. Sets database_url.
start_postgres() {
  local bin user=nobody
  bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
  mkdir "$work/pg"
  chmod 755 "$work"
  if [ "$(id -u)" = 0 ]; then chown $user "$work/pg"; as="setpriv --reuid=$user --regid=nogroup --clear-groups"; else as=""; fi
  $as "$bin/initdb" -A trust -U spotter -E UTF8 --locale=C.UTF-8 -D "$work/pg/data" >/dev/null
  $as "$bin/postgres" -D "$work/pg/data" -k "$work/pg" -c listen_addresses= -c shared_buffers=512MB "$@" >"$work/pg/log" 2>&1 &
  pids+=($!)
  for _ in $(seq 100); do [ -S "$work/pg/.s.PGSQL.5432" ] && break; sleep 0.1; done
  sleep 0.5
  database_url="postgres://spotter@${work//\//%2F}%2Fpg/postgres"
}
