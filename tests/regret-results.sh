#!/bin/sh
# regret-results.sh - the scripts that write doc/RESULTS.md, on a small scale.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
top=$(cd "$top_srcdir" && pwd)
build=$(cd "$top_builddir" && pwd)
export BO_BENCH="$build/bo-bench" BO_EVAL="$build/bo-eval"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail()
{
    echo "$*" >&2
    exit 1
}

cat >page.md <<'END'
before
<!-- begin plain-sharp -->
old
<!-- end plain-sharp -->
after
END
FUNCTIONS=2 ITERATIONS=11 SETTINGS=rbf,tnoise SURROGATES_SHARP=gp,random SURROGATES_PAPER=gp,gp-oracle \
    SPEED=no "$top/benchmarks/results.sh" out page.md >log 2>&1 || fail "$(cat log)"
[ "$(grep -c '^| random |' out/tables.md)" -eq 4 ] || fail "rows of random: $(cat out/tables.md)"
[ "$(grep -c '^| gp-oracle |' out/tables.md)" -eq 4 ] || fail 'rows of gp-oracle'
awk -F'|' '/^\|/ && NF != 16 { exit 1 }' out/tables.md || fail 'a row has not 14 columns'
[ "$(grep -c -e "^before$" -e "^after$" page.md)" -eq 2 ] || fail 'the page has lost a line'
! grep -q '^old$' page.md || fail 'the old table is still there'
[ "$(grep -c '^| random |' page.md)" -eq 2 ] || fail "the page: $(cat page.md)"
mean=$(awk -F, '$1 == "rbf" && $2 == "gp" && $3 == 10 { printf "%.3g", $4 }' \
    out/plain-sharp/summary.csv)
grep -q "^| gp | $mean |" page.md || fail "$mean is not in the page"
if command -v gnuplot >/dev/null; then
    [ -s regret-plain-sharp.png ] || fail 'no curves beside the page'
fi

# PyTorch predicts the same from the same files, where it is there.
status=0
"$top/benchmarks/suggest-torch.sh" check >out.txt 2>err || status=$?
case $status in
77) echo 'no PyTorch: predictions not compared' ;;
0) [ "$(grep -c 'base paths differ' err)" -eq 6 ] || fail "$(cat err)" ;;
*) fail "$(cat err)" ;;
esac
