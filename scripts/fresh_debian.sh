#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves that demo.sh and test.sh need nothing but Debian 12 and the CUDA toolkit: makes a minimal Debian in a folder,
# shows it the toolkit of this machine, clones this repository's HEAD into it and runs the scripts there. Root only.
#
#   scripts/fresh_debian.sh [--keep] [--folder DIR] [demo] [test]     # default: demo test
#
# The package mirror is the one this machine's apt uses; MIRROR=URL names another.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
suite=bookworm
keep=no
folder=
scripts=()
while (($#)); do
  case $1 in
    --keep) keep=yes ;;
    --folder) folder=$2; shift ;;
    demo | test) scripts+=("$1") ;;
    *) echo "usage: fresh_debian.sh [--keep] [--folder DIR] [demo] [test]" >&2; exit 2 ;;
  esac
  shift
done
((${#scripts[@]})) || scripts=(demo test)
((EUID == 0)) || { echo "error: only root may make a chroot" >&2; exit 3; }

# The mounts below live in a name space of their own: they end with this script, whatever ends it.
if [[ ${TESSERA_OWN_MOUNTS:-} != yes ]]; then
  folder=${folder:-$(mktemp -d -t tessera-debian.XXXXXX)}
  arguments=(--folder "$folder")
  status=0
  TESSERA_OWN_MOUNTS=yes unshare --mount bash "${BASH_SOURCE[0]}" "${arguments[@]}" "${scripts[@]}" || status=$?
  if [[ $keep == yes ]]; then echo "kept: $folder"; else rm -rf --one-file-system "$folder"; fi
  exit $status
fi

command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap
mirror=${MIRROR:-$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(SITE)' 'Created-By: Packages' |
  sed -n "s/^$suite main //p" | head -n 1)}
[[ -n $mirror ]] || { echo "error: apt knows no mirror for $suite; set MIRROR" >&2; exit 3; }

if [[ ! -e $folder/etc/debian_version ]]; then
  debootstrap --variant=minbase "$suite" "$folder" "$mirror" >"$folder.log" 2>&1 ||
    { tail -n 20 "$folder.log"; exit 3; }
  rm -f "$folder.log"
fi
# How this machine reaches the mirror (proxy, certificates) is part of the machine, not of the proof.
for file in /etc/resolv.conf /etc/hosts /etc/apt/apt.conf; do
  if [[ -f $file ]]; then cp -L "$file" "$folder$file"; fi
done
for option in /etc/apt/apt.conf.d/*proxy*; do
  if [[ -f $option ]]; then cp "$option" "$folder/etc/apt/apt.conf.d/"; fi
done

mount --bind /proc "$folder/proc"
mount --rbind /dev "$folder/dev"
toolkit=$(readlink -f "${CUDA_PATH:-/usr/local/cuda}")
if [[ -d $toolkit ]]; then
  mkdir -p "$folder$toolkit"
  mount --bind -o ro "$toolkit" "$folder$toolkit"
  ln -sfn "$toolkit" "$folder/usr/local/cuda"
fi

rm -rf "$folder/root/tessera"
git clone -q "$root" "$folder/root/tessera" 2>/dev/null || git clone -q --no-local "$root" "$folder/root/tessera"
for script in "${scripts[@]}"; do
  echo "==== scripts/$script.sh in a fresh Debian $(cat "$folder/etc/debian_version")"
  chroot "$folder" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    bash "/root/tessera/scripts/$script.sh" </dev/null
done
