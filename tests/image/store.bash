# What is built from what, and where the images are. To be sourced from the root of the repository.
# shellcheck shell=bash disable=SC2034 # variables for the scripts that source it

work=$PWD/target/image
store=$work/store
server_root=$PWD/target/matrix/trixie # `make matrix` uses it, too

# The names that the Dockerfile uses. For Valkey it is the one that its comment tells.
rust_image=$(sed -n 's/^ARG RUST_IMAGE=//p' Dockerfile)
rust_suite=${rust_image##*-}
redis_image=$(sed -n 's/^ARG SERVER_IMAGE=//p' Dockerfile)
valkey_image=$(sed -n 's/.*--build-arg SERVER_IMAGE=\([^ ]*\).*/\1/p' Dockerfile)

# A store of its own, which knows no other images and is removed afterwards.
buildah() {
    command buildah --storage-driver=vfs --root="$store/root" --runroot="$store/run" "$@"
}

# step WHAT COMMAND...: says how long it took; the output is shown if it fails
step() {
    local start=$SECONDS log=$work/step.log
    mkdir -p "$work"
    if ! "${@:2}" >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        echo "image-test: $1: failed" >&2
        exit 1
    fi
    printf 'image-test: %3d s  %s\n' $((SECONDS - start)) "$1"
}
