#!/bin/sh
# header.sh - bo.h stands alone, in plain C99 and later and in C++, without a warning.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
printf '#include "bo.h"\n#include "bo.h"\nint use(void);\nint use(void) { return BO_OK; }\n' \
    >"$place/alone.c"
cp "$place/alone.c" "$place/alone.cc"
flags="-Wall -Wextra -Wpedantic -Werror -I$top_srcdir/include -c -o $place/alone.o"
for standard in c99 c11 gnu17; do
    # shellcheck disable=SC2086
    $CC -std=$standard $flags "$place/alone.c"
    echo "$standard"
done
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2086
    c++ -std=c++11 $flags "$place/alone.cc"
    echo "c++11"
fi
