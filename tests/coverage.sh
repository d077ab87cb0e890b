#!/bin/sh
# coverage.sh - a table from what gcov says: lines run and lines in all, by source file.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   gcov -n … | coverage.sh SOURCE-DIRECTORY
#
# gcov says "File 'x.c'", then "Lines executed:81.25% of 64".  A file that was compiled for
# several programs counts with the one that ran most of it; tests and system headers are left out.
set -eu
awk -v top="$1/" '
/^File / {
    file = substr($0, 7, length($0) - 7)
    if (index(file, top) == 1) file = substr(file, length(top) + 1)
    if (file ~ /^(\/|tests\/|\.\.)/) file = ""
}
/^Lines executed:/ && file != "" {
    split($0, part, /[:%]/)
    run = part[2] / 100 * $NF
    if (!(file in lines) || run > best[file]) { best[file] = run; lines[file] = $NF }
    file = ""
}
END {
    for (file in lines) {
        printf "%6.1f %%  %5d lines  %s\n", 100 * best[file] / lines[file], lines[file], file
        sum += best[file]; all += lines[file]
    }
    if (all) printf "%6.1f %%  %5d lines  in all\n", 100 * sum / all, all
    else print "nothing measured: configure with --enable-gcov, then make check"
}' | sort -n
