#!/bin/sh
# house.sh - the rules of the house that a machine can check.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
cd "$top_srcdir"
rooms=
for room in include src surrogates nn acquisition training benchmarks cli examples tests; do
    [ -d $room ] && rooms="$rooms $room"
done
# shellcheck disable=SC2086
files=$(find $rooms -name '*.[ch]' | sort)
status=0

complain() # TEXT LINES
{
    [ -n "$2" ] || return 0
    printf '%s:\n%s\n' "$1" "$2"
    status=1
}

# shellcheck disable=SC2086
{
    complain 'no licence line' "$(grep -L 'SPDX-License-Identifier: GPL-3.0-or-later' $files)"
    complain 'two files of one name' "$(for f in $files; do echo "${f##*/}"; done | sort | uniq -d)"
    complain 'tabs' "$(grep -ln "$(printf '\t')" $files)"
}

# The library speaks through status codes and messages.
complain 'the library prints, exits or aborts' "$(
    printf '%s\n' "$files" | grep -E '^(src|surrogates|acquisition|nn)/' |
        xargs grep -nE '\<(printf|puts|perror|exit|abort|_exit) *\(|fprintf *\( *std(out|err)')"

# Rooms that must not know each other, by the headers they include.
apart() # ROOM OTHER…
{
    room=$1
    shift
    [ -d "$room" ] || return 0
    for other; do
        for header in "$other"/*.h; do
            [ -e "$header" ] || continue
            complain "$room includes a header of $other" \
                "$(grep -rn "#include \"${header##*/}\"" "$room")"
        done
    done
}
apart surrogates acquisition benchmarks cli training
apart acquisition surrogates nn benchmarks cli training
apart nn surrogates acquisition benchmarks cli training
apart benchmarks surrogates acquisition nn cli training
apart src nn benchmarks cli training
apart examples src surrogates acquisition nn training benchmarks cli

# What the pages point to is there, in a release too.
complain 'broken links' "$(
    for page in *.md doc/*.md models/*.md; do
        grep -o '](\([^):#]*\))' "$page" | sed 's/^](//; s/)$//' | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done)"
exit $status
