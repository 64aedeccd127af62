#!/bin/sh
# A private PostgreSQL with PostGIS in a folder, reached by a unix socket alone.
#
#   scripts/postgis.sh start DIR    install the packages where they are missing, make the cluster, start it, and print
#                                   the socket's folder
#   scripts/postgis.sh stop DIR     stop it
#
# Debian and Ubuntu: the packages come by apt-get, with sudo where the user is not root. No system service is left
# behind: a cluster that the packages made is dropped again. Elsewhere the packages must be there; PGBIN names the
# folder of initdb and pg_ctl where it is none of the usual.
set -eu

action=${1:-}
dir=${2:-}

fail() {
    echo "postgis: $1" >&2
    exit 1
}

case $action in start | stop) ;; *) fail "usage: scripts/postgis.sh start|stop DIR" ;; esac
[ -n "$dir" ] || fail "usage: scripts/postgis.sh $action DIR"

find_bin() { # the newest PostgreSQL that has PostGIS
    for bin in ${PGBIN:-} /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin; do
        [ -x "$bin/initdb" ] && [ -e "$("$bin/pg_config" --sharedir)/extension/postgis.control" ] && found=$bin
    done
    echo "${found:-}"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install() {
    if ! command -v apt-get >/dev/null; then
        [ "$(uname)" != Darwin ] || fail "PostGIS is missing. Install it: brew install postgis"
        fail "PostGIS is missing. Install PostgreSQL and PostGIS, and name the folder of initdb in PGBIN."
    fi
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail "apt-get needs root: run as root or install sudo."
    before=$(pg_lsclusters -h 2>/dev/null | awk '{print $1 "/" $2}' || true)
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get update -qq >&2
    as_root apt-get install -qq -y --no-install-recommends postgresql postgresql-15-postgis-3 \
        postgresql-15-postgis-3-scripts >&2 ||
        as_root apt-get install -qq -y --no-install-recommends postgresql postgis >&2 ||
        fail "apt-get could not install PostGIS."
    for cluster in $(pg_lsclusters -h 2>/dev/null | awk '{print $1 "/" $2}'); do
        case " $(echo "$before" | tr '\n' ' ') " in
        *" $cluster "*) ;;
        *) as_root pg_dropcluster --stop "${cluster%/*}" "${cluster#*/}" >&2 || true ;;
        esac
    done
}

bin=$(find_bin)
if [ -z "$bin" ]; then
    [ "$action" = start ] || exit 0
    install
    bin=$(find_bin)
    [ -n "$bin" ] || fail "the packages are installed, but no initdb with PostGIS was found. Name its folder in PGBIN."
fi

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
owner() { "$@"; }
if [ "$(id -u)" = 0 ]; then # PostgreSQL does not run as root
    chown postgres "$dir"
    owner() { (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
    owner test -x "$dir" || fail "the user postgres cannot enter $dir. Name another folder."
fi
socket=$dir
[ ${#socket} -le 80 ] || socket=${TMPDIR:-/tmp}/postgis-$(echo "$dir" | cksum | cut -d' ' -f1)

if [ "$action" = stop ]; then
    [ ! -f "$dir/data/postmaster.pid" ] || owner "$bin/pg_ctl" -D "$dir/data" -m fast stop >/dev/null
    exit 0
fi

if [ ! -f "$dir/data/PG_VERSION" ]; then
    rm -rf "$dir/data"
    owner "$bin/initdb" -D "$dir/data" -U gis -E UTF8 --locale=C --auth=peer >"$dir/initdb.log" 2>&1 ||
        fail "initdb failed; see $dir/initdb.log"
    # who may connect: the user who made the cluster, as gis
    printf 'local all all peer map=own\n' >"$dir/data/pg_hba.conf"
    printf 'own %s gis\nown postgres gis\n' "$(id -un)" >"$dir/data/pg_ident.conf"
fi
if ! owner "$bin/pg_ctl" -D "$dir/data" status >/dev/null; then
    mkdir -p "$socket"
    [ "$(id -u)" != 0 ] || chown postgres "$socket"
    owner "$bin/pg_ctl" -D "$dir/data" -l "$dir/data/server.log" -w start -o "-k '$socket' -c listen_addresses='' \
-c shared_buffers=256MB -c work_mem=64MB -c fsync=off -c max_parallel_workers_per_gather=1 -c jit=off" >/dev/null ||
        fail "the server did not start; see $dir/data/server.log"
fi
echo "$socket"
