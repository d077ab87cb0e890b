#!/bin/sh
# readme.sh - what README.md shows works.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each block of C is compiled as a program of its own against the library and run; each line of a
# block of shell that begins with one of our commands (a leading "$ " is dropped) is run as it
# stands, in an empty directory.  Blocks fenced as anything but c and sh are only to be read.
set -eu
readme=$top_srcdir/README.md
[ -e "$readme" ] || { echo "no README.md in this tree"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
PATH=$top_builddir:$PATH
export PATH
status=0

# The blocks, as files block-1.c, block-2.sh …
awk -v place="$place" '
/^```(c|sh)$/ { file = place "/block-" ++n "." substr($0, 4); next }
/^```/ { file = "" }
file { print >file }
' "$readme"

must() # WHAT COMMAND…: runs it in an empty directory
{
    what=$1
    shift
    rm -rf "$place/run" && mkdir "$place/run"
    if ! (cd "$place/run" && "$@" >"$place/said" 2>&1 </dev/null); then
        echo "failed: $what"
        tail -n 20 "$place/said"
        status=1
    else
        echo "ran: $what"
    fi
}

for block in "$place"/block-*.c; do
    [ -e "$block" ] || continue
    # shellcheck disable=SC2086
    must "compile ${block##*/}" $CC $CFLAGS -Wall -Wextra -Werror -I"$top_srcdir/include" "$block" \
        -o "$place/program" "$top_builddir/.libs/libbo.a" $BO_LIBS -pthread
    must "run ${block##*/}" "$place/program"
done
for block in "$place"/block-*.sh; do
    [ -e "$block" ] || continue
    # Without -r, so that lines that end with a backslash are joined.
    # shellcheck disable=SC2162
    while read line; do
        line=${line#\$ }
        case $line in
        bo-*) must "$line" bash -o pipefail -c "$line" ;;
        esac
    done <"$block"
done
exit $status
