#!/usr/bin/env python3
"""Makes the traces of this folder, and table.txt: what tune says to each, and
what the reference model makes of that.

    python3 tests/tune/make.py BINARY [NAME…]

A trace is NAME.jsonl.gz: a record with a sample a second before each pass. The
model runs each world again under the advised spec, with the same load, and
counts in the second half of the time, which tune's search did not see: pod-hours,
pod-hours that the load needed at the target of before and did not get, and
reversals. `again` is what tune says to that second record.
"""
import copy, gzip, json, math, os, random, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
sys.dont_write_bytecode = True
from fw import DEF_DN, DEF_UP, CPU, EXT, FW, SEC, iso, noise, sine, square

PARTS = ('serverVersion', 'controller', 'horizontalPodAutoscaler', 'scale', 'pods', 'metrics')
HOUR = 60


def both(*loads): return lambda s: sum(load(s) for load in loads)
def around(load, by, seed): return lambda s: load(s) * noise(1, by, seed)(s)
def spikes(base, peak, every, length, seed):
    """Peaks of some length, about so far apart."""
    r = random.Random(seed); at, starts = 600, []
    while at < 100000: starts.append(at); at += r.uniform(.6, 1.4) * every
    return lambda s: peak if any(start <= s < start + length for start in starts if start <= s) else base
def week(low, high, day):
    """Days one after the other, of which the seventh is quiet."""
    def load(s):
        top = low + (high - low) * (.2 if int(s // day) % 7 == 6 else 1)
        return (low + top) / 2 - (top - low) / 2 * math.cos(2 * math.pi * s / day)
    return load
def down(window=None, policy=None, select=None, tolerance=None, up=None):
    rules = {}
    if window is not None: rules['stabilizationWindowSeconds'] = window
    if policy: rules['policies'] = [{'type': policy[0], 'value': policy[1], 'periodSeconds': policy[2]}]
    if select: rules['selectPolicy'] = select
    if tolerance: rules['tolerance'] = tolerance
    spec = {'scaleDown': rules}
    if up is not None or tolerance:
        spec['scaleUp'] = {} if up is None else {'stabilizationWindowSeconds': up}
        if tolerance: spec['scaleUp']['tolerance'] = tolerance
    return spec
def queue(load): return lambda s, size: load(s)
def grows(s, size): return 13.0
def worked(arrive, each):
    """What is left of a queue that the pods themselves work off."""
    last, left = 0, 0.0
    def load(s, size):
        nonlocal last, left
        if s < last: last, left = 0, 0.0
        left = max(0.0, left + (arrive - each * size) * (s - last)); last = s
        return left
    return load

WAVE = around(sine(600, 2400, 7200), .04, 1)
EDGE = noise(1500, .25, 3)
PEAKS = around(spikes(700, 2700, 1500, 240, 5), .03, 2)
QUIET = around(sine(550, 800, 5400), .03, 4)
WEEK = around(week(500, 2400, 2400), .03, 6)
SQUARE = around(square(800, 2200, 400), .03, 7)
JOBS = around(sine(15, 70, 6000), .05, 8)
HOLDS = lambda s, size: sine(190, 300, 5000)(s)
JUMPY = around(square(20, 60, 300), .1, 9)

HELD = CPU(60) + [{'type': 'Resource', 'resource': {'name': 'memory', 'target': {'type': 'Utilization', 'averageUtilization': 70}}}]
MILLI = [{'type': 'Resource', 'resource': {'name': 'cpu', 'target': {'type': 'AverageValue', 'averageValue': '300m'}}}]

# How each was made bad; where nothing is said, it was not.
WORLDS = {
    'wave-min': ('minReplicas far above the need', dict(load=WAVE, mn=9)),
    'quiet-min': ('minReplicas far above the need', dict(load=QUIET, mn=6)),
    'average-min': ('minReplicas far above the need', dict(metrics=MILLI, load=QUIET, mn=8)),
    'queue-min': ('minReplicas far above the need', dict(metrics=EXT(10), ext=lambda s, size: JOBS(s), mn=9)),
    'week-min': ('minReplicas for the working days', dict(load=WEEK, mn=7, hours=9)),
    'wave-slow-down': ('scaleDown by one pod in half an hour', dict(load=WAVE, mn=1, behavior=down(policy=('Pods', 1, 1800)))),
    'peaks-slow-down': ('scaleDown by one pod in half an hour', dict(load=PEAKS, mn=1, behavior=down(policy=('Pods', 1, 1800)))),
    'queue-slow-down': ('scaleDown by one pod in half an hour', dict(metrics=EXT(10), ext=lambda s, size: JOBS(s), mn=1, behavior=down(policy=('Pods', 1, 1800)))),
    'wave-disabled': ('scaleDown disabled', dict(load=WAVE, mn=1, size=10, behavior=down(select='Disabled'))),
    'quiet-disabled': ('scaleDown disabled', dict(load=QUIET, mn=1, size=7, behavior=down(select='Disabled'))),
    'peaks-hour': ('a scaleDown window of an hour', dict(load=PEAKS, mn=1, behavior=down(3600))),
    'week-hour': ('a scaleDown window of an hour', dict(load=WEEK, mn=1, hours=9, behavior=down(3600))),
    'queue-hour': ('a scaleDown window of an hour', dict(metrics=EXT(10), ext=lambda s, size: JOBS(s), mn=1, behavior=down(3600))),
    'edge-no-window': ('no scaleDown window under noise', dict(load=EDGE, mn=1, behavior=down(0))),
    'edge-short-window': ('a scaleDown window of 30 s under noise', dict(load=EDGE, mn=1, behavior=down(30))),
    'slow-start-no-window': ('no scaleDown window under noise', dict(load=EDGE, mn=1, ready=90, behavior=down(0))),
    'queue-no-window': ('no scaleDown window under noise', dict(metrics=EXT(10), ext=lambda s, size: JUMPY(s), mn=1, behavior=down(0))),
    'tolerance': ('a tolerance of 1% without a window', dict(load=around(lambda s: 1500, .06, 11), mn=1, behavior=down(0, tolerance='10m'))),
    'wave': ('', dict(load=WAVE, mn=1)),
    'edge': ('', dict(load=EDGE, mn=1)),
    'quiet': ('', dict(load=QUIET, mn=1)),
    'week': ('', dict(load=WEEK, mn=1, hours=9, behavior=down(30))),
    'average': ('', dict(metrics=MILLI, load=WAVE, mn=1)),
    'queue': ('', dict(metrics=EXT(10), ext=lambda s, size: JOBS(s), mn=1)),
    'slow-start': ('', dict(load=WAVE, mn=1, ready=90)),
    'square': ('', dict(load=SQUARE, mn=1)),
    'constant': ('', dict(load=lambda s: 1400, mn=2)),
    'queue-runaway': ('', dict(metrics=EXT(10, 'Value'), ext=grows, mn=1)),
    'queue-value': ('', dict(metrics=EXT(10, 'Value'), ext=lambda s, size: JOBS(s) / size, mn=1)),
    'at-max': ('', dict(load=noise(4000, .1, 5), mn=1, mx=8)),
    'slow-wave': ('minReplicas far above the need', dict(load=WAVE, mn=9, ready=300)),
    'queue-worked': ('', dict(metrics=EXT(30), ext=worked(5.5, 1), mn=8)),
    'both-no-window': ('no scaleDown window under noise', dict(metrics=CPU(60) + EXT(10), load=EDGE, ext=lambda s, size: JUMPY(s), mn=1, behavior=down(0))),
    'both': ('', dict(metrics=CPU(60) + EXT(10), load=WAVE, ext=lambda s, size: JOBS(s + 1500), mn=1)),
    'memory-slow-down': ('scaleDown by one pod in half an hour', dict(metrics=HELD, load=WAVE, mem=HOLDS, mn=1, behavior=down(policy=('Pods', 1, 1800)))),
    'memory': ('', dict(metrics=HELD, load=WAVE, mem=HOLDS, mn=1)),
    'by-hand': ('', dict(load=WAVE, mn=1, writer=(9, 1700, 'kubectl-scale'))),
}


def world(name, spec=None):
    _, own = WORLDS[name]
    own = dict(own); hours = own.pop('hours', 4); own.setdefault('metrics', CPU(60))
    w = FW(len(name), ready=own.pop('ready', 20), minutes=hours * HOUR, mx=own.pop('mx', 20), size=own.pop('size', max(4, own['mn'])), **own)
    if spec: w.spec = copy.deepcopy(spec); w.mn, w.mx = spec.get('minReplicas', 1), spec['maxReplicas']
    return w


def needs(w, spec):
    """How many pods carry the load at the targets, now."""
    def need(metric):
        if metric['type'] == 'External': return w.extfn(w.sec(), w.size) / float(metric['external']['target'].get('averageValue', 'inf'))
        if metric['resource']['name'] == 'memory': return 0
        if 'averageValue' in metric['resource']['target']: return w.loadfn(w.sec()) / 300
        return w.loadfn(w.sec()) / (500 * metric['resource']['target']['averageUtilization'] / 100)
    return max(map(need, spec['metrics']))


def sample(w, last):
    s = w.snapshot(lease=False, events=False); s.pop('provenance', None)
    hpa = s['horizontalPodAutoscaler']; hpa['metadata'].pop('managedFields', None)
    line = {'t': iso(w.now, True)[:23].rstrip('Z') + 'Z'}
    whole = {k: s[k] for k in PARTS if k in s}
    line.update({k: v for k, v in whole.items() if last.get(k) != v})
    if not last: line['full'] = True
    last.update(whole)
    return line


def run(w, spec):
    """Its record, and what the second half comes to."""
    lines = [{'kind': 'Record', 'apiVersion': 'hpa-explain/v1', 'namespace': 'shop', 'horizontalPodAutoscaler': 'web', 'recordedAt': iso(w.start), 'toolVersion': '0.2.0'}]
    end, half, last = w.start + w.minutes * 60 * SEC, w.start + w.minutes * 30 * SEC, {}
    pods = short = reversals = 0; way = 0
    due = w.start + SEC
    def serve(until):
        nonlocal due, pods, short
        while due < until:
            w.advance(due)
            if due >= half:
                ready = sum(due - made >= w.readyafter * SEC for _, made in w.pods)
                pods += len(w.pods); short += max(0, needs(w, spec) - ready)
            due += SEC
    while w.next < end:
        serve(w.next - SEC)
        w.advance(max(w.now, w.next - SEC)); lines.append(sample(w, last))
        before = w.size; w.advance(w.next); w.do_pass()
        if w.size != before:
            turn = 1 if w.size > before else -1
            reversals += w.now >= half and way not in (0, turn); way = turn
    serve(end)
    text = '\n'.join(json.dumps(line, separators=(',', ':')) for line in lines) + '\n'
    return text, (pods / 3600, short / 3600, reversals)


def merged(spec, patch):
    for k, v in patch.items():
        if v is None: spec.pop(k, None)
        elif isinstance(v, dict): spec[k] = merged(spec.get(k, {}), v)
        else: spec[k] = v
    return spec


def defaulted(spec):
    """What the API server fills in."""
    behavior = spec.get('behavior')
    for way, policies in (('scaleUp', DEF_UP), ('scaleDown', DEF_DN)) if behavior else ():
        rules = behavior.setdefault(way, {})
        rules.setdefault('selectPolicy', 'Max'); rules.setdefault('policies', copy.deepcopy(policies))
        if way == 'scaleUp': rules.setdefault('stabilizationWindowSeconds', 0)
    return spec


def tuned(binary, text):
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as f:
        f.write(text); f.flush()
        out = subprocess.run([binary, 'tune', '--history', f.name, '-o', 'json'], capture_output=True, text=True)
    if out.returncode: return {'answer': {'kind': 'error'}, 'error': out.stderr}
    return json.loads(out.stdout)['items'][0]


def said(tune):
    answer = tune['answer']
    return ', '.join(f['name'] for f in answer['proposal']['fields']) if answer['kind'] == 'advice' else answer['kind']


def main():
    binary, names = sys.argv[1], sys.argv[2:] or list(WORLDS)
    for name in names:
        w = world(name); spec = copy.deepcopy(w.spec)
        text, now = run(w, spec)
        with open(os.path.join(HERE, name + '.jsonl.gz'), 'wb') as f: f.write(gzip.compress(text.encode(), 9, mtime=0))
        tune = tuned(binary, text); answer = tune['answer']
        c = tune.get('calibration')
        calibrated = '%d/%d %.1f%%' % (c['simulated']['changes'], c['happened']['changes'], c['podHoursApart']) if c else '-'
        row = [name, WORLDS[name][0] or '-', calibrated, said(tune), '%.1f %.2f %d' % now]
        if answer['kind'] == 'advice':
            patch = json.loads(answer['proposal']['patch']['patch'])['spec']
            better = defaulted(merged(copy.deepcopy(spec), patch))
            text, then = run(world(name, better), spec)
            row += ['%.1f %.2f %d' % then, said(tuned(binary, text))]
        else: row += ['-', '-']
        if 'error' in tune: print(tune['error'], file=sys.stderr)
        if answer['kind'] == 'refused': print(answer['reason'], file=sys.stderr)
        if answer['kind'] == 'nothing-to-gain' and answer.get('best'): print(name, json.dumps({k: answer['best'][k] for k in ('fields', 'now', 'then', 'gain')}), file=sys.stderr)
        print(' | '.join(row), flush=True)


if __name__ == '__main__': main()
