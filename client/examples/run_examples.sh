#!/bin/sh
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
# run_examples.sh BIN FOLDER: the two examples together against a server of their own.
set -eu
# The server takes its settings from VICINITY_... and refuses those it does not know.
for variable in $(env | sed -n 's/^\(VICINITY_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$variable"; done
port_file=$2/examples_port
rm -f "$port_file"
"$1/vicinity-server" --port 0 --port-file "$port_file" --log-level error &
server=$!
trap 'kill -TERM "$server"; wait "$server"' EXIT
tries=0
until [ -s "$port_file" ]; do
  tries=$((tries + 1))
  [ "$tries" -le 100 ] || { echo "the server did not start" >&2; exit 1; }
  sleep 0.1
done
port=$(cat "$port_file")
timeout 60 "$1/vicinity-example-game-server" "$port" 2 >"$2/game_server_output" &
game=$!
timeout 60 "$1/vicinity-example-player" "$port" 4 >"$2/player_output"
wait "$game"
cat "$2/game_server_output" "$2/player_output"
grep -q '11 touches 12' "$2/game_server_output"
grep -q 'I see 1[12] at' "$2/player_output"
