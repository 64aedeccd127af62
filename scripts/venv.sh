#!/bin/sh
# Make the virtual environment .venv and install this project into it, with the versions of constraints.txt.
#
#   scripts/venv.sh STAMP [EXTRAS]      EXTRAS: dev | dev,bench; STAMP: the file to touch at the end
#
# PYTHON names the interpreter to use (default: the first of python3, python3.13, python3.12, python3.11 that is
# 3.11 or newer). Only the package index is asked over the network.
set -eu

stamp=$1
extras=${2:-}
venv=.venv

fail() {
    echo "$1" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_new_enough "$PYTHON" || fail "PYTHON=$PYTHON does not run or is older than 3.11."
        echo "$PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "No Python 3.11 or newer found. Install one, or name it: make PYTHON=/path/to/python3.12 ..."
}

create() {
    python=$1
    rm -rf "$venv"
    log=$(mktemp)
    if "$python" -m venv "$venv" >"$log" 2>&1; then
        rm -f "$log"
        return
    fi
    rm -rf "$venv"
    if "$python" -m virtualenv -q "$venv" >>"$log" 2>&1 || virtualenv -q -p "$python" "$venv" >>"$log" 2>&1; then
        rm -f "$log"
        return
    fi
    rm -rf "$venv"
    tool=$(mktemp -d)
    if "$python" -m pip install -q --target "$tool" virtualenv >>"$log" 2>&1 &&
        PYTHONPATH="$tool" "$python" -m virtualenv -q "$venv" >>"$log" 2>&1; then
        rm -rf "$log" "$tool"
        return
    fi
    rm -rf "$venv" "$tool"
    cat "$log" >&2
    rm -f "$log"
    fail "Cannot make a virtual environment with $python. On Debian and Ubuntu: apt-get install python3-venv."
}

[ -f constraints.txt ] || fail "Run this from the root of the repository: no constraints.txt here."
if ! [ -x "$venv/bin/python" ] || ! is_new_enough "$venv/bin/python"; then
    python=$(find_python)
    create "$python"
fi

target=.
[ -z "$extras" ] || target=".[$extras]"
pip="$venv/bin/python -m pip --disable-pip-version-check"
$pip install -q -c constraints.txt setuptools
$pip install -q -c constraints.txt --no-build-isolation -e "$target"
touch "$stamp"
