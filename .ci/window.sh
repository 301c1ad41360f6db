#!/usr/bin/env bash
# The real window on a virtual display: opened, driven by keys, photographed, closed.
# Usage: .ci/window.sh PODIUM PICTURES
set -euo pipefail
podium=$1
pictures=$2
scratch=$(mktemp -d)
server='' program=''

end() {
  [[ -z $program ]] || kill "$program" 2> /dev/null || true
  [[ -z $server ]] || kill "$server" 2> /dev/null || true
  rm -rf "$scratch"
}
trap end EXIT

fail() {
  echo "window: $*" >&2
  tail -n 20 "$scratch/log" >&2 2> /dev/null || true
  exit 1
}

# Tries a command for up to half a minute.
wait_for() {
  for _ in $(seq 150); do
    "$@" > /dev/null 2>&1 && return
    sleep 0.2
  done
  return 1
}

# The server chooses a free display and writes its number.
mkfifo "$scratch/number"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3> "$scratch/number" 2> "$scratch/server" &
server=$!
read -r -t 30 number < "$scratch/number" || fail "the virtual display did not start: $(cat "$scratch/server")"
export DISPLAY=:$number
unset WAYLAND_DISPLAY WAYLAND_SOCKET

export PODIUM_DATA_DIR=$scratch/data XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/share LIBGL_ALWAYS_SOFTWARE=1
(cd "$scratch" && exec "$podium") > "$scratch/log" 2>&1 &
program=$!
wait_for xdotool search --onlyvisible --name Podium || fail "no window appeared"
window=$(xdotool search --onlyvisible --name Podium | tail -n 1)
xdotool windowmove "$window" 0 0 windowsize "$window" 1600 1000 windowfocus "$window"
sleep 3

# Takes a picture and refuses a blank one: few colours, or nearly one tone.
photograph() {
  local file=$pictures/window-$1.png colours spread
  import -window root "$file"
  colours=$(identify -format '%k' "$file")
  spread=$(identify -format '%[fx:standard_deviation * 1000]' "$file")
  [[ $colours -ge 100 ]] || fail "$1 is blank: $colours colours"
  awk -v spread="$spread" 'BEGIN { exit !(spread >= 10) }' || fail "$1 is blank: spread $spread"
  echo "window: $1, $colours colours"
}

# Two pictures must differ in more than a clock.
differ() {
  local pixels
  pixels=$(compare -metric AE "$pictures/window-$1.png" "$pictures/window-$2.png" null: 2>&1 || true)
  pixels=${pixels%% *}
  awk -v pixels="$pixels" 'BEGIN { exit !(pixels >= 20000) }' || fail "$1 and $2 look the same: $pixels pixels differ"
}

for view in topology:ctrl+2 live:ctrl+3 roadmap:ctrl+5; do
  xdotool key "${view##*:}"
  sleep 2
  photograph "${view%%:*}"
done
differ topology live
differ live roadmap

xdotool key ctrl+shift+l
sleep 2
photograph light
differ roadmap light

xdotool key ctrl+k
sleep 1
photograph palette
differ light palette
xdotool key Escape
sleep 1

xdotool key ctrl+q
gone() { ! kill -0 "$program" 2> /dev/null; }
wait_for gone || fail "it did not close"
wait "$program" || fail "it ended with an error"
program=''
echo "window: opened, driven and closed"
