#!/usr/bin/env bash
# The built program on a machine without a display: pictures instead of a window, and answers as JSON.
# Usage: .ci/smoke.sh PODIUM PICTURES
set -euo pipefail
podium=$1
pictures=$2
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"

fail() {
  echo "smoke: $*" >&2
  exit 1
}

env -u DISPLAY -u WAYLAND_DISPLAY -u WAYLAND_SOCKET timeout 120 "$podium" 2> said || {
  cat said >&2
  fail "without a display it ended with an error"
}
grep -q podium-out said || fail "it does not say where the pictures are: $(cat said)"
shopt -s nullglob
drawn=(podium-out/*.png)
[[ ${#drawn[@]} -ge 3 ]] || fail "${#drawn[@]} pictures instead of three"
for picture in "${drawn[@]}"; do
  [[ $(head -c 8 "$picture" | od -An -tx1 | tr -d ' \n') = 89504e470d0a1a0a ]] || fail "$picture is no PNG"
  [[ $(wc -c < "$picture") -gt 20000 ]] || fail "$picture is almost empty"
done
cp "${drawn[@]}" "$pictures/"

"$podium" slice tpu7x 8x8x16 --json > slice.json
"$podium" matmul --chip v6e -m 4096 -k 4096 -n 4096 --execute --json > matmul.json
status=0
"$podium" slice v5p 4x8x6 --json > illegal.json 2> /dev/null || status=$?
[[ $status -eq 1 ]] || fail "an illegal shape ends with status $status, not 1"
python3 - << 'CHECK'
import json

slice_, product, illegal = (json.load(open(name + ".json")) for name in ("slice", "matmul", "illegal"))
assert slice_["schema"] == 1 and slice_["command"] == "slice", slice_
assert (slice_["chips"], slice_["hosts"], slice_["accelerator_type"]) == (1024, 256, "tpu7x-2048"), slice_
assert product["flop"] == 2 * 4096**3, product
assert product["seconds_low"] <= product["seconds"] <= product["seconds_high"] < 1, product
assert product["max_rel_error"] < 0.05 and product["checked_elements"] > 0, product
assert illegal["error"]["kind"] == "illegal_shape" and illegal["error"]["nearest"], illegal
CHECK

# Whoever reads only the first line must not make it fail.
"$podium" slices v5p | head -n 1 > /dev/null || fail "a reader that stops early makes it fail"
echo "smoke: ${#drawn[@]} pictures and three answers are as they must be"
