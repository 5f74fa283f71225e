# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The Vicinity authors

"""The table of docs/SETTINGS.md, from what `vicinity-server --print-config` says:

    python3 tests/packaging/settings_table.py build/release/bin/vicinity-server docs/SETTINGS.md
"""

import os
import pathlib
import re
import subprocess
import sys

HEAD = "| setting | default | what is allowed | meaning |\n|---|---|---|---|\n"
BLOCK = re.compile(r"^# (.*)\n# (.*?); default (.*?)\. Flags? .*, variable VICINITY_.*\.\n"
                   r"([a-z_0-9]+) = .*$", re.MULTILINE)


def printed_config(server):
    return subprocess.run([server, "--print-config"], capture_output=True, text=True, check=True,
                          env={"PATH": os.environ["PATH"]}).stdout


def table(config):
    rows = [f"| `{key}` | `{default}` | {allowed} | {meaning} |".replace("``", "")
            for meaning, allowed, default, key in BLOCK.findall(config)]
    if len(rows) != len(re.findall(r"^[a-z_0-9]+ = ", config, re.MULTILINE)):
        raise ValueError("a setting is printed in a form that is not known here")
    return HEAD + "".join(row + "\n" for row in rows)


def with_table(document, new_table):
    """The document with this table, which is the last thing in it."""
    return document[:document.index(HEAD)] + new_table


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[2])
    file.write_text(with_table(file.read_text(), table(printed_config(sys.argv[1]))))
