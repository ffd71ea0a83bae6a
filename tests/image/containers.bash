# Containers without an engine: what it does for `run`, `exec` and `stop` is done here with chroot
# and namespaces. To be sourced by scripts that tests/image/run starts in namespaces of their own.
# shellcheck shell=bash disable=SC2034 # some variables are for those scripts

. tests/image/store.bash
here=10.77.0.1 # where this script is
declare -A root=() address=() pid=() log=()
mount -t tmpfs tmpfs /run # for names of networks, which are to be gone in the end
ip link set lo up
ip link add engine type bridge
ip addr add "$here/24" dev engine
ip link set engine up

fail() {
    echo "image-test: $*" >&2
    local name
    for name in "${!log[@]}"; do
        printf '%s\n' "--- the log of $name" >&2
        tail -n 20 "${log[$name]}" >&2
    done
    exit 1
}

# expect WHAT GOT WANTED
expect() {
    if [ "$2" != "$3" ]; then fail "$1: expected '$3', got '$2'"; fi
    echo "image-test:        $1"
}

# soon WHAT WANTED COMMAND...: the output of the command
soon() {
    local got patience=$((SECONDS + 60))
    until got=$("${@:3}" 2>&1) && [ "$got" = "$2" ]; do
        if ((SECONDS > patience)); then break; fi
        sleep 0.1
    done
    expect "$1" "$got" "$2"
}

# that WHAT COMMAND...
that() {
    if ! "${@:2}"; then fail "not so: $1"; fi
    echo "image-test:        $1"
}

# of IMAGE FIELD: a field of an image; all: one that is a list, a line for each
of() { buildah inspect --type=image --format "{{$2}}" "$1"; }
all() { of "$1" "range $2}}{{println .}}{{end" | sed '/^$/d'; }

# image NAME: reads what the containers of an image are started with
image() {
    image=$1
    files=$(buildah mount "$(buildah from --pull-never "$1")")
    touch "$files/etc/hosts"
    user=$(of "$1" .Docker.Config.User)
    folder=$(of "$1" .Docker.Config.WorkingDir)
    stop_signal=$(of "$1" .Docker.Config.StopSignal)
    mapfile -t environment < <(all "$1" .Docker.Config.Env)
    mapfile -t entrypoint < <(all "$1" .Docker.Config.Entrypoint)
    mapfile -t command < <(all "$1" .Docker.Config.Cmd)
    mapfile -t healthcheck < <(all "$1" .Docker.Config.Healthcheck.Test)
}

# create NAME [SETTINGS]: a container of the image, with an address, a new volume, and perhaps a
# folder of settings. It may write to the volume only. An engine copies the image's folder into a
# new volume, with its owner.
create() {
    local name=$1 own=$store/containers/$1 dir=$store/containers/$1/root number=$((${#root[@]} + 2)) known
    root[$name]=$dir address[$name]=10.77.0.$number
    rm -rf --one-file-system "$own"
    mkdir -p "$dir"
    cp -a "$files/data" "$own/volume"
    for known in "${!address[@]}"; do echo "${address[$known]} $known"; done >"$own/hosts"

    ip netns add "$name"
    ip link add "to-$name" master engine type veth peer name eth0 netns "$name"
    ip link set "to-$name" up
    ip -n "$name" link set lo up
    ip -n "$name" addr add "${address[$name]}/24" dev eth0
    ip -n "$name" link set eth0 up

    mount --bind "$files" "$dir"
    mount -o remount,bind,ro "$dir"
    mount --bind "$own/hosts" "$dir/etc/hosts"
    mount --bind "$own/volume" "$dir/data"
    if [ $# -eq 2 ]; then mount --bind "$2" "$dir/etc/keyns/conf.d"; fi
    mount --rbind /dev "$dir/dev"
    mount -t proc proc "$dir/proc"
}

# into NAME: sets `into` to what takes a command into a container, as the image's user and without
# any rights. One program runs the next in its own place, so the process stays the same.
into() {
    into=(nsenter --net="/run/netns/$1" chroot "${root[$1]}"
        setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups
        --no-new-privs --inh-caps=-all --bounding-set=-all --
        env -i --chdir="$folder" "${environment[@]}")
}

# start NAME [ARGUMENT...]: and return at once
start() {
    local arguments=("${@:2}")
    if [ $# -eq 1 ]; then arguments=("${command[@]}"); fi
    into "$1"
    log[$1]=$store/$1.log
    started=${EPOCHREALTIME/./}
    "${into[@]}" "${entrypoint[@]}" "${arguments[@]}" >"${log[$1]}" 2>&1 </dev/null &
    pid[$1]=$!
}

# cli NAME ARGUMENT...: from outside the container
cli() { redis-cli -h "${address[$1]}" "${@:2}"; }

# info NAME SECTION FIELD: what INFO says
info() { cli "$1" INFO "$2" | tr -d '\r' | sed -n "s/^$3://p"; }

# answered NAME: waits until the module does, and sets `milliseconds` to the time since `start`
answered() {
    local patience=$((SECONDS + 60))
    until [ "$(cli "$1" KEYNS.SLUG "It works" 2>/dev/null)" = it_works ]; do
        if ! kill -0 "${pid[$1]}" 2>/dev/null; then fail "$1 has ended instead of answering"; fi
        if ((SECONDS > patience)); then fail "$1 does not answer"; fi
        sleep 0.01
    done
    milliseconds=$(((${EPOCHREALTIME/./} - started) / 1000))
}

# healthy NAME [VARIABLE=VALUE]: whether the image's health check succeeds
healthy() {
    into "$1"
    "${into[@]}" "${@:2}" "${healthcheck[@]:1}" >/dev/null 2>&1
}

# stop NAME: as an engine does, which kills what has not ended in time, and set `code` to the exit
# code
stop() {
    code=0
    kill -s "$stop_signal" "${pid[$1]}"
    for _ in {1..600}; do
        if ! kill -0 "${pid[$1]}" 2>/dev/null; then break; fi
        sleep 0.05
    done
    kill -s SIGKILL "${pid[$1]}" 2>/dev/null || true
    wait "${pid[$1]}" || code=$?
}

not() { ! "$@"; }
