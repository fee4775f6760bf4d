# Sourced by the scripts here: a PostgreSQL server of their own in $work/pg, as an ordinary user
# because it refuses to run as root; with options of the server, where some are given. Sets database_url and adds to pids.

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

