#!/bin/sh
# readme-minimal.sh - the C example of the README is examples/minimal.c, without its head comment.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$top_srcdir/README.md" >"$place/readme"
sed '1,/^ \*\/$/d' "$top_srcdir/examples/minimal.c" >"$place/example"
[ -s "$place/example" ] || { echo "examples/minimal.c has no head comment"; exit 1; }
diff "$place/readme" "$place/example" || { echo "README.md and examples/minimal.c differ"; exit 1; }
