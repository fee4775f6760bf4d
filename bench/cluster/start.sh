# Sourced by the scripts here: a cluster of PostgreSQL with Citus on loopback, a coordinator and so many workers, as an
# ordinary user. Needs PostgreSQL with Citus installed for it (bench/cluster/build). Sets database_url and adds to pids; its
# data is in $work/cluster.

# How its servers are set.
server_options="-c listen_addresses=127.0.0.1 -c shared_buffers=128MB -c shared_preload_libraries=citus \
  -c max_prepared_transactions=400 -c max_connections=500 -c max_worker_processes=64 -c wal_level=logical \
  -c citus.node_conninfo=sslmode=disable -c citus.shard_count=${shards:-8}"

citus_bin() { ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1; }

# start_server <name> <port>
start_server() {
  local folder=$work/cluster/$1 bin
  bin=$(citus_bin)
  $as "$bin/initdb" -A trust -U spotter -E UTF8 --locale=C.UTF-8 -D "$folder" >/dev/null
  # shellcheck disable=SC2086
  $as "$bin/postgres" -D "$folder" -k "$work/cluster" -p "$2" $server_options >"$work/cluster/$1.log" 2>&1 &
  pids+=($!)
  for _ in $(seq 100); do psql -qtA -h 127.0.0.1 -p "$2" -U spotter -d postgres -c "SELECT 1" >/dev/null 2>&1 && return; sleep 0.1; done
  echo "the server $1 does not start" >&2
  return 1
}

# spread_database <name> <workers>: a database of that name on every server, with Citus
spread_database() {
  local port first=${cluster_port:-19400} name=$1 workers=$2
  for port in $(seq "$first" $((first + workers))); do
    psql -q -h 127.0.0.1 -p "$port" -U spotter -d postgres -c "CREATE DATABASE $name"
    psql -q -h 127.0.0.1 -p "$port" -U spotter -d "$name" -c "CREATE EXTENSION citus"
  done
  psql -q -h 127.0.0.1 -p "$first" -U spotter -d "$name" -c "SELECT citus_set_coordinator_host('127.0.0.1', $first)" >/dev/null
  for port in $(seq $((first + 1)) $((first + workers))); do
    psql -q -h 127.0.0.1 -p "$first" -U spotter -d "$name" -c "SELECT citus_add_node('127.0.0.1', $port)" >/dev/null
  done
}

# start_cluster <workers>
start_cluster() {
  local worker first=${cluster_port:-19400}
  first_port=$first
  mkdir "$work/cluster"
  chmod 755 "$work"
  if [ "$(id -u)" = 0 ]; then chown nobody "$work/cluster"; as="setpriv --reuid=nobody --regid=nogroup --clear-groups"; else as=""; fi
  start_server coordinator "$first"
  for worker in $(seq "$1"); do start_server "worker$worker" $((first + worker)); done
  spread_database spotter "$1"
  database_url="postgres://spotter@127.0.0.1:$first/spotter?sslmode=disable"
}
