#!/bin/sh
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
# To be sourced. with_server SERVER PORT_FILE starts a server for the rest of the script, with which
# it ends, and sets $port.
with_server() {
  # The server takes its settings from VICINITY_... and refuses those it does not know.
  for variable in $(env | sed -n 's/^\(VICINITY_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$variable"
  done
  rm -f "$2"
  "$1" --port 0 --port-file "$2" --log-level error &
  server=$!
  trap 'kill -TERM "$server"; wait "$server"' EXIT
  tries=0
  until [ -s "$2" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 100 ] || { echo "the server did not start" >&2; exit 1; }
    sleep 0.1
  done
  port=$(cat "$2")
}
