#!/bin/sh
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors
# run_example.sh SERVER EXAMPLE FOLDER: the example of README.md against a server of its own.
set -eu
. "$(dirname "$0")/../support/with_server.sh"
with_server "$1" "$3/example_port"
timeout 30 "$2" "$port" >"$3/example_output"
cat "$3/example_output"
grep -q 'entity 2 comes near' "$3/example_output"
grep -q '1 touches 2' "$3/example_output"
