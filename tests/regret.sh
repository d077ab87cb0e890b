#!/bin/sh
# regret.sh - bo-bench regret: files, sameness, going on after a kill, failures, several ranks.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
bench="$top_builddir/bo-bench"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail()
{
    echo "$*" >&2
    exit 1
}

refuses() # WORD OPTION…
{
    word=$1
    shift
    status=0
    "$bench" regret "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || fail "regret $*: exit status $status, not 2"
    grep -q -e "$word" err || fail "regret $*: does not say '$word': $(cat err)"
}

# What has to be the same whatever the number of processes.
same() # FOLDER FOLDER
{
    for file in runs.csv summary.csv summary.json tests.csv habits.csv curves.dat curves.gp; do
        cmp "$1/$file" "$2/$file" || fail "$2/$file differs"
    done
}

"$bench" regret --help | grep -q -e --protocol
refuses 'gpp' --surrogates gpp
refuses 'rfb' --settings rfb
refuses 'paper' --protocol paper --settings branin --surrogates gp
refuses 'oracle' --settings branin --surrogates gp,gp-oracle
refuses 'functions' --functions 0
refuses 'grid-stride' --grid-stride 4 --surrogates gp --settings rbf
refuses 'protocol' --protocol other

# the files
options='--surrogates gp,gp-oracle,random --settings rbf,tnoise --functions 4 --iterations 5'
# shellcheck disable=SC2086
"$bench" regret $options --jobs 1 --output one >out 2>err || fail "$(cat err)"
grep -q '^gp-oracle  *4 ' out || fail "no row of gp-oracle: $(cat out)"
head -1 one/summary.csv | grep -q '^setting,surrogate,iteration,simple_mean,simple_se,'\
'simple_median,simple_q25,simple_q75,cumulative_mean,cumulative_se,simple_mean_norm,' ||
    fail "header: $(head -1 one/summary.csv)"
[ "$(wc -l <one/summary.csv)" -eq 37 ] || fail 'summary.csv has not 2 * 3 * 6 rows'
[ "$(wc -l <one/runs.csv)" -eq 145 ] || fail 'runs.csv has not 2 * 3 * 4 * 6 rows'
[ "$(wc -l <one/tests.csv)" -eq 9 ] || fail 'tests.csv has not 2 * 2 * 2 rows'
[ "$(wc -l <one/habits.csv)" -eq 7 ] || fail 'habits.csv has not 6 rows'
# shellcheck disable=SC2086
"$bench" regret $options --output one --explain 2>/dev/null | grep -q '^random  *[0-9]*% ' ||
    fail 'no row of random in --explain'
[ "$(wc -l <one/times.csv)" -eq 7 ] || fail 'times.csv has not 6 rows'
[ "$(wc -l <one/steptimes.csv)" -eq 37 ] || fail 'steptimes.csv has not 2 * 3 * 6 rows'
if command -v python3 >/dev/null; then
    for file in summary times; do
        python3 -m json.tool one/$file.json >/dev/null || fail "$file.json"
    done
fi
# Another reference compares what has been run; gp less random is minus random less gp.
cp one/tests.csv tests.csv
# shellcheck disable=SC2086
"$bench" regret $options --reference random --output one >out 2>err || fail "$(cat err)"
grep -q '24 of 24 runs are done already' err || fail "--reference runs again: $(cat err)"
grep -q 'less random' out || fail "--reference: $(cat out)"
[ "$(awk -F, '$1 == "rbf" && $2 == "gp" && $4 == "random" { printf "%.6g ", -$6 }' one/tests.csv)" = \
    "$(awk -F, '$1 == "rbf" && $2 == "random" && $4 == "gp" { printf "%.6g ", $6 }' tests.csv)" ] ||
    fail "--reference: $(cat one/tests.csv)"
refuses 'canp' --surrogates gp,random --settings rbf --reference canp
# shellcheck disable=SC2086
"$bench" regret $options --output one >out 2>err || fail "$(cat err)"
cmp one/tests.csv tests.csv || fail 'gp is not the reference'
grep -q '</html>' one/index.html || fail 'index.html is not whole'
! grep -q 'src=\|http://[^w]\|@import' one/index.html || fail 'index.html needs the network'
# normalised or not, the panels of a row have the same axes
[ "$(grep -c '^if (NORMALISED) set yrange \[[0-9.e-]*:[0-9.e-]*\]' one/curves.gp)" -eq 4 ] ||
    fail "axes: $(grep yrange one/curves.gp)"
if command -v gnuplot >/dev/null; then
    for picture in png svg pdf; do
        [ -s one/curves.$picture ] || fail "no curves.$picture"
    done
    grep -q '<svg' one/index.html || fail 'no curves in index.html'
    (mkdir again && cp one/curves.dat one/curves.gp again && cd again && gnuplot curves.gp) ||
        fail 'the script that is left does not draw'
    [ -s again/curves.svg ] || fail 'the script that is left draws nothing'
    # as its comments say: another terminal, normalised regrets
    for picture in png pdf; do
        sed -e '/^set terminal/d; /^set output/d; s/^NORMALISED = 0/NORMALISED = 1/' \
            -e "s/^# \\(set terminal ${picture}cairo\\)/\\1/; s/^# \\(set output 'curves.$picture\\)/\\1/" \
            one/curves.gp >again/curves.gp
        (cd again && gnuplot curves.gp 2>err) && [ -s again/curves.$picture ] ||
            fail "the script that is left draws no $picture: $(cat again/err)"
    done
fi

# Variants of weights have dashes of their own, in the legend of the SVG too (runs fail: there is
# nothing else to see).
"$bench" regret --surrogates cnp@x,cnp@y,cnp@z,random --settings rbf --functions 1 \
    --iterations 1 --output looks >/dev/null 2>&1 || :
[ "$(sed -n "s/^look.*#0072b2' lw \([0-9.]*\) dt \([0-9]\).*/\1 \2/p" looks/curves.gp | tr '\n' ,)" = \
    '1.8 1,1.81 2,1.82 3,' ] || fail "looks: $(grep '^look' looks/curves.gp)"
[ "$(sed -n 's/^mark. = "pt \([0-9]*\) .*/\1/p' looks/curves.gp | tr '\n' ,)" = '6,6,6,' ] ||
    fail "marks: $(grep '^mark' looks/curves.gp)"
if command -v gnuplot >/dev/null; then
    dashes=$(grep "stroke='rgb( *0, 114, 178)'" looks/curves.svg |
        sed -n "s/.*stroke-dasharray='\([^']*\)'.*/\1/p" | sort -u | wc -l)
    [ "$dashes" -eq 2 ] || fail "$dashes kinds of dashes in the legend of curves.svg"
fi

# A gnuplot that fails, and none: the page is there without curves and links to no picture.
mkdir bad
printf '#!/bin/sh\necho "no terminal" >&2\nexit 3\n' >bad/gnuplot
chmod +x bad/gnuplot
status=0
# shellcheck disable=SC2086
PATH="$folder/bad:$PATH" "$bench" regret $options --output drawn >out 2>err || status=$?
[ $status -eq 1 ] || fail "gnuplot fails: exit status $status"
grep -q 'could not draw.*no terminal' err || fail "gnuplot fails: $(cat err)"
# shellcheck disable=SC2086
PATH=/nowhere "$bench" regret $options --output plain >out 2>err || fail "no gnuplot: $(cat err)"
grep -q 'no gnuplot' err || fail "no gnuplot, and not a word: $(cat err)"
for page in drawn plain; do
    grep -q '</html>' $page/index.html || fail "$page: no page"
    ! grep -q 'curves\.pdf\|<svg' $page/index.html || fail "$page: links to what is not there"
done
same one drawn

# The default list leaves out what cannot work on a function, and says so; named, it is refused.
"$bench" regret --settings branin --functions 1 --iterations 2 --init 2 >out 2>err ||
    fail "default surrogates on branin: $(cat err)"
grep -q '^gp  *1 ' out && grep -q '^random  *1 ' out || fail "default list on branin: $(cat out)"
grep -q '^without .*gp-oracle' err || fail "nothing is said of gp-oracle: $(cat err)"
! grep -q '^gp-oracle' out || fail 'gp-oracle on branin'

# Own weights, as the manual has it.
if [ -f "$top_srcdir/models/canp-sharp.safetensors" ]; then
    mkdir mine
    cp "$top_srcdir/models/canp-sharp.safetensors" mine/canp-mine.safetensors
    BO_MODELS=mine "$bench" regret --surrogates gp,canp@mine --settings rbf --functions 1 \
        --iterations 2 >out 2>err || fail "own weights: $(cat err)"
    grep -q '^canp@mine  *1 ' out || fail "own weights: $(cat out)"
fi

# One run has no standard error, random search no sd, a list without gp no tests.
"$bench" regret --surrogates gp-oracle,random --settings rbf --functions 1 --iterations 2 \
    --explain --output single >out 2>err || fail "one run: $(cat err)"
! grep -i nan out single/index.html || fail 'a single run shows NaN'
[ "$(head -1 single/tests.csv)" = "$(head -1 one/tests.csv)" ] || fail 'tests.csv has no header'

# The summary is the mean of the runs, and the cumulative regret the sum of the simple one.
awk -F, '$1 == "rbf" && $2 == "gp" { s[$3] += $10; if ($4 == 5) { total += $10; cum += $11 } }
    END { for (f in s) sum += s[f]; printf "%.6g %.6g %.6g\n", total / 4, sum / 4, cum / 4 }' \
    one/runs.csv >got
awk -F, '$1 == "rbf" && $2 == "gp" && $3 == 5 { printf "%.6g %.6g %.6g\n", $4, $9, $9 }' \
    one/summary.csv >expected
cmp got expected || fail "$(cat got) is not $(cat expected)"

# more processes, the same bytes; a second start does nothing again
# shellcheck disable=SC2086
"$bench" regret $options --jobs 3 --output three >/dev/null 2>&1
same one three
# shellcheck disable=SC2086
"$bench" regret $options --output three >out 2>err
grep -q '24 of 24 runs are done already' err || fail "runs are done again: $(cat err)"
same one three

# other arguments in the same folder
status=0
# shellcheck disable=SC2086
"$bench" regret $options --seed 2 --output three >out 2>err || status=$?
[ $status -eq 1 ] || fail "other seed, same folder: exit status $status"
grep -q "'seed 1'" err || fail "does not name the seed: $(cat err)"

# killed, then started again: what was finished is kept, the rest is the same
slow='--surrogates gp,gp-oracle,random --settings rbf --functions 12 --iterations 60'
# shellcheck disable=SC2086
"$bench" regret $slow --output whole >/dev/null 2>&1
# shellcheck disable=SC2086
"$bench" regret $slow --jobs 1 --output killed >/dev/null 2>&1 &
process=$!
while kill -0 $process 2>/dev/null; do
    size=$({ wc -c <killed/journal; } 2>/dev/null) || size=0
    [ "$size" -gt 20000 ] && break
    sleep 0.05
done
kill -9 $process 2>/dev/null || :
wait $process 2>/dev/null || :
# shellcheck disable=SC2086
"$bench" regret $slow --output killed >out 2>err || fail "cannot go on: $(cat err)"
grep -q 'of 36 runs are done already' err || fail "nothing was kept: $(cat err)"
same whole killed

# Runs without weights fail, are reported, and do not take the others down.
status=0
"$bench" regret --surrogates random,canp@nosuch --settings rbf --functions 2 --iterations 2 \
    --output some >out 2>err || status=$?
if grep -q 'no surrogate' err; then
    echo 'no neural surrogates: failing runs not tested'
else
    [ $status -eq 1 ] || fail "failed runs, and exit status $status"
    grep -q 'canp@nosuch on rbf: 2 of 2 runs failed: .* (functions 0,1)$' err ||
        fail "not reported: $(cat err)"
    grep -q '^random  *2 ' out || fail "random was taken down: $(cat out)"
    [ "$(wc -l <some/summary.csv)" -eq 4 ] || fail 'summary.csv of the rest'
    "$bench" regret --surrogates canp@nosuch --settings rbf --functions 1 --iterations 2 \
        --output none >/dev/null 2>&1 || :
    for file in summary tests habits times; do
        [ "$(head -1 none/$file.csv)" = "$(head -1 one/$file.csv)" ] ||
            fail "$file.csv has no header when all runs fail"
    done
fi

# A run whose process dies is reported and left out, all others come to their end, and the same
# command does that one again.  By KILL: sanitizers catch SEGV and leave with a status instead.
if command -v pgrep >/dev/null; then
    # shellcheck disable=SC2086
    "$bench" regret $slow --jobs 1 --output crashed >out 2>err &
    process=$!
    while kill -0 $process 2>/dev/null; do
        size=$({ wc -c <crashed/journal; } 2>/dev/null) || size=0
        [ "$size" -gt 20000 ] && break
        sleep 0.05
    done
    worker=$(pgrep -P $process | head -1) || worker=
    [ -z "$worker" ] || kill -s KILL "$worker" 2>/dev/null || worker=
    status=0
    wait $process || status=$?
    if [ -n "$worker" ]; then
        [ $status -eq 1 ] || fail "a run crashed, and exit status $status"
        grep -q '1 of 12 runs failed: its process was ended by signal' err ||
            fail "crash not reported: $(cat err)"
        [ "$(wc -l <crashed/summary.csv)" -eq 184 ] || fail 'the crash took others down'
    fi
    # shellcheck disable=SC2086
    "$bench" regret $slow --output crashed >out 2>err || fail "after the crash: $(cat err)"
    same whole crashed
fi

# several ranks
if ! grep -q '^#define HAVE_MPI 1' "$top_builddir/config.h" || ! command -v mpirun >/dev/null; then
    echo 'no MPI: ranks not tested'
    exit 0
fi
# OpenMPI wants to be told that this is meant; leaks of its own are not our concern.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
# shellcheck disable=SC2086
mpirun --oversubscribe -n 3 "$bench" regret $options --output ranks >out 2>ranks.err ||
    fail "mpirun: $(cat ranks.err)"
same one ranks
# Ranks that are not about to do the same, or not on the same kind of CPU, are refused.
status=0
# shellcheck disable=SC2086
mpirun --oversubscribe -n 1 "$bench" regret $options : -n 1 "$bench" regret $options --seed 2 \
    >apart.out 2>err || status=$?
[ $status -ne 0 ] || fail 'ranks with other seeds agree'
grep -q "rank 1: the first rank has 'seed 1', and this is 'seed 2'" err ||
    fail "other seeds: $(cat err)"
# The progress bar is where mpirun's own messages are: on a terminal, and nowhere else.
! grep -q 'runs .*/24' ranks.err || fail "a progress bar in a file: $(cat ranks.err)"
if command -v script >/dev/null; then
    script -qec "mpirun --oversubscribe -n 2 '$bench' regret $slow --output bar >bar.out" \
        /dev/null </dev/null >bar.err 2>&1 || fail "mpirun on a terminal: $(cat bar.err)"
    grep -q 'runs .*/36' bar.err || fail "no progress bar: $(cat bar.err)"
    ! grep -q 'runs .*/36' bar.out || fail 'a progress bar among the results'
fi
nets='--surrogates gp,np,banp --settings rbf --functions 3 --iterations 4 --samples 10'
# shellcheck disable=SC2086
"$bench" regret $nets --output nets >/dev/null 2>err || fail "nets: $(cat err)"
# shellcheck disable=SC2086
mpirun --oversubscribe -n 3 "$bench" regret $nets --output nets-ranks >/dev/null 2>err ||
    fail "mpirun, nets: $(cat err)"
same nets nets-ranks
[ "$(grep -c '^rbf, ' out)" -eq 1 ] || fail 'more than one rank prints the table'
status=0
# shellcheck disable=SC2086
mpirun --oversubscribe -n 3 "$bench" regret $options --seed 9 --output ranks >out 2>err ||
    status=$?
[ $status -ne 0 ] || fail 'ranks: other arguments in the same folder'
grep -q "'seed 1'" err || fail "ranks: does not name the seed: $(cat err)"
