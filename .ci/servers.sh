#!/usr/bin/env bash
# Debian's Prometheus and Alertmanager against the built program: they scrape it, check its pages and rules, take its
# recordings in, and are looked at by it. All listen on free ports of the loopback and write into a folder that goes again.
# Usage: .ci/servers.sh PODIUM
set -euo pipefail
podium=$1
repository=$PWD
here=$(mktemp -d)
pids=()
end() {
  local status=$?
  for pid in "${pids[@]}"; do
    kill "$pid" 2> /dev/null || true
  done
  wait 2> /dev/null || true
  if [[ $status -ne 0 ]]; then
    tail -n 20 "$here"/*.log >&2 || true
  fi
  rm -rf "$here"
}
trap end EXIT
cd "$here"

fail() {
  echo "servers: $*" >&2
  exit 1
}

for tool in prometheus promtool prometheus-alertmanager amtool; do
  if ! command -v "$tool" > /dev/null; then
    [[ -z ${CI:-} ]] || fail "$tool is missing"
    echo "skipped: $tool is missing"
    exit 0
  fi
done

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Until a command succeeds, for a minute at most.
until_true() {
  local what=$1
  shift
  for _ in $(seq 300); do
    if "$@" > /dev/null 2>&1; then
      return 0
    fi
    sleep 0.2
  done
  fail "$what did not happen within a minute"
}

plan=$repository/sample-data/plans/fleet-north.ron
rules=$repository/sample-data/rules

# The program as an exporter.
"$podium" serve-metrics --bind 127.0.0.1:0 --plan "$plan" --speed 60 --json > podium.json 2> podium.log &
exporter=$!
pids+=("$exporter")
until_true "podium's endpoint" grep -q '"url"' podium.json
url=$(python3 -c 'import json; print(json.load(open("podium.json"))["url"])')
address=${url#http://}
address=${address%/metrics}
fetch() {
  python3 - "$@" << 'FETCH'
import sys, urllib.request

headers = dict(pair.split("=", 1) for pair in sys.argv[3:])
with urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers=headers), timeout=60) as answer:
    open(sys.argv[2], "wb").write(answer.read())
    print(answer.headers["Content-Type"])
FETCH
}
fetch "$url" page.prom > type.txt
grep -q 'text/plain; version=0.0.4' type.txt || fail "the page is $(cat type.txt)"
promtool check metrics < page.prom || fail "promtool finds fault with the page"
fetch "$url" page.om Accept='application/openmetrics-text;version=1.0.0' > type.txt
grep -q 'application/openmetrics-text; version=1.0.0' type.txt || fail "the page is $(cat type.txt)"
[[ $(tail -n 1 page.om) = '# EOF' ]] || fail "the OpenMetrics page has no end"

# Rules: both programs take the same files and say the same.
promtool check rules "$rules/tpu.rules.yml" > checked.log || fail "promtool refuses the sample's rules: $(cat checked.log)"
promtool test rules "$rules/tpu.test.yml" > tested.log 2>&1 || fail "promtool fails the sample's test: $(cat tested.log)"
"$podium" rules test "$rules/tpu.test.yml" > tested.log || fail "podium fails the sample's test: $(cat tested.log)"
sed 's/severity: critical, node_name: a/severity: critical, node_name: z/' "$rules/tpu.test.yml" > wrong.test.yml
cp "$rules/tpu.rules.yml" .
if promtool test rules wrong.test.yml > /dev/null 2>&1 || "$podium" rules test wrong.test.yml > /dev/null; then
  fail "a wrong expectation passes"
fi

# The servers.
prometheus_port=$(free_port)
alertmanager_port=$(free_port)
cat > alertmanager.yml << 'CONFIG'
route: {receiver: nobody, group_wait: 0s}
receivers: [{name: nobody}]
CONFIG
cat > seen.rules.yml << 'CONFIG'
groups:
  - name: seen
    rules:
      - alert: SimulatorSeen
        expr: count(duty_cycle_node) > 0
        labels: {severity: info}
        annotations: {summary: "{{ $value }} chips report"}
CONFIG
cat > prometheus.yml << CONFIG
global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
rule_files: [$here/seen.rules.yml, $rules/tpu.rules.yml]
alerting:
  alertmanagers: [{static_configs: [{targets: ["127.0.0.1:$alertmanager_port"]}]}]
scrape_configs:
  - {job_name: podium, static_configs: [{targets: ["$address"]}]}
CONFIG
promtool check config prometheus.yml > checked.log || fail "the configuration: $(cat checked.log)"
prometheus-alertmanager --config.file=alertmanager.yml --storage.path="$here/alerts" --cluster.listen-address= \
  --web.listen-address="127.0.0.1:$alertmanager_port" > alertmanager.log 2>&1 &
pids+=($!)
prometheus --config.file=prometheus.yml --storage.tsdb.path="$here/series" \
  --web.listen-address="127.0.0.1:$prometheus_port" > prometheus.log 2>&1 &
pids+=($!)
prometheus=http://127.0.0.1:$prometheus_port
alertmanager=http://127.0.0.1:$alertmanager_port
query() {
  promtool query instant "$prometheus" "$1"
}
chips_are_there() {
  query 'up{job="podium"} == 1 and on() count(duty_cycle_node) > 10000' | grep -q '=> 1'
}
until_true "a scrape of podium by Prometheus" chips_are_there
query 'count by (__name__) ({origin="simulated"})' > counted.log
[[ $(wc -l < counted.log) -ge 5 ]] || fail "Prometheus does not have all families: $(cat counted.log)"
alert_is_there() {
  amtool --alertmanager.url="$alertmanager" alert query SimulatorSeen | grep -q SimulatorSeen
}
until_true "an alert at Alertmanager" alert_is_there

# A recording becomes blocks of Prometheus with as many samples.
"$podium" serve-metrics --plan "$plan" -o hour.om --minutes 3 --until 2026-11-30T12:00:00Z --json > recorded.json 2> recorded.log
promtool tsdb create-blocks-from openmetrics hour.om blocks > blocks.log 2>&1 || fail "promtool refuses the recording: $(cat blocks.log)"
python3 - << 'CHECK'
import json, pathlib

said = json.load(open("recorded.json"))["samples"]
blocks = [json.load(open(meta)) for meta in pathlib.Path("blocks").glob("*/meta.json")]
found = sum(block["stats"]["numSamples"] for block in blocks)
assert found == said > 0, (found, said)
CHECK

# The program looks at the servers.
"$podium" observe --source "$prometheus" --fleet "$plan" --json > observed.json || fail "podium observe: $(cat observed.json)"
"$podium" observe --source "$url" --kind exposition --fleet "$plan" --json > observed-page.json || fail "podium observe of a page: $(cat observed-page.json)"
"$podium" observe --source "$prometheus" --query 'count(duty_cycle_node)' --range 1m/2s --alerts --rules --json > observed-range.json ||
  fail "podium observe over time: $(cat observed-range.json)"
"$podium" observe --source "$alertmanager" --kind alertmanager --json > observed-alerts.json || fail "podium observe of alerts: $(cat observed-alerts.json)"
python3 - << 'CHECK'
import json

for name in "observed.json", "observed-page.json":
    seen = json.load(open(name))
    assert seen["series"] > 10000 and seen["metrics"], (name, {key: seen[key] for key in ("series", "samples")})
seen = json.load(open("observed-range.json"))
names = lambda seen: [alert["labels"].get("alertname") for alert in seen["alerts"]]
assert seen["series"] == 1 and seen["samples"] > 1, (seen["series"], seen["samples"])
assert "SimulatorSeen" in names(seen) and "SimulatorSeen" in [rule["name"] for rule in seen["rules"]], seen["rules"]
assert "SimulatorSeen" in names(json.load(open("observed-alerts.json")))
CHECK

# It ends when it is told to.
kill -INT "$exporter"
status=0
wait "$exporter" || status=$?
[[ $status -eq 0 ]] || fail "podium serve-metrics ends with status $status"
echo "servers: Prometheus and Alertmanager scrape podium, take its rules and recordings, and are looked at by it"
