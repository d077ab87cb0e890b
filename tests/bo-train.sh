#!/bin/sh
# bo-train.sh - bo-train trains, logs, is stopped in three ways and goes on as if it had not been.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
train="$top_builddir/bo-train"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail()
{
    echo "$*" >&2
    [ -f said ] && cat said >&2
    exit 1
}

# bo-train is given what it must refuse, with a word it must say.
refuses() # WORD ARGUMENT…
{
    word=$1
    shift
    status=0
    "$train" "$@" >said 2>&1 || status=$?
    [ $status -eq 2 ] || [ $status -eq 1 ] || fail "bo-train $*: exit status $status"
    grep -q -e "$word" said || fail "bo-train $*: does not say '$word'"
}

# Waits until a checkpoint of a later step than the first one is there, or the process is gone.
wait_for() # FILE PID
{
    while ! grep -aq '"step":"[1-9]' "$1" 2>/dev/null && kill -0 "$2" 2>/dev/null; do
        sleep 0.02
    done
}

"$train" --help >said
for option in model steps batch samples lr warmup clip ema weight-decay seed output prior dim \
    sigma-floor threads checkpoint-every resume log plot ablation recipe optimizer norm mpi; do
    grep -q -e "--$option" said || fail "--help does not know --$option"
done
sed -n 's/^\.It Fl Fl \([a-z-]*\).*/--\1/p' "$top_srcdir/man/bo-train.1" | sort >documented
grep -Eo '^  --[a-z-]+' said | tr -d ' ' | sort >options
diff options documented || fail '--help (<) and the manual page (>) differ'
refuses "'gp' is not one of" --model gp
refuses "'rbg' is not one of" --prior rbg
refuses 'needs --log' --plot a.png
refuses '--sigma-floor' --sigma-floor 0
refuses 'not of cnp' --model cnp --ablation paired --steps 1
refuses 'one input' --prior predator --dim 2
refuses 'different numbers of outputs' --prior predator,rbf
refuses 'train with predator' --prior hare-lynx --steps 1
refuses 'nowhere' --model cnp --steps 1 --output nowhere/x.safetensors

# Trains; with become=exec in place of the shell, so that $! is the command's own process.
run() # OUTPUT OPTION…
{
    output=$1
    shift
    ${become-} "$train" --model cnp --batch 4 --steps 150 --score-every 50 --score-batches 2 \
        --lr 1e-3 --warmup 10 --clip 1 --ema 0.9 --output "$output" "$@"
}

# Two threads, one thread: the same weights, and a log of three rows.  What a process left that was
# killed while it wrote goes, what a living one writes stays; so does what only looks like it.
: >whole.99999999.tmp
: >whole.checkpoint.99999999.tmp
: >whole.checkpoint.$$.tmp
: >whole.checkpoint.99999999x.tmp
: >other.checkpoint.99999999.tmp
run whole --threads 2 --log log.csv >said 2>&1 || fail 'a run fails'
[ -s whole ] && [ ! -e whole.checkpoint ] || fail 'no weights, or a checkpoint left behind'
[ "$(echo ./*.tmp)" = "$(echo ./other.checkpoint.99999999.tmp ./whole.checkpoint.*.tmp)" ] &&
    [ -e whole.checkpoint.$$.tmp ] && [ -e whole.checkpoint.99999999x.tmp ] &&
    [ ! -e whole.checkpoint.99999999.tmp ] || fail "left-overs: $(echo ./*.tmp)"
[ "$(wc -l <log.csv)" = 4 ] || fail 'the log has not three rows'
head -n 1 log.csv | grep -q '^step,loss,context,target,' || fail 'the header of the log'
grep -q 'step 150/150' said || fail 'no line for the last step'
run one --threads 1 --quiet 2>said || fail 'a run with one thread fails'
[ ! -s said ] || fail '--quiet is not quiet'
cmp whole one || fail 'threads change the result'
run whole --threads 2 --resume >said 2>&1 || fail 'a finished run cannot be resumed'
grep -q 'is finished' said || fail 'a finished run begins anew'

# The curve: what cannot be drawn is found before the first step, or costs the picture alone.
refuses 'must end with .png' --model cnp --steps 1 --log a.csv --plot a.gif --output drawn
refuses 'nowhere' --model cnp --steps 1 --log a.csv --plot nowhere/a.png --output drawn
[ ! -e drawn ] && [ ! -e a.csv ] || fail 'trained before the picture is known to be possible'
mkdir empty
PATH=$PWD/empty "$train" --model cnp --steps 2 --batch 2 --score-batches 1 --log a.csv --plot a.png \
    --output drawn >said 2>&1 || fail 'without gnuplot a run fails'
grep -q 'gnuplot-nox' said || fail 'the package of gnuplot is not named'
[ -s drawn ] && [ ! -e a.png ] || fail 'without gnuplot no weights, or a picture'
if command -v gnuplot >/dev/null; then
    "$train" --model cnp --steps 2 --batch 2 --score-batches 1 --log a.csv --plot a.png \
        --output drawn --resume >said 2>&1 || fail 'the curve of a finished run'
    grep -q 'is finished' said || fail 'a finished run is trained for its curve'
    head -c 4 a.png | grep -aq PNG || fail 'no picture of a finished run'
    run drawn --quiet --log b.csv --plot b.svg 2>said || fail 'a run with a curve fails'
    for word in 'cnp, prior rbf, 150 steps of 4 tasks' 'held-out targets' 'their context' \
        'training loss'; do
        grep -q "$word" b.svg || fail "the curve does not say $word"
    done
    run drawn --quiet --resume --log b.csv --plot - >said 2>&1 || fail 'a curve on the terminal'
    grep -q 'held-out targets' said || fail 'no curve on the terminal'
    head -n 1 log.csv >b.csv
    status=0
    run drawn --quiet --resume --log b.csv --plot b.svg >said 2>&1 || status=$?
    [ $status -eq 1 ] && grep -q 'no rows' said || fail 'a log without rows is drawn'
fi

# Two outputs: threads change nothing, and a killed run goes on.
series() # OUTPUT OPTION…
{
    output=$1
    shift
    ${become-} "$train" --model cnp --prior predator --batch 4 --steps 60 --score-every 30 --score-batches 1 \
        --quiet --output "$output" "$@"
}
series pair --threads 2 2>said || fail 'a run with two outputs fails'
become=exec series alone --threads 1 --resume --checkpoint-every 10 2>said &
wait_for alone.checkpoint $!
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
series alone --resume --threads 1 2>said || fail 'a killed run with two outputs cannot go on'
cmp pair alone || fail 'two outputs: a killed run ends elsewhere'

# Killed at any moment, and gone on; three times over.
for turn in 1 2 3; do
    rm -f killed.checkpoint
    become=exec run killed --quiet --resume --checkpoint-every $((20 * turn)) 2>said &
    wait_for killed.checkpoint $!
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    run killed --quiet --resume 2>said || fail 'a killed run cannot go on'
    cmp whole killed || fail 'a killed run ends elsewhere'
    rm -f killed
done

# Interrupted: a checkpoint, exit status 128 + signal, and the log goes on where it was.
become=exec run stopped --resume --checkpoint-every 60 --log stopped.csv >said 2>&1 &
wait_for stopped.checkpoint $!
kill -TERM $! 2>/dev/null || true
status=0
wait $! || status=$?
[ $status -eq 143 ] || [ $status -eq 0 ] || fail "exit status $status after SIGTERM"
[ $status -eq 0 ] || [ -s stopped.checkpoint ] || fail 'no checkpoint after SIGTERM'
run stopped --resume --log stopped.csv >said 2>&1 || fail 'a stopped run cannot go on'
cmp whole stopped || fail 'a stopped run ends elsewhere'
cut -d, -f1-6 log.csv >a
cut -d, -f1-6 stopped.csv >b
cmp a b || fail 'the logs differ'
awk -F, 'NR > 1 { if ($8 + 0 < last) exit 1; last = $8 + 0 }' stopped.csv || fail 'the seconds begin anew'

# Another run's checkpoint is not taken, and a damaged one neither.
become=exec run other --quiet --checkpoint-every 20 2>said &
wait_for other.checkpoint $!
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
if [ -e other.checkpoint ]; then
    refuses 'batch was 4, now 5;' --model cnp --batch 5 --steps 150 --output other --resume
    cp other.checkpoint before
    status=0
    run other --quiet 2>said || status=$?
    [ $status -eq 1 ] && grep -q -e '--resume goes on' said || fail 'a forgotten --resume'
    cmp before other.checkpoint || fail 'a forgotten --resume costs the checkpoint'
    cp other.checkpoint sick.checkpoint
    printf '\000\000\300\177' | dd of=sick.checkpoint bs=1 conv=notrunc status=none \
        seek=$(($(wc -c <sick.checkpoint) - 400))
    status=0
    run sick --quiet --resume 2>said || status=$?
    [ $status -eq 1 ] && grep -q 'not finite' said || fail 'weights that are NaN are taken'
    [ -e sick.checkpoint ] && [ ! -e sick ] || fail 'weights that are NaN are written'
    head -c 1000 other.checkpoint >cut
    mv cut other.checkpoint
    status=0
    run other --quiet --resume 2>said || status=$?
    [ $status -eq 1 ] || fail 'a damaged checkpoint is taken'
fi

# A recipe gives what is not given; the weight file says what was used, and which norm.
"$train" --recipe paper --model canp --steps 2 --batch 3 --norm pre --optimizer muon --quiet \
    --output paper || fail 'the recipe of the paper'
head -c 4000 paper | tr ',' '\n' >said
for word in 'steps=2 batch=3 ' 'lr=0.00050000000000000001 warmup=0 ' 'sizes=batch ' \
    'optimizer=muon norm=pre' '"norm":"pre"'; do
    grep -q -e "$word" said || fail "the weight file does not say $word"
done
"$top_builddir/bo-eval" regression --model paper --tasks 16 >said 2>&1 || fail 'norm pre in bo-eval'
refuses 'recipe' --recipe slow

# A rate alone is Adam's; one beside a recipe or an optimiser is theirs.
optimizer_of() # OPTION…
{
    "$train" --model cnp --steps 2 --batch 2 --score-batches 1 --quiet --output rate "$@" ||
        fail "bo-train $*"
    head -c 4000 rate | grep -aq 'optimizer=muon' && echo muon || echo adam
}
[ "$(optimizer_of --lr 5e-4)" = adam ] || fail 'a rate alone is not for Adam'
[ "$(optimizer_of)" = muon ] || fail 'the default is not Muon'
[ "$(optimizer_of --lr 5e-4 --recipe fast)" = muon ] || fail 'a rate with a recipe is not its own'
[ "$(optimizer_of --optimizer muon --lr 5e-4)" = muon ] || fail 'a rate for Muon is not taken'
head -c 4000 rate | grep -aq 'lr=0.0005' || fail 'the rate is not the one given'

# A rate beyond reason stops with a message that says what helps and where the last good state is,
# though no checkpoint was due; one that is due when all is lost already is not written.
wild()
{
    status=0
    "$train" --model cnp --batch 4 --steps 200 --lr 1 --weight-decay 1e9 --output wild --quiet "$@" \
        2>said || status=$?
    [ $status -eq 1 ] && grep -q -e '--lr' said || fail 'a diverging run goes on'
    [ ! -e wild ] || fail 'a diverged run leaves weights'
    grep -q "last good state, after step 0, is in wild.checkpoint" said || fail 'no good state'
    grep -aq '"step":"0"' wild.checkpoint || fail 'the good state is another'
}
wild
wild --resume
rm wild.checkpoint
wild --checkpoint-every 1
mkdir taken.checkpoint
refuses 'not a' --model cnp --steps 1 --output taken
! grep -q 'good state' said || fail 'a folder is no good state'
