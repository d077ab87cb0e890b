#!/bin/sh
# totals.sh - counts the tests of one or more runs of make check.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   totals.sh OUTPUT DIRECTORY [OUTPUT DIRECTORY]…
#
# OUTPUT is what make check printed, DIRECTORY where it ran.  Each case of a cmocka program counts
# as a test, a shell test as one; a program that fails outside its cases (a crash, a leak) counts
# as one failure more.  Shows the end of the log of each failure, then, on the last line,
# "N passed, N failed".  The status is 0 when some passed and none failed.
set -eu

passed=0 failed=0 skipped=0

# The sum of the numbers of "[  PASSED  ] 12 test(s)" and the like in a log.
cases() # LOG WORD
{
    awk -v word="$2" '$1 == "[" && $2 == word && $5 ~ /^test\(s\)/ { n += $4 } END { print n + 0 }' \
        "$1"
}

count() # RESULT LOG
{
    p=$(cases "$2" PASSED) f=$(cases "$2" FAILED) s=$(cases "$2" SKIPPED)
    case $1 in
    PASS | XFAIL) [ $((p + f + s)) -gt 0 ] || p=1 ;;
    SKIP) [ $((p + f + s)) -gt 0 ] || s=1 ;;
    *) [ "$f" -gt 0 ] || f=1 ;;
    esac
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

while [ $# -ge 2 ]; do
    while IFS=' ' read -r result test; do
        log=$2/${test%.sh}.log
        [ -e "$log" ] || log=/dev/null
        count "${result%:}" "$log"
        case $result in
        FAIL: | ERROR: | XPASS:)
            printf '%s %s\n' "$result" "$test"
            tail -n 25 "$log" | sed 's/^/    /'
            printf '    (%s)\n' "$log"
            ;;
        esac
    done <<END
$(grep -E '^(PASS|FAIL|ERROR|SKIP|XPASS|XFAIL): ' "$1" || echo 'ERROR: make check, which ran no test')
END
    shift 2
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
