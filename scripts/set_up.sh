# SPDX-License-Identifier: Apache-2.0
# Sourced by demo.sh and test.sh: installs what is missing (Debian and Ubuntu packages), finds the CUDA toolkit and a
# device, and configures the build. Sets: root, build, jobs, device (gpu or twin). With for_tests=yes also installs what
# only tests use.
#
# TESSERA_BUILD=DIR        another build folder (default: build/release)
# TESSERA_TESSERAC=FILE    a finished tesserac; then the compiler and its packages are not needed
# TESSERA_JOBS=N           parallel jobs (default: one per core)
# TESSERA_CMAKE_OPTIONS    more options for cmake, separated by spaces

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TESSERA_BUILD:-$root/build/release}
jobs=${TESSERA_JOBS:-$(nproc)}

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$1" >&2; exit "${2:-1}"; }

# Prints the packages that are missing: of programs by looking for the program, of libraries by asking dpkg.
missing_packages() {
  command -v g++ >/dev/null || echo g++
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  local libraries=() package
  if [[ ${TESSERA_CMAKE_OPTIONS:-} != *TESSERA_CATCH2_INCLUDE* ]]; then libraries+=(catch2); fi
  if [[ -z ${TESSERA_TESSERAC:-} ]]; then
    libraries+=(antlr4 libantlr4-runtime-dev libcli11-dev libfmt-dev nlohmann-json3-dev libmpfr-dev)
    # For tests alone, which are skipped without them: fuzzing, static analysis, a locale with decimal commas.
    if [[ -n ${for_tests:-} ]]; then libraries+=(clang-14 libclang-rt-14-dev clang-tidy-14 cppcheck locales); fi
  fi
  for package in "${libraries[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || echo "$package"
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system: what README.md lists must be there already."
    return
  fi
  local missing
  read -ra missing <<<"$(missing_packages | tr '\n' ' ')"
  if ((${#missing[@]} == 0)); then return; fi
  if ((EUID != 0)); then
    fail "packages are missing and only root may install them; run: sudo apt-get install ${missing[*]}" 3
  fi
  say "Installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  local log
  log=$(mktemp)
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1 ||
    { tail -n 30 "$log"; fail "apt-get could not install the packages" 3; }
  rm -f "$log"
}

find_toolkit_and_device() {
  local folder
  for folder in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    if [[ -n $folder && -x $folder/bin/nvcc ]]; then PATH=$PATH:$folder/bin; fi
  done
  device=twin
  if command -v nvcc >/dev/null; then
    nvcc --version | tail -n 2 | head -n 1
    if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then device=gpu; fi
  else
    echo "No CUDA toolkit: kernels are compiled for the host twin only."
  fi
  if [[ $device == gpu ]]; then nvidia-smi -L; else echo "No GPU: kernels run on the host twin."; fi
}

# Every choice is written anew, so that an older configuration of the folder does not shine through.
configure() {
  say "Configuring $build"
  local options
  read -ra options <<<"${TESSERA_CMAKE_OPTIONS:-}"
  # Fuzzing brings a sanitised build of the compiler; TESSERA_FUZZ_TESTS=OFF goes without.
  local fuzz=OFF planted=0
  if [[ -n ${for_tests:-} && -z ${TESSERA_TESSERAC:-} ]]; then fuzz=${TESSERA_FUZZ_TESTS:-ON} planted=6; fi
  if [[ -z ${TESSERA_TESSERAC:-} ]]; then options+=(-DTESSERA_REQUIRE_MPFR=ON); fi
  # Without a GPU it is enough that nvcc takes the sweep's kernels: a quarter of its time.
  local sweep=(-DTESSERA_SWEEP_UNOPTIMISED=OFF "-DTESSERA_SWEEP_ARCHITECTURES=80;90")
  if [[ $device == twin ]]; then
    sweep=(-DTESSERA_SWEEP_UNOPTIMISED=ON "-DTESSERA_SWEEP_ARCHITECTURES=80-virtual;90a-virtual")
  fi
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DTESSERA_BUILD_TESTS=ON -DTESSERA_BUILD_EXAMPLES=ON -DTESSERA_CUDA=AUTO "-DTESSERA_TESSERAC=${TESSERA_TESSERAC:-}" \
    -DTESSERA_FUZZ_TESTS=$fuzz -DTESSERA_PLANTED_FAULTS=$planted "${sweep[@]}" "${options[@]}" >"$build.log" 2>&1 ||
    { cat "$build.log"; fail "cmake failed"; }
  grep -E '^-- Tessera' "$build.log" || true
}

say "Machine"
install_packages
find_toolkit_and_device
mkdir -p "$(dirname "$build")"
configure
