#!/bin/sh
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
# run_examples.sh BIN FOLDER: the two examples together against a server of their own.
set -eu
. "$(dirname "$0")/../../tests/support/with_server.sh"
with_server "$1/vicinity-server" "$2/examples_port"
for example in game-server player; do
  "$1/vicinity-example-$example" --help | grep -q PORT
  code=0
  "$1/vicinity-example-$example" --nonsense 2>/dev/null || code=$?
  [ "$code" -eq 2 ]
done
timeout 60 "$1/vicinity-example-game-server" "$port" 2 >"$2/game_server_output" &
game=$!
timeout 60 "$1/vicinity-example-player" "$port" 4 >"$2/player_output"
wait "$game"
cat "$2/game_server_output" "$2/player_output"
grep -q '11 touches 12' "$2/game_server_output"
grep -q 'I see 1[12] at' "$2/player_output"
