#!/bin/sh
# exports.sh - the shared library shows names of the public header, and nothing else.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
library=$top_builddir/.libs/libbo.so
if [ ! -e "$library" ]; then
    echo "skipped: no shared library in this build"
    exit 77
fi
names=$($NM -D --defined-only "$library" | awk '{ print $NF }')
[ -n "$names" ] || { echo "no names at all"; exit 1; }
status=0
for name in $names; do
    case $name in
    bo_[a-z]*)
        # Known to the header, as a function or an object.
        grep -qw "$name" "$top_srcdir/include/bo.h" ||
            { echo "exported but not in bo.h: $name"; status=1; } ;;
    *)
        echo "exported but not public: $name"
        status=1 ;;
    esac
done
exit $status
