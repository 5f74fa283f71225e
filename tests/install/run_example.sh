#!/bin/sh
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
# run_example.sh SERVER EXAMPLE FOLDER: the example of README.md against a server of its own.
set -eu
# The server takes its settings from VICINITY_... and refuses those it does not know.
for variable in $(env | sed -n 's/^\(VICINITY_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$variable"; done
port_file=$3/example_port
rm -f "$port_file"
"$1" --port 0 --port-file "$port_file" --log-level error &
server=$!
trap 'kill -TERM "$server"; wait "$server"' EXIT
tries=0
until [ -s "$port_file" ]; do
  tries=$((tries + 1))
  [ "$tries" -le 100 ] || { echo "the server did not start" >&2; exit 1; }
  sleep 0.1
done
timeout 30 "$2" "$(cat "$port_file")" >"$3/example_output"
cat "$3/example_output"
grep -q 'entity 2 comes near' "$3/example_output"
grep -q '1 touches 2' "$3/example_output"
