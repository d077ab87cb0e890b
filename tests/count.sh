#!/bin/sh
# count.sh - totals.sh counts right, on logs made up for it.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/tests"

# expect STATUS LAST-LINE: runs totals.sh on the output in $place/out.
expect()
{
    status=0
    sh "$top_srcdir/tests/totals.sh" "$place/out" "$place" >"$place/said" || status=$?
    last=$(tail -n 1 "$place/said")
    [ "$status $last" = "$1 $2" ] || { echo "expected $1 $2, got $status $last"; exit 1; }
}

cat >"$place/tests/test-good.log" <<'END'
[==========] Running 12 test(s).
[       OK ] one
[==========] 12 test(s) run.
[  PASSED  ] 12 test(s).
PASS tests/test-good (exit status: 0)
END
cat >"$place/tests/test-bad.log" <<'END'
[  FAILED  ] this
[==========] 5 test(s) run.
[  PASSED  ] 2 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] other
[  FAILED  ] 2 test(s), listed below:
[  FAILED  ] this
[  FAILED  ] that
FAIL tests/test-bad (exit status: 2)
END
cat >"$place/tests/test-leak.log" <<'END'
[  PASSED  ] 3 test(s).
ERROR: LeakSanitizer: detected memory leaks
END
cat >"$place/tests/test-skips.log" <<'END'
[  PASSED  ] 0 test(s).
[  SKIPPED ] 2 test(s), listed below:
END
echo fine >"$place/tests/shell.log"

printf 'PASS: tests/test-good\nPASS: tests/shell.sh\n' >"$place/out"
expect 0 '13 passed, 0 failed'
printf 'PASS: tests/test-good\nSKIP: tests/shell.sh\nPASS: tests/test-skips\n' >"$place/out"
expect 0 '12 passed, 0 failed'
grep -qx '3 skipped' "$place/said"
printf 'PASS: tests/test-good\nFAIL: tests/test-bad\n' >"$place/out"
expect 1 '14 passed, 2 failed'
grep -q 'that' "$place/said"
printf 'FAIL: tests/test-leak\nFAIL: tests/shell.sh\n' >"$place/out"
expect 1 '3 passed, 2 failed'
printf 'PASS: tests/test-good\nERROR: tests/lost\n' >"$place/out"
expect 1 '12 passed, 1 failed'
printf 'rng.c:1: error\n' >"$place/out"
expect 1 '0 passed, 1 failed'
