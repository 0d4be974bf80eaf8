#!/bin/sh
# The engineer of the crash test. Mends the branch its task names, or does not, as the branch's name says.
# It may be killed anywhere, and two of it may be at work on one task: branches are moved only from where they
# were seen.
set -u
export GIT_AUTHOR_NAME=Engineer GIT_AUTHOR_EMAIL=engineer@example.com
export GIT_COMMITTER_NAME=Engineer GIT_COMMITTER_EMAIL=engineer@example.com
home=$(dirname "$0")
task=$(cat)
field() { printf '%s' "$task" | sed -n "s/.*\"$1\":\"\{0,1\}\([A-Za-z0-9-]*\).*/\1/p"; }

mend() {
    tip=$(git rev-parse "refs/heads/$branch") || exit 1
    mended=$(git commit-tree "refs/heads/clean^{tree}" -p "$tip" -m Mend) || exit 1
    git update-ref "refs/heads/$branch" "$mended" "$tip" 2>/dev/null ||
        git diff --quiet "refs/heads/$branch" refs/heads/clean || exit 1
}

branch=$(field branch_name)
attempt=$(field review_attempt)
echo "begin $COUNTERSIGN_TASK_ID" >>"$home/journal"
sleep "0.$(($$ % 8))"
case $branch in
    flaky-*)
        if mkdir "$home/marks/$COUNTERSIGN_TASK_ID" 2>/dev/null; then
            echo "fail $COUNTERSIGN_TASK_ID" >>"$home/journal"
            exit 1
        fi
        mend
        ;;
    mended-*) mend ;;
    late-*) if [ "$attempt" -ge 2 ]; then mend; fi ;;
    stubborn-* | "") ;;
    *) exit 1 ;;
esac
echo "end $COUNTERSIGN_TASK_ID" >>"$home/journal"
